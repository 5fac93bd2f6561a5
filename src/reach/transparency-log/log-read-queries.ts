import type { Db } from '../../platform/db.ts';
import type { LoggedPetition } from './queries.ts';

export type PublicSums = Pick<
  LoggedPetition,
  'number' | 'log_id' | 'counted' | 'imported' | 'entries' | 'total_index'
>;

/** Returns the sums of a petition's entries, or undefined if it has none. */
export async function findPetition(db: Db, petitionId: string): Promise<PublicSums | undefined> {
  return db.value<PublicSums | undefined>`
    select to_jsonb(t) from transparency_petitions t where petition_id = ${petitionId}`;
}

interface IndexRange {
  /** Exclusive, as the next one. */
  after: number;
  before: number;
  limit: number;
}

/** Returns the indexes of a petition's entries within a range, ascending. */
export async function listIndexes(
  db: Db,
  petition: number,
  { after, before, limit }: IndexRange,
): Promise<number[]> {
  const indexes = await db.column<string>`
    select i.index from transparency_entry_lists l cross join lateral unnest(l.indexes) as i (index)
    where l.petition = ${petition} and l.last > ${after} and i.index > ${after} and i.index < ${before}
    order by l.last, i.index
    limit ${limit}`;
  return indexes.map(Number);
}
