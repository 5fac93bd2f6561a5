import type { Context } from '../../platform/context.ts';
import { isPermanentRejection } from '../../platform/mail.ts';
import { findPublishedPetition } from '../petitions/read.ts';
import { composeDeliveryMail } from './mail.ts';
import * as queries from './queries.ts';

/** A mail fails if it could not be sent for this time. */
const retryPeriodMs = 12 * 3_600_000;

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
  try {
    await ctx.mail.send(await composeDeliveryMail(ctx, { ...delivery, email }, petition));
  } catch (error) {
    const age = ctx.now().getTime() - delivery.created_at.getTime();
    if (!isPermanentRejection(error) && age < retryPeriodMs) throw error;
    ctx.log.warn({ err: error, link: linkId }, 'could not deliver a petition');
    return queries.finishDelivery(ctx.db, linkId, 'failed');
  }
  await queries.finishDelivery(ctx.db, linkId, 'sent');
}
