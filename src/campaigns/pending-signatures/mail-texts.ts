import type { Language } from '../../platform/pages/language.ts';

/** The mail by which a signature is confirmed. It says nothing that whoever sent the form has typed. */
export const mailTexts: Record<Language, { subject: string; text: string }> = {
  en: {
    subject: '{code}: confirm your signature',
    text: `Somebody, hopefully you, signed this petition with this address:

{title}

To make the signature count, open this link within 24 hours and press the button there:

{link}

Or type this code on the page where you signed: {code}

If it was not you, ignore this mail: nothing is signed without it.
`,
  },
  fr: {
    subject: '{code} : confirmez votre signature',
    text: `Quelqu’un, vous sans doute, a signé cette pétition avec cette adresse :

{title}

Pour que la signature compte, ouvrez ce lien dans les 24 heures et appuyez sur le bouton :

{link}

Ou saisissez ce code sur la page où vous avez signé : {code}

Si ce n’était pas vous, ignorez ce message : rien n’est signé sans cela.
`,
  },
  es: {
    subject: '{code}: confirme su firma',
    text: `Alguien, esperamos que usted, ha firmado esta petición con esta dirección:

{title}

Para que la firma cuente, abra este enlace en las próximas 24 horas y pulse el botón:

{link}

O escriba este código en la página donde firmó: {code}

Si no fue usted, ignore este mensaje: sin él no se firma nada.
`,
  },
  de: {
    subject: '{code}: Bestätigen Sie Ihre Unterschrift',
    text: `Jemand, hoffentlich Sie, hat mit dieser Adresse diese Petition unterschrieben:

{title}

Damit die Unterschrift zählt, öffnen Sie innerhalb von 24 Stunden diesen Link und drücken Sie dort auf den Knopf:

{link}

Oder geben Sie diesen Code auf der Seite ein, auf der Sie unterschrieben haben: {code}

Wenn Sie es nicht waren, beachten Sie diese Mail nicht: ohne sie wird nichts unterschrieben.
`,
  },
  ar: {
    subject: '{code}: أكّد توقيعك',
    text: `وقّع شخص ما، ونأمل أن يكون أنت، على هذه العريضة بهذا العنوان:

{title}

لكي يُحسب التوقيع، افتح هذا الرابط خلال 24 ساعة واضغط على الزر هناك:

{link}

أو اكتب هذا الرمز في الصفحة التي وقّعت فيها: {code}

إن لم تكن أنت، فتجاهل هذه الرسالة: لن يُوقَّع شيء من دونها.
`,
  },
};
