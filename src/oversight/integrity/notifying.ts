import { notCountedMail } from '../../campaigns/signatures/signatures.ts';
import type { Context } from '../../platform/context.ts';
import { transaction, type Db, type Tx } from '../../platform/db.ts';
import { recordDecision } from '../../platform/decisions.ts';
import { isFinal } from '../../platform/mail-errors.ts';
import { addMailJob } from '../../platform/mail-queue.ts';
import * as queries from './queries.ts';
import type { InvalidationRow, SignerToNotify } from './queries.ts';

/** Mails that are sent at once. If the process is killed, some of a batch are sent twice. */
const batchSize = 20;
/** After this number a new job continues. */
const maxMailsPerJob = 500;
/** A wrong rule can be undone within this time before any mail is sent. */
const delayMs = 3_600_000;

/** Adds a job that notifies the signers after the delay. */
export const scheduleNotifying = (db: Db, id: string): Promise<void> =>
  addNotifyJob(db, id, new Date(Date.now() + delayMs));

const addNotifyJob = (db: Db, id: string, runAt: Date) =>
  addMailJob(db, 'tell-invalidated', { id }, { key: `tell-invalidated:${id}`, runAt });

/**
 * Sends one mail to each signer whose signature a rule has invalidated, while the rule is applied, and records the
 * decision about it. Sends none to unverified addresses, which may belong to people who do not know the service.
 */
export async function notifyInvalidated(ctx: Context, id: string): Promise<void> {
  for (let sent = 0; sent < maxMailsPerJob; sent += batchSize) {
    const rule = await queries.findInvalidation(ctx.db, id);
    if (rule?.state !== 'applied') return;
    const signers = await queries.findSignersToNotify(ctx.db, rule, batchSize);
    const last = signers.at(-1);
    if (!last) return;
    const mailable = signers.filter((signer) => signer.is_mailable);
    const results = await Promise.allSettled(mailable.map((signer) => sendMail(ctx, signer)));
    const failures = results.filter((result) => result.status === 'rejected');
    const temporary = failures.find(({ reason }) => !isFinal(reason));
    // Rejected addresses must not block the others. If the server is down, all mails fail: retries the job.
    if (temporary && failures.length === results.length) throw temporary.reason;
    if (failures.length > 0) {
      const fields = { err: failures[0]!.reason, mails: failures.length };
      ctx.log.warn(fields, 'could not notify some signers');
    }
    await transaction(ctx.db, async (tx) => {
      await recordDecisions(tx, rule, signers);
      await queries.markNotified(tx, id, last.signature_id);
    });
  }
  await addNotifyJob(ctx.db, id, new Date());
}

/** The reason of a rule is not told: it says how abuse is found. */
async function recordDecisions(
  tx: Tx,
  { petition_id: petitionId, created_by: moderatorId }: InvalidationRow,
  signers: SignerToNotify[],
): Promise<void> {
  for (const { signature_id: id, user_id: userId } of signers) {
    await recordDecision(tx, {
      act: 'invalidate_signature',
      target: { type: 'signature', id },
      petitionId,
      userId,
      moderatorId,
    });
  }
}

const sendMail = (
  ctx: Context,
  { signature_id, email, language, title, title_language }: SignerToNotify,
): Promise<string> =>
  ctx.mail.send(
    notCountedMail({
      why: 'invalidated',
      signatureId: signature_id,
      host: new URL(ctx.config.baseUrl).host,
      email,
      language,
      title,
      title_language,
    }),
  );
