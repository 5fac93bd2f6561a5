import en from '../../../locales/en/account-mails.json' with { type: 'json' };
import type { Context } from '../../platform/context.ts';
import { fromUnprovenAct } from '../../platform/mail-stopping.ts';
import type { Mail } from '../../platform/mail.ts';
import { catalog, plainText } from '../../platform/pages/catalog.ts';
import { isProven } from './proof-of-address.ts';
import type { UserRow } from './queries.ts';

/** Texts of mails about an account. */
export const accountMailTexts = catalog('account-mails', en);

/**
 * Returns a mail about an account to its address. If the address was never proven, the recipient may know nothing of the
 * account: the mail says how to stop such mails.
 */
export const mailAboutAccount = (
  ctx: Pick<Context, 'config' | 'keys'>,
  user: Pick<UserRow, 'email_verified_at'>,
  mail: Mail,
): Mail => (isProven(user) ? mail : fromUnprovenAct(ctx, mail));

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
