// Signed notes and verifier keys by C2SP signed-note, cosignatures by C2SP tlog-cosignature.
import { areEqual, concat, fromBase64, sha256, toBase64, toHex, toUtf8, uint64 } from './bytes.js';
import { parseCheckpoint } from './checkpoints.js';
import { FormatError, VerificationError } from './errors.js';

/** @typedef {import('./bytes.js').Bytes} Bytes */

/**
 * How a key signs.
 * @typedef {'ed25519' | 'ed25519-cosignature' | 'ml-dsa-44-cosignature'} SignatureKind
 */

/**
 * @typedef {object} KindProperties
 * @property {number} typeByte
 * @property {string} algorithm name in Web Crypto
 * @property {'raw' | 'raw-public'} format of the public key in Web Crypto
 * @property {number} publicKeyBytes
 * @property {number} signatureBytes without a timestamp
 * @property {boolean} hasTimestamp
 * @property {(text: string, name: string, timestamp: number) => Bytes} signedMessage
 */

/** @type {Record<SignatureKind, KindProperties>} */
const kinds = {
  ed25519: {
    typeByte: 0x01,
    algorithm: 'Ed25519',
    format: 'raw',
    publicKeyBytes: 32,
    signatureBytes: 64,
    hasTimestamp: false,
    signedMessage: (text) => toUtf8(text),
  },
  'ed25519-cosignature': {
    typeByte: 0x04,
    algorithm: 'Ed25519',
    format: 'raw',
    publicKeyBytes: 32,
    signatureBytes: 64,
    hasTimestamp: true,
    signedMessage: (text, _name, timestamp) => toUtf8(`cosignature/v1\ntime ${timestamp}\n${text}`),
  },
  'ml-dsa-44-cosignature': {
    typeByte: 0x06,
    algorithm: 'ML-DSA-44',
    format: 'raw-public',
    publicKeyBytes: 1312,
    signatureBytes: 2420,
    hasTimestamp: true,
    signedMessage: mlDsaMessage,
  },
};

/**
 * The structure `cosigned_message` about a whole tree, encoded as in TLS (RFC 8446 section 3).
 * @param {string} text
 * @param {string} name
 * @param {number} timestamp
 */
function mlDsaMessage(text, name, timestamp) {
  const { origin, size, root } = parseCheckpoint(text);
  return concat(
    toUtf8('subtree/v1\n\0'),
    withLength(name),
    uint64(timestamp),
    withLength(origin),
    uint64(0),
    uint64(size),
    root,
  );
}

/** @param {string} text */
function withLength(text) {
  const bytes = toUtf8(text);
  if (bytes.length < 1 || bytes.length > 255) {
    throw new FormatError('names under an ML-DSA-44 cosignature have 1 to 255 bytes');
  }
  return concat(Uint8Array.of(bytes.length), bytes);
}

/**
 * A public key under its name.
 * @typedef {object} VerifierKey
 * @property {string} name
 * @property {string} id 8 hexadecimal digits
 * @property {SignatureKind} kind
 * @property {Bytes} publicKey
 */

const kindNames = /** @type {SignatureKind[]} */ (Object.keys(kinds));

/**
 * Parses a verifier key.
 * @param {string} text
 * @returns {Promise<VerifierKey>}
 * @throws {FormatError} if it is malformed, of an unknown kind, or its id is not that of its content
 */
export async function parseVerifierKey(text) {
  const [, name, id, encoded] = /^([^+\s]+)\+([0-9a-f]{8})\+(\S+)$/.exec(text) ?? [];
  if (name === undefined || id === undefined || encoded === undefined) {
    throw new FormatError('a verifier key has the form NAME+ID+BASE64');
  }
  const material = fromBase64(encoded);
  const kind = kindNames.find((one) => kinds[one].typeByte === material[0]);
  if (!kind) throw new FormatError('the verifier key is of an unknown type');
  const publicKey = material.slice(1);
  if (publicKey.length !== kinds[kind].publicKeyBytes) {
    throw new FormatError('the verifier key has the wrong length');
  }
  const computed = await sha256(toUtf8(`${name}\n`), material);
  if (toHex(computed.subarray(0, 4)) !== id) {
    throw new FormatError('the id of the verifier key is not that of its content');
  }
  return { name, id, kind, publicKey };
}

/**
 * Formats what `parseVerifierKey` parses.
 * @param {VerifierKey} key
 */
export const formatVerifierKey = ({ name, id, kind, publicKey }) =>
  `${name}+${id}+${toBase64(concat(Uint8Array.of(kinds[kind].typeByte), publicKey))}`;

/**
 * A signature line.
 * @typedef {object} NoteSignature
 * @property {string} name
 * @property {string} id of the key
 * @property {Bytes} bytes what follows the id
 */

/**
 * A signed text whose signatures are not verified.
 * @typedef {object} Note
 * @property {string} text ends with a line feed
 * @property {NoteSignature[]} signatures
 */

const maxSignatures = 100;
/** The last second that a Date can have. */
const maxTimestamp = 8_640_000_000_000n;

/**
 * @param {string} note
 * @returns {Note}
 * @throws {FormatError} if it is malformed
 */
export function parseNote(note) {
  // oxlint-disable-next-line no-control-regex -- signed-note forbids them
  if (/[\x00-\x09\x0b-\x1f]/.test(note)) throw new FormatError('the note has control characters');
  const end = note.lastIndexOf('\n\n');
  const lines = note.slice(end + 2).split('\n');
  if (end < 0 || lines.pop() !== '' || lines.length === 0) {
    throw new FormatError('the note does not end with lines of signatures');
  }
  if (lines.length > maxSignatures) throw new FormatError('the note has too many signatures');
  return { text: note.slice(0, end + 1), signatures: lines.map(parseSignature) };
}

/** @param {string} line */
function parseSignature(line) {
  const [, name, encoded] = /^— ([^\s+]+) (\S+)$/.exec(line) ?? [];
  if (name === undefined || encoded === undefined) {
    throw new FormatError('a signature line of the note is malformed');
  }
  const bytes = fromBase64(encoded);
  if (bytes.length < 5) throw new FormatError('a signature of the note is too short');
  return { name, id: toHex(bytes.subarray(0, 4)), bytes: bytes.slice(4) };
}

/**
 * A signature that was verified.
 * @typedef {object} VerifiedSignature
 * @property {VerifierKey} key
 * @property {number} [timestamp] POSIX time in seconds, of cosignatures
 */

/**
 * @typedef {object} VerifiedNote
 * @property {string} text
 * @property {VerifiedSignature[]} signatures one for each key that signed
 * @property {VerifierKey[]} unsupported keys that signed, but whose kind this platform cannot verify
 */

/**
 * Verifies every signature of the given keys. Those of other keys are ignored.
 * @param {string} note
 * @param {readonly VerifierKey[]} keys
 * @returns {Promise<VerifiedNote>}
 * @throws {FormatError} if the note is malformed
 * @throws {VerificationError} if a signature of one of the keys does not verify
 */
export async function verifyNote(note, keys) {
  const { text, signatures } = parseNote(note);
  /** @type {Map<VerifierKey, VerifiedSignature>} */
  const verified = new Map();
  /** @type {Set<VerifierKey>} */
  const unsupported = new Set();
  for (const signature of signatures) {
    for (const key of keys) {
      if (key.name !== signature.name || key.id !== signature.id) continue;
      const publicKey = await importKey(key);
      if (publicKey) verified.set(key, await verifySignature(text, signature, key, publicKey));
      else unsupported.add(key);
    }
  }
  return { text, signatures: [...verified.values()], unsupported: [...unsupported] };
}

/**
 * Returns undefined if this platform does not know the algorithm: most browsers have no ML-DSA yet.
 * @param {VerifierKey} key
 */
async function importKey({ kind, publicKey }) {
  const { algorithm, format } = kinds[kind];
  try {
    return await crypto.subtle.importKey(
      /** @type {'raw'} */ (format),
      publicKey,
      { name: algorithm },
      false,
      ['verify'],
    );
  } catch (error) {
    if (error instanceof Error && error.name === 'NotSupportedError') return undefined;
    if (error instanceof TypeError && algorithm !== 'Ed25519') return undefined;
    throw error;
  }
}

/**
 * @param {string} text
 * @param {NoteSignature} signature
 * @param {VerifierKey} key
 * @param {CryptoKey} publicKey
 * @returns {Promise<VerifiedSignature>}
 */
async function verifySignature(text, { bytes }, key, publicKey) {
  const { algorithm, signatureBytes, hasTimestamp, signedMessage } = kinds[key.kind];
  const timestampBytes = hasTimestamp ? 8 : 0;
  const failure = new VerificationError(
    `the signature of ${key.name} (${key.kind}) does not verify`,
    'bad-signature',
  );
  if (bytes.length !== timestampBytes + signatureBytes) throw failure;
  const seconds = hasTimestamp ? new DataView(bytes.buffer).getBigUint64(0) : 0n;
  if (seconds > maxTimestamp) throw failure;
  const timestamp = Number(seconds);
  const isValid = await crypto.subtle.verify(
    { name: algorithm },
    publicKey,
    bytes.slice(timestampBytes),
    signedMessage(text, key.name, timestamp),
  );
  if (!isValid) throw failure;
  return hasTimestamp ? { key, timestamp } : { key };
}

/**
 * @param {VerifierKey} one
 * @param {VerifierKey} other
 */
export const isSameKey = (one, other) =>
  one.name === other.name && one.kind === other.kind && areEqual(one.publicKey, other.publicKey);
