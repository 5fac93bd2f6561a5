import type { Tx } from '../../platform/db.ts';
import type { LogEntry } from '../../platform/transparency/entries.ts';

/** Of the backfill that stores the sums of a log of an earlier version. */
export const sumsBackfillName = 'transparency-log-sums';

/** How many entries of each kind were added; of imports, what they add up to. */
export interface KindSums {
  signs: number;
  undos: number;
  restores: number;
  imported: number;
}

/** What entries that follow each other change of what is kept beside the log. */
export interface EntrySums {
  /** By `log_id`. */
  petitions: Map<string, KindSums>;
  /** By the index of the `sign` entry, the index of the `undo` that is in force after them; null after a `restore`. */
  undos: Map<number, number | null>;
}

/** Adds up entries, the first of which has this index. */
export function sumEntries(firstIndex: number, entries: readonly LogEntry[]): EntrySums {
  const sums: EntrySums = { petitions: new Map(), undos: new Map() };
  for (const [n, entry] of entries.entries()) {
    if (entry.type === 'text' || entry.type === 'total') continue;
    const kinds = sums.petitions.getOrInsertComputed(entry.petition, noEntries);
    switch (entry.type) {
      case 'sign':
        kinds.signs += 1;
        break;
      case 'undo':
        kinds.undos += 1;
        sums.undos.set(entry.leaf, firstIndex + n);
        break;
      case 'restore':
        kinds.restores += 1;
        sums.undos.set(entry.leaf, null);
        break;
      case 'import':
        kinds.imported += entry.count;
        break;
    }
  }
  return sums;
}

const noEntries = (): KindSums => ({ signs: 0, undos: 0, restores: 0, imported: 0 });

interface StoreOptions {
  /** The day on which the entries were added; `-infinity` for those of which that is not known. */
  day: string;
  /** Returns the number of the petition with a `log_id`. */
  numberOf: (logId: string) => number | undefined;
}

/** Stores what entries change, each of which is stored once, in the order of the log. The caller has locked the log. */
export async function storeEntrySums(
  tx: Tx,
  { petitions, undos }: EntrySums,
  { day, numberOf }: StoreOptions,
): Promise<void> {
  const rows = [...petitions].flatMap(([logId, sums]) => {
    const petition = numberOf(logId);
    return petition === undefined ? [] : [{ petition, ...sums }];
  });
  const inForce = [...undos].filter((one): one is [number, number] => one[1] !== null);
  const restored = [...undos].filter(([, undo]) => undo === null).map(([leaf]) => leaf);
  await Promise.all([
    rows.length > 0 && addToDay(tx, day, rows),
    storeUndos(tx, inForce),
    deleteUndos(tx, restored),
  ]);
}

async function addToDay(
  tx: Tx,
  day: string,
  rows: readonly ({ petition: number } & KindSums)[],
): Promise<void> {
  await tx`
    insert into transparency_days as d (petition, day, signs, undos, restores, imported)
    select petition, ${day}::date, signs, undos, restores, imported
    from jsonb_to_recordset(${tx.json(rows)}) as k (petition integer, signs bigint, undos bigint,
      restores bigint, imported bigint)
    on conflict (petition, day) do update set signs = d.signs + excluded.signs,
      undos = d.undos + excluded.undos, restores = d.restores + excluded.restores,
      imported = d.imported + excluded.imported`;
}

async function storeUndos(tx: Tx, undos: readonly [leaf: number, undo: number][]): Promise<void> {
  if (undos.length === 0) return;
  await tx`
    insert into transparency_undos (leaf, undo)
    select * from unnest(${undos.map(([leaf]) => leaf)}::bigint[], ${undos.map(([, undo]) => undo)}::bigint[])
    on conflict (leaf) do update set undo = excluded.undo`;
}

async function deleteUndos(tx: Tx, leaves: readonly number[]): Promise<void> {
  if (leaves.length === 0) return;
  await tx`delete from transparency_undos where leaf = any(${leaves}::bigint[])`;
}

/** Stores that what is kept beside the log is about so many entries. `daysSince`: the day on which it is about all of them. */
export async function storeSummedSize(
  tx: Tx,
  size: number,
  { daysSince }: { daysSince: string | null },
): Promise<void> {
  await tx`
    update transparency_log
    set summed_size = ${size}, days_since = coalesce(${daysSince}::date, days_since)`;
}

/** Returns the numbers of petitions by their `log_id`. Reads the whole table. */
export async function findNumbers(tx: Tx, logIds: readonly string[]): Promise<Map<string, number>> {
  const rows = await tx<{ log_id: string; number: number }[]>`
    select log_id, number from transparency_petitions where log_id = any(${logIds}::uuid[])`;
  return new Map(rows.map(({ log_id: logId, number }) => [logId, number]));
}

/** The day of a time, in UTC. */
export const dayOf = (at: Date): string => at.toISOString().slice(0, 10);
