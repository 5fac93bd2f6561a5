import type { Tx } from '../../platform/db.ts';
import { formatCheckpoint } from '../../platform/transparency/checkpoints.ts';
import { encodeEntry, type LogEntry } from '../../platform/transparency/entries.ts';
import { growTree, hashLeaf, rootOfEdge } from '../../platform/transparency/merkle.ts';
import { formatNote, signText, type Signer } from '../../platform/transparency/notes.ts';
import { storeGrowth, type LogState } from './state.ts';

/**
 * Appends entries to the log, in one transaction with its tree and the signed checkpoint. Nothing is published yet. The
 * caller has locked the log.
 */
export async function appendEntries(
  tx: Tx,
  { origin, edge }: Pick<LogState, 'origin' | 'edge'>,
  { entries, signers }: { entries: readonly LogEntry[]; signers: readonly Signer[] },
): Promise<void> {
  const encoded = entries.map(encodeEntry);
  await storePendingEntries(tx, edge.size, encoded);
  const grown = growTree(edge, encoded.map(hashLeaf)).edge;
  await storeGrowth(tx, grown, signCheckpoint(origin, grown, signers));
}

/** Stores entries that follow each other in the log, the first of which has this index. */
async function storePendingEntries(
  tx: Tx,
  firstIndex: number,
  entries: readonly Buffer[],
): Promise<void> {
  const lengths = entries.map(({ length }) => length);
  await tx`
    insert into transparency_pending_entries (index, entry)
    select ${firstIndex}::bigint + n - 1,
      substring(${Buffer.concat(entries)}::bytea
        from (sum(length) over (order by n) - length + 1)::integer for length)
    from unnest(${lengths}::integer[]) with ordinality as k (length, n)`;
}

/** Signs the tree again, after other keys have come into force. */
export async function signAgain(
  tx: Tx,
  { origin, edge }: Pick<LogState, 'origin' | 'edge'>,
  signers: readonly Signer[],
): Promise<void> {
  await storeGrowth(tx, edge, signCheckpoint(origin, edge, signers));
}

/** Signs the tree by each key, under the name of the origin. */
function signCheckpoint(
  origin: string,
  edge: LogState['edge'],
  signers: readonly Signer[],
): string {
  const text = formatCheckpoint({ origin, size: edge.size, root: rootOfEdge(edge) });
  return formatNote({ text, signatures: signers.map((signer) => signText(text, signer)) });
}
