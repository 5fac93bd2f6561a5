import type { Pool } from '../../platform/db.ts';
import { isAfter } from '../../platform/events.ts';
import type { Progress } from '../command.ts';
import type { Check } from './check.ts';
import * as queries from './fan-out-queries.ts';
import { partsOf, rangeOf, signaturesOf } from './keys.ts';
import type { LogFacts } from './log.ts';
import type { SignersEvent } from './log-queries.ts';
import { endOfSignatures } from './signature-queries.ts';
import { atOneMoment, placesOfFollowers } from './snapshot.ts';

interface Options {
  db: Pool;
  facts: LogFacts;
  petitionId: string | null;
  check: Check;
  progress: Progress;
}

/** Of what happened to petitions, their signers were told, each of them, once telling them has ended. */
export async function checkFanOuts(options: Options): Promise<void> {
  const { db, facts, petitionId, check } = options;
  const place = (await atOneMoment(db, placesOfFollowers)).get('notifications');
  if (!place) return;
  // What was told before the first that is known to have been followed may have been told before there was a follower.
  let followed = false;
  for (const event of facts.ofSigners) {
    if (isAfter(event, place)) return;
    const state = await atOneMoment(db, (tx) => queries.noticeOf(tx, event));
    if (!state) continue;
    followed ||= state.notice_id !== null;
    if (petitionId !== null && event.petition_id !== petitionId) continue;
    if (state.pointless || state.under_way || !followed) continue;
    if (state.notice_id === null) {
      check.found(`event ${event.id} of petition ${event.petition_id} has no notice`);
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
  const parts = partsOf(range, (part) => atOneMoment(db, (tx) => endOfSignatures(tx, part)));
  for await (const part of parts) {
    const { looked_at, missed, examples } = await atOneMoment(db, (tx) =>
      queries.missedSigners(tx, part, event, notice),
    );
    check.saw(looked_at);
    check.foundMany(
      missed,
      (examples ?? []).map((id) => `signer of signature ${id} was not told of event ${event.id}`),
    );
    progress.show(`${check.lookedAt} notifications`);
  }
}
