// Receipts of signers by C2SP tlog-proof. The leaf is defined by docs/verifying.md of the service.
import {
  areEqual,
  fromBase64,
  fromBase64Url,
  fromUtf8,
  sha256,
  toBase64Url,
  toUtf8,
} from './bytes.js';
import { parseCheckpoint } from './checkpoints.js';
import { FormatError, VerificationError } from './errors.js';
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
  const leafHash = await hashLeaf(toUtf8(await openedEntry(opening)));
  if (!(await isIncluded({ ...checkpoint, index, leafHash, proof }))) {
    throw new VerificationError('the proof does not show that this signature is in the log');
  }
  return { opening, index, checkpoint, signatures, unsupported };
}

/**
 * RFC 6962 section 2.1.
 * @param {Uint8Array} entry
 */
export const hashLeaf = (entry) => sha256(Uint8Array.of(0), entry);

/**
 * @param {Uint8Array} left
 * @param {Uint8Array} right
 */
const hashNode = (left, right) => sha256(Uint8Array.of(1), left, right);

/**
 * @typedef {object} InclusionClaim
 * @property {number} index
 * @property {number} size
 * @property {Bytes} leafHash
 * @property {Bytes} root
 * @property {readonly Bytes[]} proof
 */

/**
 * Returns whether the proof shows that the tree has that leaf at that index (RFC 9162 section 2.1.3.2).
 * @param {InclusionClaim} claim
 */
export async function isIncluded({ index, size, leafHash, root, proof }) {
  if (index >= size) return false;
  // `fn` and `sn` of the RFC. Division instead of shifts, since positions can exceed 32 bits.
  let [node, last] = [index, size - 1];
  let hash = leafHash;
  for (const sibling of proof) {
    if (last === 0) return false;
    if (node % 2 === 1 || node === last) {
      hash = await hashNode(sibling, hash);
      // From the last node of a level, which has no sibling, to the ancestor that has one.
      while (node % 2 === 0 && node !== 0) [node, last] = parents(node, last);
    } else {
      hash = await hashNode(hash, sibling);
    }
    [node, last] = parents(node, last);
  }
  return last === 0 && areEqual(hash, root);
}

/**
 * @param {number[]} positions
 * @returns {[number, number]}
 */
const parents = (...positions) =>
  /** @type {[number, number]} */ (positions.map((position) => Math.floor(position / 2)));
