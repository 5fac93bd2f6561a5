import type { Context } from '../../platform/context.ts';
import { transaction } from '../../platform/db.ts';
import type { Caller } from '../../platform/http/route.ts';
import { forbidden } from '../../platform/problems.ts';
import type { PersonalData } from '../../platform/slice.ts';
import { ownAccount } from './own-account.ts';
import { verifyPassword } from './passwords.ts';
import * as queries from './queries.ts';

/**
 * All that the service holds about the caller as a JSON object, one member for each slice that holds something:
 * piece by piece, since some hold much. What is nested is indented by so many spaces.
 * @throws {Problem} rate-limited
 */
export async function exportPersonalData(
  ctx: Context,
  caller: Caller,
  holders: PersonalData[],
  indent = 0,
): Promise<AsyncIterable<string>> {
  await ctx.limits.take('personal-data', caller.userId, 'Too many exports.');
  const { password_hash: _, ...account } = await ownAccount(ctx, caller);
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
 * Erases the account: every slice removes or anonymises what it holds, then the user goes.
 * @throws {Problem} forbidden where the password is wrong
 */
export async function eraseAccount(
  ctx: Context,
  caller: Caller,
  password: string,
  holders: PersonalData[],
): Promise<void> {
  const user = await ownAccount(ctx, caller);
  await ctx.limits.check('login-account', user.id, 'Too many wrong passwords.');
  if (!(await verifyPassword(password, user.password_hash))) {
    await ctx.limits.count('login-account', user.id);
    throw forbidden('The password is wrong.', 'wrong_password');
  }
  // Of guesses that are sent all at once, none passes after the fifth that failed.
  await ctx.limits.check('login-account', user.id, 'Too many wrong passwords.');
  await transaction(ctx.db, async (tx) => {
    for (const holder of holders) await holder.erase(tx, user.id);
    await queries.deleteUser(tx, user.id);
  });
  await ctx.afterCommit(async () => {
    for (const holder of holders) await holder.erased?.();
  });
}
