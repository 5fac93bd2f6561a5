import { createHash } from 'node:crypto';
import { findUser, isProven, requireProven } from '../../identity/accounts/accounts.ts';
import type { Context } from '../../platform/context.ts';
import type { Caller } from '../../platform/http/route.ts';
import { networkOf, type Quota } from '../../platform/limits.ts';
import { addMailJob } from '../../platform/mail-queue.ts';
import { mailboxKey, takeMailToStranger } from '../../platform/mail-suppressions.ts';
import { sendUnlessFinal } from '../../platform/mail.ts';
import { conflict } from '../../platform/problems.ts';
import { isPublished } from '../petitions/policy.ts';
import { findPublishedPetition, requireReadablePetition } from '../petitions/read.ts';
import { organizerMail } from './mail.ts';

export { organizerMail } from './mail.ts';

/** Of the job that sends a message. Nothing else stores it. */
export const jobName = 'contact-organizer';

const daySeconds = 86_400;
const senderQuota: Quota = { name: 'organizer-contact', points: 5, durationSeconds: daySeconds };
const networkQuota: Quota = {
  name: 'organizer-contact-network',
  points: 20,
  durationSeconds: daySeconds,
};

interface Message {
  /** Slug or id of the petition. */
  ref: string;
  code?: string | undefined;
  message: string;
}

/**
 * Mails a message to the organizer of a petition. It is stored in the job alone; the same message, sent again while the first
 * waits, is one job.
 * @throws {Problem} as `requireReadablePetition`; conflict where there is no organizer with a proven
 *   address, or it is the caller; forbidden if the caller's address is not proven; rate-limited
 */
export async function contactOrganizer(
  ctx: Context,
  caller: Caller,
  { ref, code, message }: Message,
): Promise<void> {
  const petition = await requireReadablePetition(ctx, caller, ref, code);
  const organizer = petition.creator_id && (await findUser(ctx.db, petition.creator_id));
  if (!organizer || !isProven(organizer) || !isPublished(petition)) {
    throw conflict('no_organizer', 'The petition has no organizer.');
  }
  if (organizer.id === caller.userId) {
    throw conflict('own_petition', 'You organize this petition yourself.');
  }
  await requireProven(ctx.db, caller.userId, 'contact_organizer');
  await checkLimits(ctx, caller, mailboxKey(ctx.keys, organizer.email));
  const payload = {
    petition_id: petition.id,
    user_id: caller.userId,
    organizer_id: organizer.id,
    message,
  };
  const key = createHash('sha256').update(JSON.stringify(payload)).digest('hex');
  await addMailJob(ctx.db, jobName, payload, { key });
}

/** Limits mails to those who have not asked for them: by sender, mailbox and network, and in all. */
async function checkLimits(ctx: Context, caller: Caller, mailbox: string): Promise<void> {
  await ctx.limits.take(senderQuota, caller.userId, 'You have written enough for a day.');
  if (ctx.callerIp !== undefined) {
    const message = 'Enough was written from your network for a day.';
    const quota = ctx.sharedNetworks.raiseQuota(networkQuota, ctx.callerIp);
    await ctx.limits.take(quota, networkOf(ctx.callerIp), message);
  }
  await takeMailToStranger(ctx, mailbox, 'The organizer got enough mail for a day.');
}

/** A stored message. */
export interface ContactJob {
  petition_id: string;
  user_id: string;
  /** To whom it was written; absent from jobs of earlier versions. */
  organizer_id?: string;
  message: string;
}

/** Sends the mail, unless sender, organizer or petition are gone by then, or the petition is another's. */
export async function sendContact(ctx: Context, job: ContactJob): Promise<void> {
  const petition = await findPublishedPetition(ctx, job.petition_id);
  const organizer = petition?.creator && (await findUser(ctx.db, petition.creator.id));
  const sender = await findUser(ctx.db, job.user_id);
  if (!petition || !organizer || !isProven(organizer)) return;
  if (!sender || !isProven(sender) || sender.suspended_at) return;
  if (job.organizer_id !== undefined && job.organizer_id !== organizer.id) return;
  const mail = organizerMail(ctx, {
    to: organizer,
    sender: { name: sender.display_name, email: sender.email },
    petition,
    message: job.message,
  });
  await sendUnlessFinal(ctx, mail);
}
