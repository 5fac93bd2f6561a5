import en from '../../../locales/en/signature-mails.json' with { type: 'json' };
import { catalog, plainText } from '../../platform/pages/catalog.ts';
import type { Mail } from '../../platform/mail.ts';
import { titleLine, writtenTitle } from '../../platform/mail-layout.ts';
import type { Language } from '../../platform/pages/language.ts';
import type { ReceiptRow } from './receipt-queries.ts';

const texts = catalog('signature-mails', en);

interface NotCounted {
  /** Why: a moderator rejected a held signature, or a rule invalidated it. */
  why: 'rejected' | 'invalidated';
  signatureId: string;
  email: string;
  title: string;
  title_language: string | null;
  language: Language;
  /** Of the service. */
  host: string;
}

/** Composes the mail to the signer of a signature that is not counted. */
export function notCountedMail(signature: NotCounted): Mail {
  const { why, signatureId: id, email, title, title_language, language, host } = signature;
  const parts = [
    plainText(texts, language, why, { title: titleLine(title) }),
    plainText(texts, language, 'if_honest', { host, id }),
  ];
  return {
    kind: `signature-${why}`,
    cause: 'own act',
    to: email,
    language,
    subject: plainText(texts, language, 'not_counted_subject'),
    text: parts.join('\n\n'),
    written: [writtenTitle(title, title_language)],
  };
}

interface ReceiptLinks {
  /** The page of the signature. */
  page: string;
  /** The file that shows that it is in the public log; null where there is none. */
  file: string | null;
}

/** Composes the mail with the links to a signature that was confirmed by mail. */
export function receiptMail(row: ReceiptRow, { page, file }: ReceiptLinks): Mail {
  const { email, language, petition, signature_state: state } = row;
  const parts = [
    plainText(texts, language, state === 'held' ? 'receipt_held' : 'receipt_counted', {
      title: titleLine(petition.title),
    }),
    plainText(texts, language, 'receipt_link', { link: page }),
    ...(file === null ? [] : [plainText(texts, language, 'receipt_file', { link: file })]),
  ];
  return {
    kind: 'signature-receipt',
    cause: 'own act',
    to: email,
    language,
    subject: plainText(texts, language, 'receipt_subject'),
    text: parts.join('\n\n'),
    written: [writtenTitle(petition.title, petition.language)],
  };
}
