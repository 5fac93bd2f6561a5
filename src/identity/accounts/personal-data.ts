import type { Context } from '../../platform/context.ts';
import { isDeadlock, isMissingUser, retryOn, transaction, type Tx } from '../../platform/db.ts';
import type { Caller } from '../../platform/http/route.ts';
import { isStopped, stopToken } from '../../platform/mail-suppressions.ts';
import type { PersonalData } from '../../platform/slice.ts';
import { pictureChanged } from '../../platform/picture-copies.ts';
import { noAccount, type AccountPrecondition } from './own-account.ts';
import * as queries from './queries.ts';
import { dataExportQuota } from './quotas.ts';

/**
 * Yields the caller's personal data as the text of a JSON object, in one piece per slice, since it can be
 * large. `indent` is the number of spaces for nested values.
 * @throws {Problem} rate-limited
 */
export async function exportPersonalData(
  ctx: Context,
  caller: Caller,
  holders: PersonalData[],
  indent = 0,
): Promise<AsyncIterable<string>> {
  await ctx.limits.take(dataExportQuota, caller.userId, 'Too many exports.');
  const user = await queries.exportUser(ctx.db, caller.userId);
  if (!user) throw noAccount();
  const token = stopToken(ctx.keys, user.email);
  const account = { ...user, mail_stopped: await isStopped(ctx.db, ctx.keys, token) };
  const write = (data: unknown) => JSON.stringify(data, null, indent);
  return (async function* pieces() {
    yield `{"account": ${write(account)}`;
    for (const holder of holders) {
      yield `,\n${write(holder.name)}: ${write(await holder.export(ctx.db, caller.userId))}`;
    }
    yield '}\n';
  })();
}

/**
 * Erases the account of an owner who has proven who they are: every slice deletes or anonymizes its data, then the user is
 * deleted.
 */
export async function eraseUser(
  ctx: Context,
  userId: string,
  holders: PersonalData[],
  precondition?: AccountPrecondition,
): Promise<void> {
  const erase = async (tx: Tx) => {
    if (precondition) {
      const stored = await queries.lockUser(tx, userId);
      if (!stored) throw noAccount();
      precondition(stored);
    }
    for (const holder of holders) await holder.erase(tx, userId);
    const user = await queries.lockUserForErasure(tx, userId);
    for (const holder of holders) await holder.eraseLate?.(tx, userId);
    await queries.deleteUser(tx, userId);
    await pictureChanged(tx, { from: user?.avatar_url, to: null });
  };
  await retryOn(isLostRace, () => transaction(ctx.db, erase));
  await ctx.afterCommit(async () => {
    for (const holder of holders) await holder.onErased?.();
  });
}

/** After a deadlock, and if another account was erased meanwhile that was to take something over. */
const isLostRace = (error: unknown): boolean => isDeadlock(error) || isMissingUser(error);
