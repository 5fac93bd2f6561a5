// The text of checkpoints by C2SP tlog-checkpoint (commit c0d0289bb8fc of github.com/C2SP/C2SP).
import { decodeBase64 } from './base64.ts';
import { LogFormatError } from './log-errors.ts';
import { hashBytes } from './tiles.ts';

/** The state of a log: what the signatures of a checkpoint are about. */
export interface Checkpoint {
  /** Names the log. */
  origin: string;
  /** The number of leaves. */
  size: number;
  root: Buffer;
}

/** Formats the text of a checkpoint, without signatures. */
export function formatCheckpoint({ origin, size, root }: Checkpoint): string {
  return `${origin}\n${size}\n${root.toString('base64')}\n`;
}

/**
 * Parses the text of a checkpoint. Extension lines are ignored: our logs have none, and not every signature covers them.
 * @throws {LogFormatError} if it is malformed
 */
export function parseCheckpoint(text: string): Checkpoint {
  const lines = text.split('\n');
  const isEnded = lines.pop() === '';
  const [origin, sizeText, rootText] = lines;
  if (!isEnded || rootText === undefined || lines.includes('')) {
    throw new LogFormatError('a checkpoint has at least three lines, none of them empty');
  }
  const size = Number(sizeText);
  if (!/^(0|[1-9]\d*)$/.test(sizeText!) || !Number.isSafeInteger(size)) {
    throw new LogFormatError('the size of the checkpoint is malformed');
  }
  const root = decodeBase64(rootText);
  if (root.length !== hashBytes) throw new LogFormatError('the root has not 32 bytes');
  return { origin: origin!, size, root };
}
