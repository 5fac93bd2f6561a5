import type { Context } from '../../platform/context.ts';
import type { Db } from '../../platform/db.ts';
import { addJob } from '../../platform/jobs.ts';
import { isRefusedForGood } from '../../platform/mail.ts';
import * as queries from './queries.ts';
import type { SignerToNotify } from './queries.ts';

/** Mails that are sent together, and of which some may go out twice where the process is killed. */
const togetherCount = 20;
/** Mails of one job; the next one sends more. */
const turnCount = 500;
/** A rule that turns out to be wrong within this time is undone before anybody was told. */
const delayMilliseconds = 3_600_000;

/** Lets the signers be told, in a while. */
export const scheduleNotifying = (db: Db, id: string): Promise<void> =>
  addTelling(db, id, new Date(Date.now() + delayMilliseconds));

const addTelling = (db: Db, id: string, runAt: Date) =>
  addJob(db, 'tell-invalidated', { id }, { key: `tell-invalidated:${id}`, runAt });

/**
 * Tells those whose signatures a rule has invalidated, one mail each, while the rule stands. Only
 * addresses that are verified: others may be of people who have never heard of the service.
 */
export async function notifyInvalidated(ctx: Context, id: string): Promise<void> {
  for (let sent = 0; sent < turnCount; sent += togetherCount) {
    const rule = await queries.findInvalidation(ctx.db, id);
    if (rule?.state !== 'applied') return;
    const signers = await queries.signersToNotify(ctx.db, rule, togetherCount);
    const last = signers.at(-1);
    if (!last) return;
    const results = await Promise.allSettled(signers.map((signer) => tell(ctx, signer)));
    const failures = results.filter((result) => result.status === 'rejected');
    const passing = failures.find(({ reason }) => !isRefusedForGood(reason));
    // Addresses that take no mail must not keep the others from theirs; a server that is away may come back.
    if (passing && failures.length === results.length) throw passing.reason;
    if (failures.length > 0) {
      ctx.log.warn({ err: failures[0]!.reason, mails: failures.length }, 'some were not told');
    }
    await queries.markNotified(ctx.db, id, last.signature_id);
  }
  await addTelling(ctx.db, id, new Date());
}

const tell = (ctx: Context, { email, title, signature_id }: SignerToNotify): Promise<void> =>
  ctx.mail.send({
    to: email,
    subject: 'Your signature is not counted',
    text: `A signature was given with your account on this petition:

${title}

A moderator looked into how this petition was signed, and found signs that a number of signatures, yours
among them, were not given honestly. It is therefore not counted and not shown. Nothing else about your
account has changed.

If you did sign yourself, please write to the moderators of ${new URL(ctx.config.baseUrl).host}, and name
your signature by this number:

${signature_id}
`,
  });
