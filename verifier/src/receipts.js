// Receipts of signers by C2SP tlog-proof. The leaf is defined by docs/verifying.md of the service.
import { fromBase64, fromBase64Url, fromUtf8, sha256, toBase64Url, toUtf8 } from './bytes.js';
import { parseCheckpoint } from './checkpoints.js';
import { FormatError, VerificationError } from './errors.js';
import { hashLeaf, inclusionProof, isIncluded } from './inclusion.js';
import { parseNote } from './notes.js';
import { verifyByPolicy } from './policies.js';

/** @typedef {import('./bytes.js').Bytes} Bytes */

/**
 * What a signer keeps to show which signature a leaf stands for.
 * @typedef {object} Opening
 * @property {string} petition the `log_id` of the petition
 * @property {number} version of the text that was signed
 * @property {string} signature id
 * @property {string} random 32 bytes in base64url
 */

/**
 * @typedef {object} Receipt
 * @property {Opening} opening
 * @property {number} index of the leaf
 * @property {Bytes[]} proof from the leaf's sibling to the root's child
 * @property {string} checkpoint the signed note
 */

/**
 * Parses a receipt without verifying it. Line ends of Windows are taken, since editors write them.
 * @param {string} text
 * @returns {Receipt}
 * @throws {FormatError} if it is malformed
 */
export function parseReceipt(text) {
  const [head = '', ...rest] = text.replaceAll('\r\n', '\n').split('\n\n');
  const [first, extra, indexLine, ...hashes] = head.split('\n');
  if (first !== 'c2sp.org/tlog-proof@v1') {
    throw new FormatError('this is no receipt: its first line is not c2sp.org/tlog-proof@v1');
  }
  if (!extra?.startsWith('extra ')) throw new FormatError('the receipt has no opening');
  const [, indexText] = /^index (0|[1-9]\d*)$/.exec(indexLine ?? '') ?? [];
  const index = Number(indexText);
  if (!Number.isSafeInteger(index)) throw new FormatError('the index of the receipt is malformed');
  const proof = hashes.map(fromBase64);
  if (proof.some(({ length }) => length !== 32)) {
    throw new FormatError('a hash of the receipt does not have 32 bytes');
  }
  const checkpoint = rest.join('\n\n');
  parseCheckpoint(parseNote(checkpoint).text);
  return {
    opening: parseOpening(fromBase64(extra.slice('extra '.length))),
    index,
    proof,
    checkpoint,
  };
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Parses an opening. Other fields are ignored, so that later versions can add some.
 * @param {Uint8Array} bytes
 * @returns {Opening}
 * @throws {FormatError} if it is malformed
 */
export function parseOpening(bytes) {
  /** @type {Record<string, unknown>} */
  let value;
  try {
    value = JSON.parse(fromUtf8(bytes));
  } catch (error) {
    throw new FormatError('the opening is not JSON', { cause: error });
  }
  const { v, petition, version, signature, random } = value ?? {};
  if (
    v !== 1 ||
    typeof petition !== 'string' ||
    !uuid.test(petition) ||
    typeof version !== 'number' ||
    !Number.isSafeInteger(version) ||
    version < 1 ||
    typeof signature !== 'string' ||
    !uuid.test(signature) ||
    typeof random !== 'string' ||
    fromBase64Url(random).length !== 32
  ) {
    throw new FormatError('the opening is malformed');
  }
  return { petition, version, signature, random };
}

/**
 * Returns the `sign` entry that an opening opens: canonical JSON (RFC 8785).
 * @param {Opening} opening
 */
export async function openedEntry({ petition, version, signature, random }) {
  const fields = ['petition-signature/v1', petition, String(version), signature];
  const prefix = toUtf8(fields.map((field) => `${field}\0`).join(''));
  const commitment = toBase64Url(await sha256(prefix, fromBase64Url(random)));
  return `{"commitment":"${commitment}","petition":"${petition}","type":"sign","v":1,"version":${version}}`;
}

/**
 * @typedef {object} VerifiedReceipt
 * @property {Opening} opening
 * @property {number} index of the leaf
 * @property {import('./checkpoints.js').Checkpoint} checkpoint
 * @property {import('./notes.js').VerifiedSignature[]} signatures of the log and of witnesses
 * @property {import('./notes.js').VerifierKey[]} unsupported keys that signed, but whose kind this platform cannot verify
 */

/**
 * Verifies that the opened signature was counted in the log of a signed checkpoint. Whether it was undone since, only the
 * log shows.
 * @param {string} text
 * @param {import('./policies.js').Policy} policy
 * @returns {Promise<VerifiedReceipt>}
 * @throws {FormatError} if the receipt is malformed
 * @throws {VerificationError} if a signature or the proof does not hold
 */
export async function verifyReceipt(text, policy) {
  const { opening, index, proof, checkpoint: note } = parseReceipt(text);
  const { text: signed, signatures, unsupported } = await verifyByPolicy(note, policy);
  const checkpoint = parseCheckpoint(signed);
  return requireIncluded({ opening, index, proof, checkpoint, signatures, unsupported });
}

/**
 * @param {VerifiedReceipt & { proof: Bytes[] }} claim
 * @returns {Promise<VerifiedReceipt>}
 */
async function requireIncluded({ proof, ...receipt }) {
  const { opening, index, checkpoint } = receipt;
  const leafHash = await hashLeaf(toUtf8(await openedEntry(opening)));
  if (!(await isIncluded({ ...checkpoint, index, leafHash, proof }))) {
    throw new VerificationError(
      'the proof does not show that this signature is in the log',
      'not-included',
    );
  }
  return receipt;
}

/**
 * An opening with the index of its leaf: what an address or a QR code can hold.
 * @typedef {object} LeafOpening
 * @property {Opening} opening
 * @property {number} index
 */

const codePrefix = 'v1';

/**
 * Parses an opening in one word: `v1.<log_id>.<version>.<signature id>.<random>.<index>`.
 * @param {string} text
 * @returns {LeafOpening}
 * @throws {FormatError} if it is malformed
 */
export function parseOpeningCode(text) {
  const [prefix, petition, version, signature, random, indexText, ...more] = text.split('.');
  const index = Number(indexText);
  if (
    prefix !== codePrefix ||
    more.length > 0 ||
    !/^(0|[1-9]\d*)$/.test(indexText ?? '') ||
    !/^[1-9]\d*$/.test(version ?? '') ||
    !Number.isSafeInteger(index)
  ) {
    throw new FormatError('the code is malformed');
  }
  const fields = { v: 1, petition, version: Number(version), signature, random };
  return { opening: parseOpening(toUtf8(JSON.stringify(fields))), index };
}

/**
 * Verifies by the tiles of a log that the opened signature was counted: as a receipt does, whose proof is computed here.
 * @param {LeafOpening} leaf
 * @param {string} note the newest checkpoint
 * @param {import('./policies.js').Policy} policy
 * @param {import('./inclusion.js').ReadFile} readFile
 * @returns {Promise<VerifiedReceipt>}
 * @throws {FormatError} if the checkpoint or a tile is malformed
 * @throws {VerificationError} if a signature or a tile does not hold, or the leaf is not that of the opening
 */
export async function verifyOpening({ opening, index }, note, policy, readFile) {
  const { text, signatures, unsupported } = await verifyByPolicy(note, policy);
  const checkpoint = parseCheckpoint(text);
  if (index >= checkpoint.size) {
    throw new VerificationError('the log does not have so many entries', 'not-yet');
  }
  const proof = await inclusionProof(index, checkpoint.size, readFile);
  return requireIncluded({ opening, index, proof, checkpoint, signatures, unsupported });
}
