import type { Db } from '../../platform/db.ts';
import type { DatabaseCheck } from './check.ts';
import { inSnapshot } from './snapshot.ts';

/**
 * Positions are unique, and no follower is beyond the positions that this server has assigned. Of transactions beyond its own,
 * `requireOwnLog` has said so before.
 */
export const eventLog: DatabaseCheck = {
  name: 'event-log',
  subject: 'events',

  async *run({ db, log }) {
    yield {
      checked: log.eventCount,
      wrong: log.repeatedPositions.map((position) => `position ${position} has two events`),
    };
    const ahead = await inSnapshot(db, (tx) => followersAhead(tx, log.maxPosition));
    yield { checked: 0, wrong: ahead.map((name) => `follower ${name} stands beyond the log`) };
  },
};

/** Finds the followers that would skip the next events, since their position is after all events of this server. */
const followersAhead = (db: Db, maxPosition: bigint): Promise<string[]> =>
  db.column<string>`
    select name from event_followers
    where position > greatest(${String(maxPosition)}::bigint,
      pg_sequence_last_value(pg_get_serial_sequence('events', 'position')::regclass))`;
