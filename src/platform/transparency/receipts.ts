// Receipts of signers by C2SP tlog-proof (commit ab17a7411656 of github.com/C2SP/C2SP).
import { Compile } from 'typebox/compile';
import { decodeBase64 } from './base64.ts';
import { canonicalJson } from './canonical-json.ts';
import { parseCheckpoint, type Checkpoint } from './checkpoints.ts';
import { commitmentOf, encodeEntry, Opening, type LogEntry } from './entries.ts';
import { LogFormatError, LogVerificationError } from './log-errors.ts';
import { hashLeaf, verifyInclusion } from './merkle.ts';
import { parseNote, verifyNote, type VerifiedSignature, type VerifierKey } from './notes.ts';
import { hashBytes } from './tiles.ts';

/** Shows offline that an entry is in a log. */
export interface LogProof {
  /** Not covered by any signature. */
  extra?: Buffer;
  index: number;
  /** From the leaf's sibling to the root's child. */
  hashes: Buffer[];
  /** The signed note, as the log published it. */
  checkpoint: string;
}

const header = 'c2sp.org/tlog-proof@v1';

export function formatProof({ extra, index, hashes, checkpoint }: LogProof): string {
  const lines = [
    header,
    ...(extra ? [`extra ${extra.toString('base64')}`] : []),
    `index ${index}`,
    ...hashes.map((hash) => hash.toString('base64')),
  ];
  return `${lines.join('\n')}\n\n${checkpoint}`;
}

/**
 * Parses a proof without verifying it.
 * @throws {LogFormatError} if it is malformed
 */
export function parseProof(text: string): LogProof {
  const end = text.indexOf('\n\n');
  const lines = text.slice(0, Math.max(end, 0)).split('\n');
  if (lines.shift() !== header) throw new LogFormatError(`the first line is not ${header}`);
  const extra = lines[0]?.startsWith('extra ')
    ? decodeBase64(lines.shift()!.slice('extra '.length))
    : undefined;
  const [, indexText] = /^index (0|[1-9]\d*)$/.exec(lines.shift() ?? '') ?? [];
  const index = Number(indexText);
  if (!Number.isSafeInteger(index)) throw new LogFormatError('the index is missing or malformed');
  const hashes = lines.map(decodeBase64);
  if (hashes.some(({ length }) => length !== hashBytes)) {
    throw new LogFormatError('a hash of the proof has not 32 bytes');
  }
  const checkpoint = text.slice(end + 2);
  parseCheckpoint(parseNote(checkpoint).text);
  return { ...(extra && { extra }), index, hashes, checkpoint };
}

/** Shows a signer offline that their signature was counted. */
export interface Receipt {
  opening: Opening;
  index: number;
  hashes: Buffer[];
  checkpoint: string;
}

/** Formats a receipt: a proof whose extra data is the opening as JSON. */
export function formatReceipt({ opening, ...proof }: Receipt): string {
  return formatProof({ ...proof, extra: Buffer.from(canonicalJson(opening)) });
}

const openingSchema = Compile(Opening);

/**
 * Parses a receipt without verifying it.
 * @throws {LogFormatError} if it is malformed
 */
export function parseReceipt(text: string): Receipt {
  const { extra, ...proof } = parseProof(text);
  if (!extra) throw new LogFormatError('the receipt has no opening');
  return { ...proof, opening: parseOpening(extra) };
}

/** Other fields are ignored, so that later versions can add some. */
function parseOpening(extra: Buffer): Opening {
  let opening: unknown;
  try {
    opening = JSON.parse(extra.toString());
  } catch (error) {
    throw new LogFormatError('the opening is not JSON', { cause: error });
  }
  if (!openingSchema.Check(opening)) throw new LogFormatError('the opening is malformed');
  return opening;
}

/** Formats an opening and the index of its leaf in one word, for an address or a QR code. */
export const formatOpeningCode = (
  { petition, version, signature, random }: Opening,
  index: number,
): string => ['v1', petition, version, signature, random, index].join('.');

/** Returns the `sign` entry that an opening opens. */
export function openedEntry({ petition, version, signature, random }: Opening): LogEntry {
  const commitment = commitmentOf({
    logId: petition,
    version,
    signatureId: signature,
    random: Buffer.from(random, 'base64url'),
  });
  return { v: 1, type: 'sign', petition, version, commitment };
}

export interface ReceiptTrust {
  origin: string;
  /** At least one of these must have signed. */
  logKeys: readonly VerifierKey[];
  witnessKeys?: readonly VerifierKey[];
}

export interface VerifiedReceipt {
  opening: Opening;
  index: number;
  checkpoint: Checkpoint;
  /** Of the log and of known witnesses. Callers decide how many they demand. */
  signatures: VerifiedSignature[];
}

/**
 * Verifies that the opened signature is in the log of a signed checkpoint.
 * @throws {LogFormatError} if the receipt is malformed
 * @throws {LogVerificationError} if it is of another log, or a signature or the inclusion proof does not hold
 */
export function verifyReceipt(
  text: string,
  { origin, logKeys, witnessKeys = [] }: ReceiptTrust,
): VerifiedReceipt {
  const { opening, index, hashes, checkpoint: note } = parseReceipt(text);
  const verified = verifyNote(note, [...logKeys, ...witnessKeys]);
  const checkpoint = parseCheckpoint(verified.text);
  if (checkpoint.origin !== origin) {
    throw new LogVerificationError(`the receipt is of the log ${checkpoint.origin}`);
  }
  const isOfLog = ({ key }: VerifiedSignature) => logKeys.includes(key);
  if (!verified.signatures.some(isOfLog)) {
    throw new LogVerificationError('the log did not sign the checkpoint');
  }
  const leafHash = hashLeaf(encodeEntry(openedEntry(opening)));
  if (!verifyInclusion({ ...checkpoint, index, leafHash, proof: hashes })) {
    throw new LogVerificationError('the inclusion proof does not hold for this signature');
  }
  return { opening, index, checkpoint, signatures: verified.signatures };
}
