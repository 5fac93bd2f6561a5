import type { Context } from '../../platform/context.ts';
import type { Db } from '../../platform/db.ts';
import { randomToken } from '../../platform/keys.ts';
import { retentionInterval } from '../../platform/retention.ts';

export type TokenPurpose = 'verify-email' | 'reset-password' | 'end-access';

const lifetime: Record<TokenPurpose, string> = {
  'verify-email': '24 hours',
  'reset-password': '1 hour',
  'end-access': retentionInterval('mailed_links'),
};

/** Creates a token for a link in a mail. Only its keyed hash is stored. */
export async function createOneTimeToken(
  ctx: Context,
  purpose: TokenPurpose,
  userId: string,
): Promise<string> {
  // 128 bits cannot be guessed, and are short enough that mail programs do not wrap the link.
  const token = randomToken(16);
  await ctx.db`
    insert into one_time_tokens (token_hash, purpose, user_id, expires_at)
    values (${ctx.keys.hash('one-time-token', purpose, token)}, ${purpose}, ${userId},
      now() + ${lifetime[purpose]}::interval)`;
  return token;
}

/** Returns the user of a token, or undefined if it is unknown, used or expired. */
export async function userOfOneTimeToken(
  ctx: Context,
  purpose: TokenPurpose,
  token: string,
): Promise<string | undefined> {
  return ctx.db.value<string | undefined>`
    select user_id from one_time_tokens
    where token_hash = ${ctx.keys.hash('one-time-token', purpose, token)} and expires_at > now()`;
}

/** Deletes a token and returns its user, or undefined if it is unknown, used or expired. */
export async function redeemOneTimeToken(
  ctx: Context,
  db: Db,
  purpose: TokenPurpose,
  token: string,
): Promise<string | undefined> {
  return db.value<string | undefined>`
    delete from one_time_tokens
    where token_hash = ${ctx.keys.hash('one-time-token', purpose, token)} and expires_at > now()
    returning user_id`;
}

/** Deletes a user's tokens of one purpose. */
export async function deleteOneTimeTokens(
  db: Db,
  purpose: TokenPurpose,
  userId: string,
): Promise<void> {
  await db`delete from one_time_tokens where purpose = ${purpose} and user_id = ${userId}`;
}

/** Gives the tokens of one account to another, which has its address. */
export async function giveOneTimeTokens(
  db: Db,
  { from, to }: { from: string; to: string },
): Promise<void> {
  await db`update one_time_tokens set user_id = ${to} where user_id = ${from}`;
}

export async function deleteExpiredTokens(db: Db): Promise<void> {
  await db`delete from one_time_tokens where expires_at < now()`;
}
