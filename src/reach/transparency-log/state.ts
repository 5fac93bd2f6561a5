import type { Db, Tx } from '../../platform/db.ts';
import { emptyTree, type TreeEdge } from '../../platform/transparency/merkle.ts';

/**
 * How far all signatures were compared with the log. Each phase goes through a table in the order of its key. The last one
 * is for a log that had entries before.
 */
export type Scan = { hadEntries: boolean } & (
  | { phase: 'petitions'; after: string | null }
  | { phase: 'signatures'; after: { petitionId: string; id: string } | null }
  | { phase: 'leaves'; after: string | null }
);

/** The start of a scan. */
export const firstScan = (hadEntries: boolean): Scan => ({
  hadEntries,
  phase: 'petitions',
  after: null,
});

/** The state of the log. */
export interface LogState {
  origin: string;
  /** BASE_URL of the instance that writes the log. */
  baseUrl: string;
  edge: TreeEdge;
  /** The signed note about the whole tree; null for an empty one. */
  checkpoint: string | null;
  published: PublishedState;
  /** Why nothing is added or published. */
  haltedBecause: string | null;
  /** Whether something changed while nothing was added. */
  hasGap: boolean;
  scan: Scan | null;
  /** Whether a batch was added within the last second. */
  hasRecentBatch: boolean;
  /** The number of entries that undos and days are stored of: fewer than there are only while a backfill reads others. */
  summedSize: number;
}

/** The state that the published checkpoint is about. */
export interface PublishedState {
  edge: TreeEdge;
  checkpoint: string | null;
  at: Date | null;
}

interface StateRow {
  origin: string;
  base_url: string;
  size: string;
  edge: Buffer[];
  checkpoint: string | null;
  published_size: string;
  published_edge: Buffer[];
  published_checkpoint: string | null;
  published_at: Date | null;
  halted_because: string | null;
  has_gap: boolean;
  scan: Scan | null;
  has_recent_batch: boolean;
  summed_size: string;
}

/** Returns undefined before the log has begun. */
export async function readState(db: Db): Promise<LogState | undefined> {
  const row = await db.first<StateRow>`
    select origin, base_url, size, edge, checkpoint, published_size, published_edge, published_checkpoint,
      published_at, halted_because, has_gap, scan, summed_size,
      coalesce(clock_timestamp() - grown_at < interval '0.9 seconds', false) as has_recent_batch
    from transparency_log`;
  return (
    row && {
      origin: row.origin,
      baseUrl: row.base_url,
      edge: { size: Number(row.size), partialTiles: row.edge },
      checkpoint: row.checkpoint,
      published: {
        edge: { size: Number(row.published_size), partialTiles: row.published_edge },
        checkpoint: row.published_checkpoint,
        at: row.published_at,
      },
      haltedBecause: row.halted_because,
      hasGap: row.has_gap,
      scan: row.scan,
      hasRecentBatch: row.has_recent_batch,
      summedSize: Number(row.summed_size),
    }
  );
}

/** The state of a log that has not begun. */
export const emptyState = (identity: Pick<LogState, 'origin' | 'baseUrl'>): LogState => ({
  ...identity,
  edge: emptyTree,
  checkpoint: null,
  published: { edge: emptyTree, checkpoint: null, at: null },
  haltedBecause: null,
  hasGap: false,
  scan: null,
  hasRecentBatch: false,
  summedSize: 0,
});

/** Begins an empty log, to which all that counts is added by a scan. */
export async function beginLog(
  tx: Tx,
  identity: Pick<LogState, 'origin' | 'baseUrl'>,
): Promise<void> {
  await tx`
    insert into transparency_log (origin, base_url, scan)
    values (${identity.origin}, ${identity.baseUrl}, ${tx.json(firstScan(false))})`;
}

/**
 * Stores what the log has grown to. Whoever adds entries stores what they come to (`entry-sums.ts`), if that was stored of all
 * before. Processes of an earlier version do not, and leave `summed_size` behind.
 */
export async function storeGrowth(tx: Tx, edge: TreeEdge, checkpoint: string): Promise<void> {
  await tx`
    update transparency_log
    set size = ${edge.size}, edge = ${edge.partialTiles}::bytea[], checkpoint = ${checkpoint},
      grown_at = clock_timestamp(),
      summed_size = case when summed_size = size then ${edge.size} else summed_size end`;
}

/** Stores that a checkpoint was published. */
export async function storePublished(tx: Tx, published: PublishedState): Promise<void> {
  await tx`
    update transparency_log set published_size = ${published.edge.size},
      published_edge = ${published.edge.partialTiles}::bytea[],
      published_checkpoint = ${published.checkpoint}, published_at = ${published.at}`;
}

export async function storeScan(tx: Tx, scan: Scan | null): Promise<void> {
  await tx`update transparency_log set scan = ${scan === null ? null : tx.json(scan)}`;
}

/** Begins to compare all signatures with the log, which closes its gap. */
export async function beginScan(tx: Tx, scan: Scan): Promise<void> {
  await tx`update transparency_log set scan = ${tx.json(scan)}, has_gap = false`;
}

/** Notes that something changed that was not added, so that all signatures are compared with the log again. */
export async function noteGap(db: Db): Promise<void> {
  await db`update transparency_log set has_gap = true where not has_gap`;
}

/** Stops the log, or lets it go on. */
export async function storeHalt(db: Db, because: string | null): Promise<void> {
  await db`
    update transparency_log set halted_because = ${because}
    where halted_because is distinct from ${because}`;
}

/** Stores which instance writes the log, and lets it go on. */
export async function storeOwner(tx: Tx, baseUrl: string): Promise<void> {
  await tx`update transparency_log set base_url = ${baseUrl}, halted_because = null`;
}

/** Removes the log, so that another one begins. */
export async function clearLog(tx: Tx): Promise<void> {
  await tx`
    truncate transparency_log, transparency_petitions, transparency_leaves, transparency_openings,
      transparency_entry_lists, transparency_pending_entries, transparency_partial_tiles,
      transparency_offered_checkpoints, transparency_cosignatures, transparency_witnesses,
      transparency_undos, transparency_days`;
}
