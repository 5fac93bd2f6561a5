import type { Db, Query } from '../../platform/db.ts';
import { eventsSince, type Batch } from './batch.ts';
import type { PetitionCheck } from './check.ts';
import {
  isPetitionEventIn,
  isSignatureIn,
  type PetitionEventRange,
  type SignatureRange,
} from './pages.ts';

/**
 * Each signature whose event is kept has exactly one. Equal numbers and sums of hashes mean equal ids; only petitions
 * where they differ are read as a whole.
 */
export const signatureEvents: PetitionCheck = {
  name: 'signature-events',
  subject: 'signatures',

  async compare(tx, batch) {
    const difference = new Map(batch.petitions.map(({ id }) => [id, { count: 0, hash: 0n }]));
    const add = ({ petition_id, count, hash }: HashedIds, sign: 1 | -1) => {
      const sum = difference.getOrInsert(petition_id, { count: 0, hash: 0n });
      sum.count += sign * count;
      sum.hash += BigInt(sign) * BigInt(hash);
    };
    let checked = 0;
    for (const page of batch.signaturePages) {
      for (const ids of await signaturesToHaveEvents(tx, page, batch)) {
        checked += ids.count;
        add(ids, 1);
      }
    }
    for (const page of batch.eventPages) {
      for (const ids of await signaturesOfEvents(tx, page, batch)) add(ids, -1);
    }
    const wrong: string[] = [];
    const notes: string[] = [];
    for (const [id, { count, hash }] of difference) {
      if (count === 0 && hash === 0n) continue;
      let undecided = 0;
      for (const signature of await signaturesWithoutEvent(tx, id, eventsSince(batch, id))) {
        if (signature.undecided) undecided += 1;
        else wrong.push(`signature ${signature.id} of petition ${id} has no event`);
      }
      if (undecided > 0) {
        notes.push(
          `not decided for ${undecided} signatures of petition ${id}, which may have been invalid from the start`,
        );
      }
      for (const signatureId of await signaturesWithSeveralEvents(tx, id)) {
        wrong.push(`signature ${signatureId} of petition ${id} has several events`);
      }
    }
    return { checked, wrong, notes };
  },
};

/** Number of ids of signatures of a petition, and the sum of their hashes. */
interface HashedIds {
  petition_id: string;
  count: number;
  hash: string;
}

/** The columns `petition_id` and `since` of `eventsSince`, for petitions of these rows. */
const eventsSinceOf = (db: Db, rows: Query, { createdAt, keptSince }: Batch) => db`
  select known.petition_id, coalesce(created.since, ${keptSince}::timestamptz) as since
  from (select distinct petition_id from ${rows}) known
  left join jsonb_to_recordset(${db.json(
    [...createdAt].map(([petition_id, since]) => ({ petition_id, since })),
  )}) as created (petition_id uuid, since timestamptz) using (petition_id)`;

/** Reads the signatures in the range that must have an event, by petition. */
async function signaturesToHaveEvents(
  db: Db,
  page: SignatureRange,
  batch: Batch,
): Promise<HashedIds[]> {
  const rows = db`(select s.petition_id from signatures s where ${isSignatureIn(db, page)}) page`;
  // Held and rejected signatures never counted.
  return db<HashedIds[]>`
    select s.petition_id, count(*)::integer as count,
      sum(uuid_hash_extended(s.id, 0))::text as hash
    from signatures s
    join (${eventsSinceOf(db, rows, batch)}) kept using (petition_id)
    where ${isSignatureIn(db, page)} and s.created_at >= kept.since
      and (s.state = 'counted' or s.invalidated_by is not null)
    group by s.petition_id`;
}

/** Reads the signatures that still exist of the events in the range, by petition. */
async function signaturesOfEvents(
  db: Db,
  page: PetitionEventRange,
  batch: Batch,
): Promise<HashedIds[]> {
  return db<HashedIds[]>`
    with event as materialized (
      select e.petition_id, s.id, s.created_at
      from events e
      join signatures s
        on s.petition_id = e.petition_id and s.id = (e.data ->> 'signature_id')::uuid
      where e.type = 'signature.created' and ${isPetitionEventIn(db, page)}
    )
    select petition_id, count(*)::integer as count, sum(uuid_hash_extended(id, 0))::text as hash
    from event
    join (${eventsSinceOf(db, db`event`, batch)}) kept using (petition_id)
    where event.created_at >= kept.since
    group by petition_id`;
}

/**
 * Finds signatures of a petition since a time without an event, except those that were invalid from the start, whose
 * rule is older. Undecided are valid signatures that may have been invalid from the start: given while a rule was in
 * force, on a petition with a withdrawn invalid signature. Reads all signatures of the petition.
 */
async function signaturesWithoutEvent(
  db: Db,
  petitionId: string,
  since: Date,
): Promise<{ id: string; undecided: boolean }[]> {
  return db<{ id: string; undecided: boolean }[]>`
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
}

/** Finds signatures with several events. Reads the petition's log. */
async function signaturesWithSeveralEvents(db: Db, petitionId: string): Promise<string[]> {
  return db.column<string>`
    select data ->> 'signature_id' as id from events
    where petition_id = ${petitionId} and type <> 'comment.created' and type = 'signature.created'
    group by 1
    having count(*) > 1`;
}
