// Checkpoints by C2SP tlog-checkpoint.
import { fromBase64 } from './bytes.js';
import { FormatError } from './errors.js';

/**
 * The state of a log.
 * @typedef {object} Checkpoint
 * @property {string} origin names the log
 * @property {number} size number of entries
 * @property {import('./bytes.js').Bytes} root of the Merkle tree
 */

/**
 * Parses the signed text of a checkpoint.
 * @param {string} text
 * @returns {Checkpoint}
 * @throws {FormatError} if it is malformed, or has extension lines, which these logs do not have
 */
export function parseCheckpoint(text) {
  const [origin, sizeText, rootText, end, ...more] = text.split('\n');
  if (
    !origin ||
    sizeText === undefined ||
    rootText === undefined ||
    end !== '' ||
    more.length > 0
  ) {
    throw new FormatError('a checkpoint has three lines: origin, size and root');
  }
  const size = Number(sizeText);
  if (!/^(0|[1-9]\d*)$/.test(sizeText) || !Number.isSafeInteger(size)) {
    throw new FormatError('the size of the checkpoint is malformed');
  }
  const root = fromBase64(rootText);
  if (root.length !== 32)
    throw new FormatError('the root of the checkpoint does not have 32 bytes');
  return { origin, size, root };
}
