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
import { verifierKeysOf } from './witness-keys.ts';
import { findMostCosigned, readCosignatureLines } from './witness-queries.ts';

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
  const checkpoint = await chooseCheckpoint(ctx, published, leaf);
  return { receipt: await composeReceipt(log.files, checkpoint, { leaf, opening }) };
}

interface OpenedLeaf {
  leaf: number;
  opening: Opening;
}

async function composeReceipt(
  files: LogFiles,
  { size, note }: CosignedCheckpoint,
  { leaf, opening }: OpenedLeaf,
): Promise<string> {
  const hashes = await inclusionProof(leaf, size, (tile) => files.requireTile(tile));
  return formatReceipt({ opening, index: leaf, hashes, checkpoint: note });
}

interface CosignedCheckpoint {
  size: number;
  /** With the cosignatures that it has. */
  note: string;
}

/** Receipts are made for no earlier checkpoint than this, however long a witness is away. */
const maxCheckpointAgeMs = 86_400_000;

/**
 * Chooses the checkpoint of a receipt: the one with the most cosignatures that has the leaf, else the published one. So a
 * receipt does not wait for witnesses, and has their cosignatures though a newer checkpoint does not have them yet.
 */
async function chooseCheckpoint(
  { config, db }: Context,
  published: PublishedState,
  leaf: number,
): Promise<CosignedCheckpoint> {
  const newest = { size: published.edge.size, note: published.checkpoint! };
  if (config.logWitnesses.length === 0) return newest;
  const keys = verifierKeysOf(config.logWitnesses);
  const cosigned = await findMostCosigned(db, keys, {
    leaf,
    published: newest.size,
    maxAgeMs: maxCheckpointAgeMs,
  });
  if (!cosigned) return newest;
  const { size, checkpoint } = cosigned;
  const lines = await readCosignatureLines(db, keys, size);
  // The keys of the log can have changed since it was offered.
  const note = size === newest.size ? newest.note : checkpoint;
  return { size, note: note + lines.join('') };
}
