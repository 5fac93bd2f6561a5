import type { Context } from '../../platform/context.ts';
import { transaction } from '../../platform/db.ts';
import { isFinal } from '../../platform/mail-errors.ts';
import { addMailJob } from '../../platform/mail-queue.ts';
import { mailboxKey, stopToken, strangersMailQuota } from '../../platform/mail-suppressions.ts';
import { mailPicture } from '../media/media.ts';
import { findPublishedPetition } from '../petitions/read.ts';
import { reminderMail } from './mail-texts.ts';
import * as queries from './queries.ts';
import { codeOf, linkToken } from './secrets.ts';

/** Signatures that one transaction takes. */
const batchSize = 200;

/**
 * Stores a job for each signature that was not confirmed within a day, and lets its link work for another day. Only the
 * newest form of an address on a petition counts.
 */
export async function remindUnconfirmed(ctx: Context): Promise<void> {
  for (let taken = batchSize; taken === batchSize;) {
    taken = await transaction(ctx.db, async (tx) => {
      const ids = await queries.takeUnconfirmed(tx, batchSize);
      const wanted = await queries.remindNewest(tx, ids);
      for (const id of wanted) await addMailJob(tx, 'send-signing-reminder', { id });
      return ids.length;
    });
  }
}

/**
 * Mails the reminder of a signature, once: if the process dies while the mail server has it, it is not sent again. Nothing
 * is sent if the signature was confirmed meanwhile, or the petition takes none.
 */
export async function sendSigningReminder(ctx: Context, id: string): Promise<void> {
  const pending = await queries.findPending(ctx.db, id);
  if (!pending || pending.signature_id) return;
  const petition = await findPublishedPetition(ctx, pending.petition_id);
  if (petition?.status !== 'active') return;
  const { baseUrl } = ctx.config;
  const mailbox = mailboxKey(ctx.keys, pending.email);
  if (!(await queries.startReminder(ctx.db, id))) return;
  if (!(await ctx.limits.tryTake(strangersMailQuota, mailbox))) return;
  const takenAt = performance.now();
  try {
    await ctx.mail.send({
      ...reminderMail(pending, {
        title: petition.title,
        titleLanguage: petition.language,
        link: `${baseUrl}/p/${petition.slug}/confirm?token=${linkToken(ctx, id)}`,
        code: codeOf(ctx, id),
        stopLink: `${baseUrl}/mail/stop/${stopToken(ctx.keys, pending.email)}`,
      }),
      picture: await mailPicture(ctx, petition.image_url, petition.image_alt),
    });
  } catch (error) {
    if (isFinal(error)) return;
    await queries.retryReminder(ctx.db, id);
    await ctx.limits.giveBack(strangersMailQuota, mailbox, takenAt);
    throw error;
  }
}
