import type { Context } from '../../platform/context.ts';
import { revisionOf, type Precondition } from '../../platform/http/preconditions.ts';
import type { Caller } from '../../platform/http/route.ts';
import { unauthorized } from '../../platform/problems.ts';
import * as queries from './queries.ts';
import type { UserRow } from './queries.ts';
import type { User } from './schema.ts';

/** What the owner of an account can change of it, where others can read the answer or not. */
type EditableAccount = Pick<
  User,
  'display_name' | 'bio' | 'avatar_url' | 'language' | 'show_signatures' | 'sign_in_alerts'
>;
export type AccountPrecondition = Precondition<EditableAccount> | undefined;

/** Returns the revision of an account: of what PATCH changes and a read shows. */
export const accountRevision = (account: EditableAccount): string =>
  revisionOf([
    account.display_name,
    account.bio,
    account.avatar_url,
    account.language,
    account.show_signatures,
    account.sign_in_alerts,
  ]);

/** @throws {Problem} unauthorized if the account was erased after the token was issued */
export async function ownAccount(ctx: Context, caller: Caller): Promise<UserRow> {
  const user = await queries.findUser(ctx.db, caller.userId);
  if (!user) throw noAccount();
  return user;
}

export const noAccount = () => unauthorized('This account no longer exists.');
