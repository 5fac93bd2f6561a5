import en from '../../../locales/en/signature-mails.json' with { type: 'json' };
import { catalog, plainText } from '../../platform/pages/catalog.ts';
import type { Mail } from '../../platform/mail.ts';
import type { Language } from '../../platform/pages/language.ts';

const texts = catalog('signature-mails', en);

interface NotCounted {
  /** Why: a moderator rejected a held signature, or a rule invalidated it. */
  why: 'rejected' | 'invalidated';
  signatureId: string;
  email: string;
  title: string;
  language: Language;
  /** Of the service. */
  host: string;
}

/** Composes the mail to the signer of a signature that is not counted. */
export function notCountedMail(signature: NotCounted): Mail {
  const { why, signatureId: id, email, title, language, host } = signature;
  const parts = [
    plainText(texts, language, why, { title: title.replaceAll(/\s+/g, ' ') }),
    plainText(texts, language, 'if_honest', { host, id }),
  ];
  return {
    kind: `signature-${why}`,
    cause: 'own act',
    to: email,
    language,
    subject: plainText(texts, language, 'not_counted_subject'),
    text: parts.join('\n\n'),
  };
}
