import type { Context } from '../../platform/context.ts';
import type { Caller } from '../../platform/http/route.ts';
import { unauthorized } from '../../platform/problems.ts';
import * as queries from './queries.ts';
import type { UserRow } from './queries.ts';

/** @throws {Problem} unauthorized if the account was erased after the token was issued */
export async function ownAccount(ctx: Context, caller: Caller): Promise<UserRow> {
  const user = await queries.findUser(ctx.db, caller.userId);
  if (!user) throw noAccount();
  return user;
}

export const noAccount = () => unauthorized('This account no longer exists.');
