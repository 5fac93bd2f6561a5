import { catalog } from '../../platform/pages/catalog.ts';

/** The mail by which a signature is confirmed. It says nothing that whoever sent the form has typed. */
export const mailTexts = catalog({
  en: {
    subject: '{code}: confirm your signature',
    text: `Somebody, hopefully you, signed this petition with this email address:

{title}

To make your signature count, open this link within 24 hours and press the button there:

{link}

Or type this code on the page where you signed: {code}

If it was not you, ignore this email: nothing is signed without it.
`,
  },
  fr: {
    subject: '{code} : confirmez votre signature',
    text: `Quelqu’un, sans doute vous, a signé cette pétition avec cette adresse e-mail :

{title}

Pour que votre signature compte, ouvrez ce lien dans les 24 heures et appuyez sur le bouton de la page :

{link}

Ou saisissez ce code sur la page où vous avez signé : {code}

Si ce n’était pas vous, ignorez cet e-mail : sans confirmation, rien n’est signé.
`,
  },
  es: {
    subject: '{code}: confirme su firma',
    text: `Alguien, esperamos que usted, ha firmado esta petición con esta dirección de correo:

{title}

Para que su firma cuente, abra este enlace en las próximas 24 horas y pulse el botón de la página:

{link}

O escriba este código en la página donde firmó: {code}

Si no fue usted, ignore este correo: sin confirmación no se firma nada.
`,
  },
  de: {
    subject: '{code}: Bestätigen Sie Ihre Unterschrift',
    text: `Jemand, hoffentlich Sie, hat mit dieser E-Mail-Adresse diese Petition unterschrieben:

{title}

Damit Ihre Unterschrift zählt, öffnen Sie innerhalb von 24 Stunden diesen Link und drücken Sie dort auf den Knopf:

{link}

Oder geben Sie diesen Code auf der Seite ein, auf der Sie unterschrieben haben: {code}

Wenn Sie es nicht waren, beachten Sie diese E-Mail nicht: Ohne Bestätigung wird nichts unterschrieben.
`,
  },
  ar: {
    subject: '{code}: أكّد توقيعك',
    text: `وقّع شخص ما، نأمل أن تكون أنت، على هذه العريضة بهذا البريد الإلكتروني:

{title}

لكي يُحسب توقيعك، افتح هذا الرابط خلال 24 ساعة واضغط على الزر هناك:

{link}

أو اكتب هذا الرمز في الصفحة التي وقّعت فيها: {code}

إن لم تكن أنت من وقّع، فتجاهل هذه الرسالة: لن يُوقَّع شيء من دون تأكيد.
`,
  },
});
