import type { Context } from '../../platform/context.ts';
import { transaction, type Tx } from '../../platform/db.ts';
import { sendOrLogRejection } from '../../platform/mail.ts';
import { gone } from '../../platform/problems.ts';
import {
  createOneTimeToken,
  deleteOneTimeTokens,
  findUser,
  mailQuota,
  redeemOneTimeToken,
  requireUncommonPassword,
  setPassword,
  verifyAddress,
} from '../accounts/accounts.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { addResetJob } from './queries.ts';

/** Sends a mail to the address if it has an account. Does not reveal whether it has one. */
export async function requestReset(ctx: Context, email: string): Promise<void> {
  const key = ctx.keys.hash('login', email.toLowerCase()).toString('base64url');
  const isWithinLimit = await ctx.limits.tryTake(mailQuota, `reset:${key}`);
  if (isWithinLimit) await addResetJob(ctx.db, email);
}

export async function sendResetMail(ctx: Context, userId: string | null): Promise<void> {
  const user = userId && (await findUser(ctx.db, userId));
  if (!user) return;
  const token = await createOneTimeToken(ctx, 'reset-password', user.id);
  await sendOrLogRejection(ctx, {
    to: user.email,
    subject: 'Set a new password',
    text: `Somebody, hopefully you, asked to set a new password for this account.

To do so, open this link within an hour:

${ctx.config.baseUrl}/reset-password?token=${token}

If it was not you, ignore this email: nothing has changed.
`,
  });
}

/** Resets passwords by the token from a mail. */
export class Recovery {
  #sessions: Sessions;
  #endAccess: (userId: string, tx: Tx) => Promise<void>;

  /** `endAccess` ends every session, API key, OAuth grant and webhook of a user. */
  constructor(sessions: Sessions, endAccess: (userId: string, tx: Tx) => Promise<void>) {
    this.#sessions = sessions;
    this.#endAccess = endAccess;
  }

  /**
   * Sets a new password and ends every session of the user. If the address was not verified before, someone
   * else may have created the account: then all other access ends too.
   * @throws {Problem} gone if the token is unknown, used or expired; validation-failed if the password is too common
   */
  async resetPassword(ctx: Context, token: string, password: string): Promise<void> {
    await transaction(ctx.db, async (tx) => {
      const userId = await redeemOneTimeToken(ctx, tx, 'reset-password', token);
      if (!userId) throw gone('This link was used already, or is too old. Ask for a new one.');
      requireUncommonPassword(password, (await findUser(tx, userId))!);
      await setPassword({ ...ctx, db: tx }, userId, password);
      await deleteOneTimeTokens(tx, 'reset-password', userId);
      if (await verifyAddress(tx, userId)) await this.#endAccess(userId, tx);
      else await this.#sessions.endAllSessions(tx, userId);
    });
    await ctx.afterCommit(() => this.#sessions.revocations.refresh());
  }
}
