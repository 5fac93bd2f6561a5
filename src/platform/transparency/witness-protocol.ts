// What logs send to witnesses, by C2SP tlog-witness (commit 95978ca of github.com/C2SP/C2SP).
import { decodeBase64 } from './base64.ts';
import { LogFormatError } from './log-errors.ts';
import { hashBytes } from './tiles.ts';

/** The media type of the answer to an old size that is not the one which the witness knows. */
export const treeSizeType = 'text/x.tlog.size';

const maxProofLines = 63;

/** A request that a witness cosign a checkpoint: the body of `add-checkpoint`. */
export interface Submission {
  /** The size of the tree that the witness cosigned last; 0 if it cosigned none. */
  oldSize: number;
  /** The consistency proof from that size to the one of the checkpoint. */
  proof: Buffer[];
  /** The checkpoint with its signatures. */
  note: string;
}

export function formatSubmission({ oldSize, proof, note }: Submission): string {
  const lines = [`old ${oldSize}`, ...proof.map((hash) => hash.toString('base64'))];
  return `${lines.join('\n')}\n\n${note}`;
}

/**
 * Parses a request without verifying it. The note is not parsed.
 * @throws {LogFormatError} if it is malformed
 */
export function parseSubmission(body: string): Submission {
  const end = body.indexOf('\n\n');
  if (end < 0) throw new LogFormatError('the request has no empty line before the checkpoint');
  const [first, ...proofLines] = body.slice(0, end).split('\n');
  const [, oldSize] = /^old (.*)$/.exec(first!) ?? [];
  if (oldSize === undefined) throw new LogFormatError('the first line is not "old SIZE"');
  if (proofLines.length > maxProofLines) {
    throw new LogFormatError(`the proof has more than ${maxProofLines} hashes`);
  }
  const proof = proofLines.map(decodeBase64);
  if (proof.some(({ length }) => length !== hashBytes)) {
    throw new LogFormatError('a hash of the proof has not 32 bytes');
  }
  return { oldSize: parseTreeSize(oldSize), proof, note: body.slice(end + 2) };
}

/** Formats the answer that names the size which the witness knows. */
export const formatTreeSize = (size: number): string => `${size}\n`;

/**
 * Parses a size, without its line feed.
 * @throws {LogFormatError} if it is malformed
 */
export function parseTreeSize(text: string): number {
  const size = Number(text);
  if (!/^(0|[1-9]\d*)$/.test(text) || !Number.isSafeInteger(size)) {
    throw new LogFormatError('the size of a tree is malformed');
  }
  return size;
}
