import { randomInt } from 'node:crypto';
import type { Context } from '../../platform/context.ts';
import { transaction } from '../../platform/db.ts';
import type { Caller } from '../../platform/http/route.ts';
import { addJob } from '../../platform/jobs.ts';
import { invalidValue } from '../../platform/problems.ts';
import * as queries from './queries.ts';
import { mailQuota, textQuota } from './quotas.ts';

/**
 * Sends a text message with a code that is valid for 10 minutes.
 * @throws {Problem} rate-limited
 */
export async function requestPhoneCode(ctx: Context, caller: Caller, phone: string): Promise<void> {
  await ctx.limits.take(mailQuota, `phone:${caller.userId}`);
  const number = ctx.keys.hash('phone-number', phone).toString('base64url');
  await ctx.limits.take(textQuota, number, 'Too many texts to this number.');
  await transaction(ctx.db, async (tx) => {
    await queries.startPhoneVerification(tx, caller.userId, phone);
    await addJob(tx, 'send-phone-code', { user_id: caller.userId });
  });
}

export async function sendPhoneCode(ctx: Context, userId: string): Promise<void> {
  const code = String(randomInt(1_000_000)).padStart(6, '0');
  const phone = await queries.setPhoneCode(
    ctx.db,
    userId,
    ctx.keys.hash('phone-code', userId, code),
  );
  if (phone) await ctx.sms.send({ to: phone, text: `Your confirmation code is ${code}.` });
}

/** @throws {Problem} validation-failed for a wrong or expired code, and for any after five attempts */
export async function verifyPhone(ctx: Context, caller: Caller, code: string): Promise<void> {
  const codeHash = ctx.keys.hash('phone-code', caller.userId, code);
  // Counted outside the request's transaction, which a failure rolls back.
  await queries.countPhoneAttempt(ctx.pools.main, caller.userId);
  if (await queries.confirmPhone(ctx.db, caller.userId, codeHash)) return;
  throw invalidValue('code', 'This code is wrong or too old. Ask for a new one after five tries.');
}
