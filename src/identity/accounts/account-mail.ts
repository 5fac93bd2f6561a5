import en from '../../../locales/en/account-mails.json' with { type: 'json' };
import type { Mail } from '../../platform/mail.ts';
import { catalog, plainText } from '../../platform/pages/catalog.ts';
import type { UserRow } from './queries.ts';

/** Texts of mails about an account. */
export const accountMailTexts = catalog('account-mails', en);

/** Composes a mail to the owner of an account, in their language. */
export function accountMail(
  { email, language }: Pick<UserRow, 'email' | 'language'>,
  kind:
    | 'verification'
    | 'reconfirmation'
    | 'reset'
    | 'access_ended'
    | 'new_address'
    | 'address_changed'
    | 'new_sign_in',
  values: Record<string, string>,
): Mail {
  return {
    kind,
    cause: 'own act',
    to: email,
    language,
    subject: plainText(accountMailTexts, language, `${kind}_subject`, values),
    text: plainText(accountMailTexts, language, kind, values),
  };
}
