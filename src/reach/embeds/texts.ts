import { catalog } from '../../platform/pages/catalog.ts';

/** What the embedded page says. The number stands before the noun. */
export const widgetTexts = catalog({
  en: {
    noun: { one: 'signature', other: 'signatures' },
    of_goal: 'of {goal}',
    towards_goal: 'Signatures towards the goal',
    sign: 'Sign this petition',
    closed: 'This petition is closed. Thank you to all who signed.',
    victory: 'Victory! This petition has succeeded.',
    not_shown: 'This petition cannot be shown',
  },
  fr: {
    noun: { one: 'signature', many: 'de signatures', other: 'signatures' },
    of_goal: 'sur {goal}',
    towards_goal: 'Signatures par rapport à l’objectif',
    sign: 'Signer cette pétition',
    closed: 'Cette pétition est close. Merci à toutes les personnes qui ont signé.',
    victory: 'Victoire ! Cette pétition a abouti.',
    not_shown: 'Cette pétition ne peut pas être affichée',
  },
  es: {
    noun: { one: 'firma', many: 'de firmas', other: 'firmas' },
    of_goal: 'de {goal}',
    towards_goal: 'Firmas respecto al objetivo',
    sign: 'Firmar esta petición',
    closed: 'Esta petición está cerrada. Gracias a quienes firmaron.',
    victory: '¡Victoria! Esta petición ha tenido éxito.',
    not_shown: 'Esta petición no se puede mostrar',
  },
  de: {
    noun: { one: 'Unterschrift', other: 'Unterschriften' },
    of_goal: 'von {goal}',
    towards_goal: 'Unterschriften im Verhältnis zum Ziel',
    sign: 'Diese Petition unterschreiben',
    closed: 'Diese Petition ist geschlossen. Danke an alle, die unterschrieben haben.',
    victory: 'Geschafft! Diese Petition war erfolgreich.',
    not_shown: 'Diese Petition kann nicht angezeigt werden',
  },
  ar: {
    noun: {
      zero: 'توقيع',
      one: 'توقيع',
      two: 'توقيعان',
      few: 'توقيعات',
      many: 'توقيعًا',
      other: 'توقيع',
    },
    of_goal: 'من أصل {goal}',
    towards_goal: 'التوقيعات نسبةً إلى الهدف',
    sign: 'وقّع على هذه العريضة',
    closed: 'أُغلقت هذه العريضة. شكرًا لكل من وقّع.',
    victory: 'انتصار! نجحت هذه العريضة.',
    not_shown: 'لا يمكن عرض هذه العريضة',
  },
});
