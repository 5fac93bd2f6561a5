import type { Db, Query } from '../../platform/db.ts';
import type { KeyRange, SignatureKey } from './keys.ts';

/** Signatures that one statement reads. */
const pageSize = 50_000;

/** Whether row `s` of signatures is in the range, by its primary key. */
export const inRange = (db: Db, { after, to }: KeyRange<SignatureKey>) => db`
  ((s.petition_id, s.id) > (${after.petitionId}::uuid, ${after.id}::uuid)
    and (s.petition_id, s.id) <= (${to.petitionId}::uuid, ${to.id}::uuid))`;

/** Returns the last key of a full page of the range; undefined if less than a page is left. */
export async function endOfSignatures(
  db: Db,
  range: KeyRange<SignatureKey>,
): Promise<SignatureKey | undefined> {
  return db.first<SignatureKey>`
    select s.petition_id as "petitionId", s.id from signatures s
    where ${inRange(db, range)}
    order by s.petition_id, s.id
    offset ${pageSize - 1} limit 1`;
}

/** The time since which a petition's signatures must have events, if it is later than for other petitions. */
export interface Floor {
  petition_id: string;
  since: Date;
}

/** The time since which signatures of the petition must have events. */
export const floorOf = (db: Db, petitionId: Query, floors: Floor[], since: Date) => db`
  coalesce((
    select floor.since
    from jsonb_to_recordset(${db.json(floors)}) as floor (petition_id uuid, since timestamptz)
    where floor.petition_id = ${petitionId}
  ), ${since}::timestamptz)`;

export interface SignatureCounts {
  petition_id: string;
  valid: number;
  invalid: number;
  /** Number of signatures that must have an event, and a sum of hashes of their ids. */
  expected_events: number;
  expected_hash: string;
}

/** Counts the signatures in the range by petition. */
export async function countSignatures(
  db: Db,
  range: KeyRange<SignatureKey>,
  floors: Floor[],
  since: Date,
): Promise<SignatureCounts[]> {
  return db<SignatureCounts[]>`
    select s.petition_id, count(*) filter (where s.state = 'counted')::integer as valid,
      count(*) filter (where s.state = 'invalid')::integer as invalid,
      count(*) filter (where has_event)::integer as expected_events,
      coalesce(sum(uuid_hash_extended(s.id, 0)) filter (where has_event), 0)::text as expected_hash
    from signatures s
    join (
      select petition_id, ${floorOf(db, db`known.petition_id`, floors, since)} as since
      from (select distinct s.petition_id from signatures s where ${inRange(db, range)}) known
    ) floor using (petition_id)
    -- Held and rejected signatures never counted.
    cross join lateral (select s.created_at >= floor.since
      and (s.state = 'counted' or s.invalidated_by is not null) as has_event) event
    where ${inRange(db, range)}
    group by s.petition_id`;
}

/**
 * Finds signatures of a petition since a time without an event, except those that were invalid from the start, whose
 * rule is older. Undecided are valid signatures that may have been invalid from the start: given while a rule was in
 * force, on a petition with a withdrawn invalid signature. Reads all signatures of the petition.
 */
export async function signaturesWithoutEvent(
  db: Db,
  petitionId: string,
  since: Date,
): Promise<{ wrong: string[]; undecided: number }> {
  const rows = await db<{ id: string; undecided: boolean }[]>`
    select s.id, p.has_withdrawn_invalid and exists (
      select from invalidations i
      where i.petition_id = s.petition_id and i.created_at <= s.created_at
        and (i.undone_at is null or i.undone_at >= s.created_at)) as undecided
    from signatures s left join petitions p on p.id = s.petition_id
    where s.petition_id = ${petitionId} and s.created_at >= ${since}
      and (s.state = 'counted' or s.invalidated_by is not null) and not exists (
      select from invalidations i where i.number = s.invalidated_by and i.created_at < s.created_at
    ) and not exists (
      select from events e
      where e.petition_id = ${petitionId} and e.type <> 'comment.created'
        and e.type = 'signature.created' and (e.data ->> 'signature_id')::uuid = s.id)`;
  const wrong = rows.filter(({ undecided }) => !undecided).map(({ id }) => id);
  return { wrong, undecided: rows.length - wrong.length };
}

/** Finds signatures with several events. Reads the petition's log. */
export async function signaturesWithSeveralEvents(db: Db, petitionId: string): Promise<string[]> {
  return db.column<string>`
    select data ->> 'signature_id' as id from events
    where petition_id = ${petitionId} and type <> 'comment.created' and type = 'signature.created'
    group by 1
    having count(*) > 1`;
}
