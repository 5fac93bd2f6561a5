import type { Pool } from '../../platform/db.ts';
import { isAfter } from '../../platform/events.ts';
import type { Progress } from '../command.ts';
import type { Check } from './check.ts';
import * as queries from './fan-out-queries.ts';
import { partsOf, rangeOf, signaturesOf } from './keys.ts';
import type { LogFacts } from './log.ts';
import type { SignersEvent } from './log-queries.ts';
import { endOfSignatures } from './signature-queries.ts';
import { inSnapshot, followerPositions } from './snapshot.ts';

interface Options {
  db: Pool;
  facts: LogFacts;
  petitionId: string | null;
  check: Check;
  progress: Progress;
}

/** Checks that each finished fan-out has notified all signers of the petition. */
export async function checkFanOuts(options: Options): Promise<void> {
  const { db, facts, petitionId, check } = options;
  const followerPosition = (await inSnapshot(db, followerPositions)).get('notifications');
  if (!followerPosition) return;
  // Events before the first notice may be older than the follower.
  let hasNotice = false;
  for (const event of facts.signerEvents) {
    if (isAfter(event, followerPosition)) return;
    const state = await inSnapshot(db, (tx) => queries.noticeOf(tx, event));
    if (!state) continue;
    hasNotice ||= state.notice_id !== null;
    if (petitionId !== null && event.petition_id !== petitionId) continue;
    if (state.is_obsolete || state.in_progress || !hasNotice) continue;
    if (state.notice_id === null) {
      check.addWrong(`event ${event.id} of petition ${event.petition_id} has no notice`);
    } else {
      const exceptIds = [state.creator_id, event.actor_id].filter((id) => id !== null);
      await checkSigners(options, event, { id: state.notice_id, exceptIds });
    }
  }
}

async function checkSigners(
  { db, check, progress }: Options,
  event: SignersEvent,
  notice: { id: string; exceptIds: string[] },
): Promise<void> {
  const range = signaturesOf(rangeOf(event.petition_id));
  const parts = partsOf(range, (part) => inSnapshot(db, (tx) => endOfSignatures(tx, part)));
  for await (const part of parts) {
    const { looked_at, missed, examples } = await inSnapshot(db, (tx) =>
      queries.countMissedSigners(tx, part, event, notice),
    );
    check.addChecked(looked_at);
    check.addManyWrong(
      missed,
      (examples ?? []).map(
        (id) => `signer of signature ${id} was not notified of event ${event.id}`,
      ),
    );
    progress.show(`${check.lookedAt} notifications`);
  }
}
