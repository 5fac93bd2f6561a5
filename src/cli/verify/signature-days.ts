import type { Db, Pool } from '../../platform/db.ts';
import type { LogPosition } from '../../platform/events.ts';
import type { DatabaseCheck } from './check.ts';
import { isEventIn, logPages, type LogRange } from './pages.ts';
import { followerPositions, inSnapshot } from './snapshot.ts';

/** Signatures per day match the events that their follower has seen. */
export const signatureDays: DatabaseCheck = {
  name: 'signature-days',
  subject: 'days',

  async *run({ db, keptSince }) {
    const [days, seen] = await inSnapshot(db, async (tx) => [
      await storedDays(tx, keptSince),
      (await followerPositions(tx)).get('signature-days'),
    ]);
    if (!seen || days.length === 0) return;
    const eventCounts = await countEvents(db, seen);
    const wrong = days
      .map(({ day, given }) => ({ day, given, events: eventCounts.get(day) ?? 0 }))
      .filter(({ given, events }) => given !== events)
      .map(({ day, given, events }) => `day ${day}: has ${given}, events ${events}`);
    yield { checked: days.length, wrong };
  },
};

/** Counts the events of signatures up to a position by day. */
async function countEvents(db: Pool, to: LogPosition): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for await (const page of logPages(db, to)) {
    for (const { day, given } of await signaturesByDay(db, page)) {
      counts.set(day, (counts.get(day) ?? 0) + given);
    }
  }
  return counts;
}

interface DayCount {
  day: string;
  given: number;
}

/** Counts events of signatures in the range by day in UTC. */
async function signaturesByDay(db: Db, page: LogRange): Promise<DayCount[]> {
  return db<DayCount[]>`
    select (e.created_at at time zone 'UTC')::date::text as day, count(*)::integer as given
    from events e
    where ${isEventIn(db, page)} and e.type = 'signature.created'
    group by 1`;
}

/** Reads the stored sums of days without the first one, in which the follower may have started. */
async function storedDays(db: Db, from: Date): Promise<DayCount[]> {
  return db<DayCount[]>`
    select day::text, given from signature_days
    where day > (${from}::timestamptz at time zone 'UTC')::date
      and day > (select min(day) from signature_days)`;
}
