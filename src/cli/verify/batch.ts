import type { Db, Tx } from '../../platform/db.ts';
import type { LogPosition } from '../../platform/events.ts';
import {
  petitionEventPages,
  signaturePages,
  type IdRange,
  type PetitionEventRange,
  type SignatureRange,
} from './pages.ts';
import { followerPositions } from './snapshot.ts';
import { readUnseen, type Unseen } from './unseen.ts';

/** Approximate size of a batch. */
const maxSize = { petitions: 500, signatures: 200_000 };

/** Consecutive petitions. What belongs to them is read in one snapshot, so it is of one moment. */
export interface Batch {
  /** In the order of ids. */
  petitions: Petition[];
  /** Ids of the petitions, and of deleted ones, of which signatures and sums may be left. */
  range: IdRange;
  signaturePages: SignatureRange[];
  eventPages: PetitionEventRange[];
  /** Events are kept since then. */
  keptSince: Date;
  /** When petitions were created, if it is later than `keptSince`. */
  createdAt: Map<string, Date>;
  /** Positions of the followers of events. */
  followers: Map<string, LogPosition>;
  unseen: Unseen;
  now: Date;
}

export interface Petition {
  id: string;
  signature_count: number;
  imported_signature_count: number;
  invalid_signature_count: number;
  signature_goal: number | null;
}

/** Reads the first petitions of a range. */
export async function readBatch(
  tx: Tx,
  { after, to }: IdRange,
  times: { now: Date; keptSince: Date },
): Promise<Batch> {
  const petitions = await nextPetitions(tx, { after, to });
  const range = { after, to: petitions.at(-1)?.id ?? to };
  const created = await creationsInLog(tx, range);
  const eventPages = await Array.fromAsync(petitionEventPages(tx, range));
  const followers = await followerPositions(tx);
  return {
    petitions,
    range,
    signaturePages: await Array.fromAsync(signaturePages(tx, range)),
    eventPages,
    createdAt: new Map(
      created
        .filter(({ created_at }) => created_at > times.keptSince)
        .map(({ petition_id, created_at }) => [petition_id, created_at]),
    ),
    followers,
    unseen: await readUnseen(tx, eventPages, followers),
    ...times,
  };
}

/** Returns the time since which the signatures and milestones of a petition must have events. */
export const eventsSince = ({ createdAt, keptSince }: Batch, petitionId: string): Date =>
  createdAt.get(petitionId) ?? keptSince;

/** Reads the next petitions in the order of ids, up to the size of a batch. */
async function nextPetitions(db: Db, { after, to }: IdRange): Promise<Petition[]> {
  return db<Petition[]>`
    select id, signature_count, imported_signature_count, invalid_signature_count, signature_goal
    from (
      select *, sum(signature_count - imported_signature_count + invalid_signature_count)
        over (order by id rows between unbounded preceding and 1 preceding) as signatures_before
      from (
        select * from petitions where id > ${after} and id <= ${to}
        order by id
        limit ${maxSize.petitions}
      ) page
    ) numbered
    where coalesce(signatures_before, 0) < ${maxSize.signatures}
    order by id`;
}

/**
 * Reads when petitions were created, if their log is kept from its beginning. Older signatures were created by `npm run
 * demo`, without events.
 */
async function creationsInLog(
  db: Db,
  { after, to }: IdRange,
): Promise<{ petition_id: string; created_at: Date }[]> {
  return db<{ petition_id: string; created_at: Date }[]>`
    select p.id as petition_id, first.created_at from petitions p
    cross join lateral (
      select e.type, e.created_at from events e
      where e.petition_id = p.id and e.type <> 'comment.created'
      order by e.transaction, e.position
      limit 1
    ) first
    where p.id > ${after} and p.id <= ${to} and first.type = 'petition.created'`;
}
