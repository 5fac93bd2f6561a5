import en from '../../../locales/en/pending-signatures.json' with { type: 'json' };
import { unsubscribeHeaders, type Mail } from '../../platform/mail.ts';
import { titleLine, writtenTitle } from '../../platform/mail-layout.ts';
import { catalog, plainText } from '../../platform/pages/catalog.ts';
import type { Language } from '../../platform/pages/language.ts';

const texts = catalog('pending-signatures', en);

interface Recipient {
  email: string;
  language: Language;
}

interface Confirming {
  /** Of the petition. Nothing else that was typed into the form is repeated. */
  title: string;
  titleLanguage: string | null;
  link: string;
  code: string;
}

/** Composes the mail with the link and the code that confirm a signature. */
export function signingMail({ email, language }: Recipient, confirming: Confirming): Mail {
  const { titleLanguage, ...values } = { ...confirming, title: titleLine(confirming.title) };
  return {
    kind: 'signing',
    cause: 'own act',
    to: email,
    language,
    subject: plainText(texts, language, 'subject', values),
    text: plainText(texts, language, 'text', values),
    written: [writtenTitle(confirming.title, titleLanguage)],
  };
}

/** Composes the reminder of a signature that was not confirmed within a day. */
export function reminderMail(
  { email, language }: Recipient,
  { stopLink, ...confirming }: Confirming & { stopLink: string },
): Mail {
  const { titleLanguage, ...values } = { ...confirming, title: titleLine(confirming.title) };
  return {
    kind: 'signing-reminder',
    cause: 'list',
    to: email,
    language,
    subject: plainText(texts, language, 'reminder_subject'),
    text: `${plainText(texts, language, 'reminder_text', values)}

--
${plainText(texts, language, 'reminder_stop')}
${stopLink}
`,
    written: [writtenTitle(confirming.title, titleLanguage)],
    headers: unsubscribeHeaders(stopLink),
  };
}
