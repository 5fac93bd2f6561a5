import type { Context } from '../../platform/context.ts';
import { isRefusedForGood } from '../../platform/mail.ts';
import { petitionForGuest } from '../petitions/petitions.ts';
import { deliveryMail } from './mail.ts';
import * as queries from './queries.ts';

/** A mail that could not be sent for this long is given up, in milliseconds. */
const givenUpAfter = 12 * 3_600_000;

/**
 * Sends the mail of a delivery, and notes what came of it. What the mail server may take later is left
 * to be tried again; a mail that was taken twice, since this process died in between, has the same link
 * both times.
 */
export async function sendDelivery(ctx: Context, linkId: string): Promise<void> {
  const delivery = await queries.findPending(ctx.db, linkId);
  if (!delivery) return;
  const petition = await petitionForGuest(ctx, delivery.petition_id);
  const { email } = delivery;
  if (!petition || email === null) return queries.endPending(ctx.db, linkId, 'failed');
  try {
    await ctx.mail.send(await deliveryMail(ctx, { ...delivery, email }, petition));
  } catch (error) {
    const age = ctx.now().getTime() - delivery.created_at.getTime();
    if (!isRefusedForGood(error) && age < givenUpAfter) throw error;
    ctx.log.warn({ err: error, link: linkId }, 'a petition could not be delivered');
    return queries.endPending(ctx.db, linkId, 'failed');
  }
  await queries.endPending(ctx.db, linkId, 'sent');
}
