import { recordAdminAction } from '../../platform/audit.ts';
import { recordDecision } from '../../platform/decisions.ts';
import type { Context } from '../../platform/context.ts';
import { pageById, type Page, type CreatedPageQuery } from '../../platform/cursor.ts';
import { retryOnDeadlock, transaction, type Tx } from '../../platform/db.ts';
import type { Caller } from '../../platform/http/route.ts';
import { addMailJob } from '../../platform/mail-queue.ts';
import { sendUnlessFinal } from '../../platform/mail.ts';
import { conflict, notFound } from '../../platform/problems.ts';
import { evictPetitions } from '../petitions/cache.ts';
import { requireReadablePetition } from '../petitions/read.ts';
import * as held from './held-queries.ts';
import { findSignature } from './queries.ts';
import { notCountedMail } from './mail-texts.ts';
import type { HeldSignature, SignatureDecision } from './schema.ts';

/** Returns a page of the held signatures of a petition, newest first, for moderators. */
export async function listHeldSignatures(
  ctx: Context,
  caller: Caller,
  ref: string,
  query: CreatedPageQuery,
): Promise<Page<HeldSignature>> {
  const { id } = await requireReadablePetition(ctx, caller, ref, undefined);
  return pageById(
    'held-signatures',
    query,
    (before, count) => held.listHeld(ctx.db, id, before, count),
    (row) => row,
  );
}

const decisions = {
  counted: { action: 'signature.release', decide: held.releaseSignature },
  invalid: { action: 'signature.reject', decide: held.rejectSignature },
};

interface Decision {
  id: string;
  /** What it becomes. */
  state: keyof typeof decisions;
  reason: string | undefined;
}

/**
 * Counts a held signature, or makes it invalid. Its signer gets a mail if it is invalid.
 * @throws {Problem} not-found; conflict if it is not held, or was decided meanwhile
 */
export async function decideHeldSignature(
  ctx: Context,
  caller: Caller,
  { id, state, reason }: Decision,
): Promise<SignatureDecision> {
  const { action, decide } = decisions[state];
  const signature = await findSignature(ctx.db, id);
  if (!signature) throw notFound('signature');
  const decided = await retryOnDeadlock(() =>
    transaction(ctx.db, async (tx: Tx) => {
      const row = await decide(tx, id);
      if (!row) throw conflict('invalid_state', 'This signature is not held.');
      await recordAdminAction(tx, {
        actorId: caller.userId,
        action,
        targetType: 'signature',
        targetId: id,
        details: { petition_id: row.petition_id },
        reason: reason === undefined ? undefined : { text: reason, about: row.user_id },
      });
      if (state === 'invalid') {
        await addMailJob(tx, 'notify-rejected', { id });
        await recordDecision(tx, {
          act: 'reject_signature',
          target: { type: 'signature', id },
          petitionId: row.petition_id,
          userId: row.user_id,
          moderatorId: caller.userId,
          reason,
        });
      }
      return row;
    }),
  );
  evictPetitions(ctx, [decided.petition_id]);
  const { petition_id, signature_count } = decided;
  return { id, petition_id, state, signature_count };
}

/** Mails the signer of a rejected signature, if their address is verified. */
export async function notifyRejected(ctx: Context, id: string): Promise<void> {
  const signer = await held.findRejectedSigner(ctx.db, id);
  if (!signer) return;
  const { host } = new URL(ctx.config.baseUrl);
  await sendUnlessFinal(ctx, notCountedMail({ why: 'rejected', signatureId: id, host, ...signer }));
}
