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
  const indexes = encoded.map((_, n) => edge.size + n);
  await tx`
    insert into transparency_pending_entries (index, entry)
    select * from unnest(${indexes}::bigint[], ${encoded}::bytea[])`;
  const grown = growTree(edge, encoded.map(hashLeaf)).edge;
  await storeGrowth(tx, grown, signCheckpoint(origin, grown, signers));
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
