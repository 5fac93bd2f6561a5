import { hasWithdrawn } from '../../campaigns/signatures/signatures.ts';
import { requireReadablePetition } from '../../campaigns/petitions/read.ts';
import type { Context } from '../../platform/context.ts';
import type { Caller } from '../../platform/http/route.ts';
import { gone, notFound, Problem } from '../../platform/problems.ts';
import type { Opening } from '../../platform/transparency/entries.ts';
import { inclusionProof } from '../../platform/transparency/merkle.ts';
import { formatReceipt } from '../../platform/transparency/receipts.ts';
import type { LogFiles } from './log-files.ts';
import { requireLog } from './log-reads.ts';
import * as queries from './own-leaf-queries.ts';
import type { PendingReceipt } from './schema.ts';
import type { PublishedState } from './state.ts';

/** A receipt in the tlog-proof format, or why it is not there yet. */
export type ReceiptAnswer = { receipt: string } | { pending: PendingReceipt['state'] };

interface ReceiptRequest {
  ref: string;
  code: string | undefined;
}

/**
 * Returns the receipt of the caller's signature.
 * @throws {Problem} as `readSignerReceipt`; not-found or forbidden if the caller cannot read the petition
 */
export async function readOwnReceipt(
  ctx: Context,
  files: LogFiles | undefined,
  caller: Caller,
  { ref, code }: ReceiptRequest,
): Promise<ReceiptAnswer> {
  const { id: petitionId } = await requireReadablePetition(ctx, caller, ref, code);
  return readSignerReceipt(ctx, files, { petitionId, userId: caller.userId });
}

/**
 * Returns what shows offline that a signature was counted.
 * @throws {Problem} not-found, with code not_counted where it never counted; gone after it was withdrawn
 */
export async function readSignerReceipt(
  ctx: Context,
  files: LogFiles | undefined,
  { petitionId, userId }: { petitionId: string; userId: string },
): Promise<ReceiptAnswer> {
  const log = await requireLog(ctx, files);
  const { published } = log.state;
  const signature = await queries.findOwnLeaf(ctx.db, petitionId, userId);
  if (!signature) {
    if (await hasWithdrawn(ctx.db, petitionId, userId)) {
      throw gone('You have withdrawn your signature.');
    }
    throw notFound('signature of yours');
  }
  const { leaf, opening } = signature;
  if (leaf === null && signature.state === 'invalid') {
    throw new Problem('not-found', 'Your signature was not counted.', { code: 'not_counted' });
  }
  if (leaf === null || leaf >= published.edge.size) {
    return { pending: signature.state === 'held' ? 'held' : 'waiting' };
  }
  if (!opening) throw notFound('receipt');
  return { receipt: await composeReceipt(log.files, published, { leaf, opening }) };
}

interface OpenedLeaf {
  leaf: number;
  opening: Opening;
}

async function composeReceipt(
  files: LogFiles,
  { edge, checkpoint }: PublishedState,
  { leaf, opening }: OpenedLeaf,
): Promise<string> {
  const hashes = await inclusionProof(leaf, edge.size, (tile) => files.requireTile(tile));
  return formatReceipt({ opening, index: leaf, hashes, checkpoint: checkpoint! });
}
