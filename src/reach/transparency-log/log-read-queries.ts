import type { Db } from '../../platform/db.ts';
import type { LoggedPetition } from './queries.ts';

export type PublicSums = Pick<
  LoggedPetition,
  'number' | 'log_id' | 'counted' | 'imported' | 'entries' | 'total_index'
>;

/** How many entries of each kind were added on a day. */
export interface LogDay {
  /** As a date, of UTC. */
  day: string;
  signed: number;
  undone: number;
  restored: number;
  imported: number;
  /** Whether what was added on earlier days is in it. */
  has_earlier: boolean;
}

export type SumsByDay = PublicSums & {
  /** The newest last; null while a backfill reads earlier entries. */
  days: LogDay[] | null;
};

/** Returns the sums of a petition's entries with those of its last days, as of one moment. Earlier days are in the first. */
export async function findPetitionByDay(
  db: Db,
  petitionId: string,
  maxDays: number,
): Promise<SumsByDay | undefined> {
  return db.value<SumsByDay | undefined>`
    select to_jsonb(t) || jsonb_build_object('days', case when l.summed_size = l.size then (
      with days as (
        select greatest(day, l.days_since) as day, bool_or(day = '-infinity') as has_earlier, sum(signs) as signs,
          sum(undos) as undos, sum(restores) as restores, sum(imported) as imported,
          row_number() over (order by greatest(day, l.days_since) desc) as n
        from transparency_days where petition = t.number group by 1
      ), shown as (
        select max(day) as day, sum(signs) as signed, sum(undos) as undone, sum(restores) as restored,
          sum(imported) as imported, bool_or(has_earlier) or count(*) > 1 as has_earlier
        from days group by least(n, ${maxDays}::integer)
      )
      select coalesce(jsonb_agg(to_jsonb(shown) order by day), '[]') from shown
    ) end)
    from transparency_petitions t cross join transparency_log l where t.petition_id = ${petitionId}`;
}

/** Which entry has undone a `sign` entry. */
export interface LeafUndo {
  /** Null where none is in force. */
  undo: string | null;
  /** Whether that is stored of all entries: else a backfill reads earlier ones. */
  is_complete: boolean;
}

export async function findUndo(db: Db, leaf: number): Promise<LeafUndo | undefined> {
  return db.first<LeafUndo>`
    select u.undo, l.summed_size = l.size as is_complete
    from transparency_log l left join transparency_undos u on u.leaf = ${leaf}`;
}

/** Whether a petition has entries. */
export const isLogged = (db: Db, petitionId: string): Promise<boolean> =>
  db.exists`select from transparency_petitions where petition_id = ${petitionId}`;

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
