import type { Context } from '../../platform/context.ts';
import { isFinal } from '../../platform/mail-errors.ts';
import { mailboxHash } from '../../platform/mail-suppressions.ts';
import { findPublishedPetition } from '../petitions/read.ts';
import { composeDeliveryMail } from './mail.ts';
import * as queries from './queries.ts';

/** A mail fails if it could not be sent for this time. */
const retryPeriodMs = 48 * 3_600_000;

/**
 * Sends the mail of a delivery and stores the result. Throws on temporary errors, so that the job is
 * retried. A mail that is sent twice, because the process died before it stored the result, has the same
 * link.
 */
export async function sendDelivery(ctx: Context, linkId: string): Promise<void> {
  const delivery = await queries.findPendingDelivery(ctx.db, linkId);
  if (!delivery) return;
  const petition = await findPublishedPetition(ctx, delivery.petition_id);
  const { email } = delivery;
  if (!petition || email === null) return queries.finishDelivery(ctx.db, linkId, 'failed');
  await queries.storeMailbox(ctx.db, linkId, mailboxHash(ctx.keys, email));
  try {
    await ctx.mail.send(await composeDeliveryMail(ctx, { ...delivery, email }, petition));
  } catch (error) {
    const age = ctx.now().getTime() - delivery.created_at.getTime();
    if (!isFinal(error) && age < retryPeriodMs) throw error;
    return queries.finishDelivery(ctx.db, linkId, 'failed');
  }
  await queries.finishDelivery(ctx.db, linkId, 'sent');
}
