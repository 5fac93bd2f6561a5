// Signed notes by C2SP signed-note (commit b3a911e3f2bd of github.com/C2SP/C2SP), and cosignatures by tlog-cosignature
// (commit 01194db11950).
import {
  createPrivateKey,
  createPublicKey,
  hash,
  sign as signBytes,
  verify as verifyBytes,
  type KeyObject,
} from 'node:crypto';
import { decodeBase64 } from './base64.ts';
import { parseCheckpoint } from './checkpoints.ts';
import { LogFormatError, LogVerificationError } from './log-errors.ts';

/** How a key signs. A cosignature has a timestamp and signs checkpoints only. */
export type SignatureKind = 'ed25519' | 'ed25519-cosignature' | 'ml-dsa-44-cosignature';

interface KindProperties {
  /** The signature type identifier byte of signed-note. */
  typeByte: number;
  algorithm: 'ed25519' | 'ml-dsa-44';
  privateFormat: 'raw-private' | 'raw-seed';
  publicKeyBytes: number;
  /** With the timestamp. */
  signatureBytes: number;
  hasTimestamp: boolean;
  signedMessage: (text: string, name: string, timestamp: number) => Buffer;
}

const kinds: Record<SignatureKind, KindProperties> = {
  ed25519: {
    typeByte: 0x01,
    algorithm: 'ed25519',
    privateFormat: 'raw-private',
    publicKeyBytes: 32,
    signatureBytes: 64,
    hasTimestamp: false,
    signedMessage: (text) => Buffer.from(text),
  },
  'ed25519-cosignature': {
    typeByte: 0x04,
    algorithm: 'ed25519',
    privateFormat: 'raw-private',
    publicKeyBytes: 32,
    signatureBytes: 8 + 64,
    hasTimestamp: true,
    signedMessage: ed25519CosignedMessage,
  },
  'ml-dsa-44-cosignature': {
    typeByte: 0x06,
    algorithm: 'ml-dsa-44',
    privateFormat: 'raw-seed',
    publicKeyBytes: 1312,
    signatureBytes: 8 + 2420,
    hasTimestamp: true,
    signedMessage: mlDsaCosignedMessage,
  },
};

function ed25519CosignedMessage(text: string, _name: string, timestamp: number): Buffer {
  parseCheckpoint(text);
  return Buffer.from(`cosignature/v1\ntime ${timestamp}\n${text}`);
}

/** The structure `cosigned_message` for a whole tree, encoded as in TLS (RFC 8446 section 3). */
function mlDsaCosignedMessage(text: string, name: string, timestamp: number): Buffer {
  const { origin, size, root } = parseCheckpoint(text);
  return Buffer.concat([
    Buffer.from('subtree/v1\n\0'),
    withLength(name),
    uint64(timestamp),
    withLength(origin),
    uint64(0),
    uint64(size),
    root,
  ]);
}

function withLength(text: string): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length < 1 || bytes.length > 255) {
    throw new LogFormatError(
      'names and origins under an ML-DSA-44 cosignature have 1 to 255 bytes',
    );
  }
  return Buffer.concat([Buffer.of(bytes.length), bytes]);
}

function uint64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}

/** A public key under its name. */
export interface VerifierKey {
  name: string;
  kind: SignatureKind;
  /** 8 hexadecimal digits. */
  id: string;
  publicKey: KeyObject;
}

/** A private key under its name. */
export interface Signer {
  key: VerifierKey;
  privateKey: KeyObject;
}

/**
 * Makes a signer from 32 secret bytes: an Ed25519 private key (RFC 8032) or an ML-DSA seed (FIPS 204).
 * @throws {LogFormatError} if the name cannot stand in a signature line
 */
export function createSigner(name: string, kind: SignatureKind, seed: Buffer): Signer {
  const { algorithm, privateFormat } = kinds[kind];
  const privateKey = createPrivateKey({
    key: seed,
    format: privateFormat,
    asymmetricKeyType: algorithm,
  });
  const publicKey = createPublicKey(privateKey).export({ format: 'raw-public' });
  return { key: verifierKey(name, kind, publicKey), privateKey };
}

function verifierKey(name: string, kind: SignatureKind, publicKey: Buffer): VerifierKey {
  checkKeyName(name);
  const { algorithm, typeByte } = kinds[kind];
  const id = hash(
    'sha256',
    Buffer.concat([Buffer.from(`${name}\n`), Buffer.of(typeByte), publicKey]),
    'hex',
  ).slice(0, 8);
  return {
    name,
    kind,
    id,
    publicKey: createPublicKey({
      key: publicKey,
      format: 'raw-public',
      asymmetricKeyType: algorithm,
    }),
  };
}

function checkKeyName(name: string): void {
  if (/[\p{White_Space}+]/u.test(name) || name === '' || hasControls(name)) {
    throw new LogFormatError('the name of a key is empty or has spaces, controls or "+"');
  }
}

/** Formats a verifier key: name, id, and base64 of type and public key, with "+" between. */
export function formatVerifierKey({ name, kind, id, publicKey }: VerifierKey): string {
  const material = Buffer.concat([
    Buffer.of(kinds[kind].typeByte),
    publicKey.export({ format: 'raw-public' }),
  ]);
  return `${name}+${id}+${material.toString('base64')}`;
}

/**
 * Parses a verifier key.
 * @throws {LogFormatError} if it is malformed, of a kind that is not known, or its id is not the one of its content
 */
export function parseVerifierKey(text: string): VerifierKey {
  const [, name, id, encoded] = /^([^+]*)\+([0-9a-f]{8})\+(.*)$/s.exec(text) ?? [];
  if (name === undefined || encoded === undefined) {
    throw new LogFormatError('a verifier key has the form NAME+ID+BASE64');
  }
  const material = decodeBase64(encoded);
  const kind = kindNames.find((one) => kinds[one].typeByte === material[0]);
  if (!kind) throw new LogFormatError('the verifier key is of an unknown type');
  if (material.length !== 1 + kinds[kind].publicKeyBytes) {
    throw new LogFormatError('the verifier key has the wrong length');
  }
  const key = verifierKey(name, kind, material.subarray(1));
  if (key.id !== id)
    throw new LogFormatError('the id of the verifier key is not that of its content');
  return key;
}

const kindNames = Object.keys(kinds) as SignatureKind[];

/** A signature line of a note. */
export interface NoteSignature {
  name: string;
  keyId: string;
  /** What follows the key id: the signature, after its timestamp if it is a cosignature. */
  signature: Buffer;
}

/** A text with signatures that are not verified yet. */
export interface Note {
  /** Ends with a line feed. */
  text: string;
  signatures: NoteSignature[];
}

export interface SigningOptions {
  /** POSIX time in seconds for cosignatures. 0 makes no statement about the newest tree; only ML-DSA-44 allows it. */
  timestamp?: number;
}

/**
 * Signs the text of a note.
 * @throws {LogFormatError} if the text cannot stand in a note, or is cosigned and not a checkpoint
 */
export function signText(
  text: string,
  { key, privateKey }: Signer,
  { timestamp = 0 }: SigningOptions = {},
): NoteSignature {
  checkText(text);
  const { signedMessage, hasTimestamp } = kinds[key.kind];
  if (key.kind === 'ed25519-cosignature' && timestamp === 0) {
    throw new RangeError('an Ed25519 cosignature needs a timestamp');
  }
  const signature = signBytes(null, signedMessage(text, key.name, timestamp), privateKey);
  return {
    name: key.name,
    keyId: key.id,
    signature: hasTimestamp ? Buffer.concat([uint64(timestamp), signature]) : signature,
  };
}

// oxlint-disable-next-line no-control-regex -- signed-note forbids them
const hasControls = (text: string) => /[\x00-\x09\x0b-\x1f]/.test(text);

/** The demands on a text are also those on a whole note. */
function checkText(text: string): void {
  if (hasControls(text) || !text.isWellFormed() || !text.endsWith('\n')) {
    throw new LogFormatError('the note has control characters or no line feed at its end');
  }
}

/** Formats a signature line, with its line feed. */
export function formatSignature({ name, keyId, signature }: NoteSignature): string {
  const bytes = Buffer.concat([Buffer.from(keyId, 'hex'), signature]);
  return `— ${name} ${bytes.toString('base64')}\n`;
}

export function formatNote({ text, signatures }: Note): string {
  return `${text}\n${signatures.map(formatSignature).join('')}`;
}

/** Sixteen are what verifiers must accept at least. */
const maxSignatures = 100;
const maxNoteCharacters = 1_000_000;

/**
 * Parses a note without verifying it.
 * @throws {LogFormatError} if it is malformed
 */
export function parseNote(note: string): Note {
  if (note.length > maxNoteCharacters) throw new LogFormatError('the note is too long');
  const separator = note.lastIndexOf('\n\n');
  if (separator < 0) throw new LogFormatError('the note has no signatures');
  checkText(note);
  return {
    text: note.slice(0, separator + 1),
    signatures: parseSignatures(note.slice(separator + 2)),
  };
}

/**
 * Parses signature lines.
 * @throws {LogFormatError} if one is malformed, or there is none
 */
export function parseSignatures(text: string): NoteSignature[] {
  const lines = text.split('\n');
  if (lines.pop() !== '' || lines.length === 0 || lines.length > maxSignatures) {
    throw new LogFormatError(`a note has 1 to ${maxSignatures} lines of signatures`);
  }
  return lines.map((line) => {
    const [, name, encoded] = /^— (\S+) (\S+)$/.exec(line) ?? [];
    if (name === undefined || encoded === undefined) {
      throw new LogFormatError('a signature line is malformed');
    }
    checkKeyName(name);
    const bytes = decodeBase64(encoded);
    if (bytes.length < 5) throw new LogFormatError('a signature is too short');
    return { name, keyId: bytes.toString('hex', 0, 4), signature: bytes.subarray(4) };
  });
}

export interface VerifiedSignature {
  key: VerifierKey;
  /** POSIX time in seconds, of cosignatures only. */
  timestamp?: number;
}

export interface VerifiedNote {
  text: string;
  /** One for each key that signed, in the order of the note. */
  signatures: VerifiedSignature[];
}

/**
 * Verifies every signature of the given keys. Signatures of other keys are ignored.
 * @throws {LogFormatError} if the note is malformed
 * @throws {LogVerificationError} if none of the keys signed it, or one of their signatures does not verify
 */
export function verifyNote(note: string, keys: readonly VerifierKey[]): VerifiedNote {
  const { text, signatures } = parseNote(note);
  const keysById = indexKeys(keys);
  const verified = new Map<VerifierKey, VerifiedSignature>();
  for (const signature of signatures) {
    const key = keysById.get(`${signature.name}+${signature.keyId}`);
    if (!key) continue;
    const one = verifySignature(text, signature, key);
    if (!verified.has(key)) verified.set(key, one);
  }
  if (verified.size === 0) throw new LogVerificationError('the note is signed by no known key');
  return { text, signatures: [...verified.values()] };
}

/** Ids are short, so two keys of one name can have the same one; which of them signed would be unclear. */
function indexKeys(keys: readonly VerifierKey[]): Map<string, VerifierKey> {
  const keysById = new Map<string, VerifierKey>();
  for (const key of keys) {
    const known = keysById.getOrInsert(`${key.name}+${key.id}`, key);
    if (!known.publicKey.equals(key.publicKey)) {
      throw new RangeError(`two keys of ${key.name} have the id ${key.id}`);
    }
  }
  return keysById;
}

function verifySignature(
  text: string,
  { signature }: NoteSignature,
  key: VerifierKey,
): VerifiedSignature {
  const { signatureBytes, hasTimestamp, signedMessage } = kinds[key.kind];
  const failure = new LogVerificationError(
    `the signature of ${key.name} (${key.kind}) does not verify`,
  );
  if (signature.length !== signatureBytes) throw failure;
  const seconds = hasTimestamp ? signature.readBigUInt64BE() : 0n;
  if (seconds > Number.MAX_SAFE_INTEGER) throw failure;
  const timestamp = Number(seconds);
  const message = signedMessage(text, key.name, timestamp);
  const bytes = hasTimestamp ? signature.subarray(8) : signature;
  if (!verifyBytes(null, message, key.publicKey, bytes)) throw failure;
  return hasTimestamp ? { key, timestamp } : { key };
}
