import { FormatError } from './errors.js';

/** @typedef {Uint8Array<ArrayBuffer>} Bytes */

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** @param {string} text */
export const toUtf8 = (text) => encoder.encode(text);

/**
 * @param {Uint8Array} bytes
 * @throws {FormatError} if they are not UTF-8
 */
export function fromUtf8(bytes) {
  try {
    return decoder.decode(bytes);
  } catch (error) {
    throw new FormatError('not UTF-8', { cause: error });
  }
}

/**
 * @param {readonly Uint8Array[]} parts
 * @returns {Bytes}
 */
export function concat(...parts) {
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    all.set(part, offset);
    offset += part.length;
  }
  return all;
}

/**
 * @param {Uint8Array} one
 * @param {Uint8Array} other
 */
export const areEqual = (one, other) =>
  one.length === other.length && one.every((byte, index) => byte === other[index]);

/** @param {Uint8Array} bytes */
export const toHex = (bytes) =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

/** @param {Uint8Array} bytes */
export const toBase64 = (bytes) =>
  btoa(Array.from(bytes, (byte) => String.fromCodePoint(byte)).join(''));

/**
 * Decodes padded base64 (RFC 4648 section 4).
 * @param {string} text
 * @returns {Bytes}
 * @throws {FormatError} unless it is the one form of its bytes
 */
export function fromBase64(text) {
  let bytes;
  try {
    bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    throw new FormatError('base64 is malformed');
  }
  if (toBase64(bytes) !== text) throw new FormatError('base64 is malformed');
  return bytes;
}

/**
 * Encodes as base64url without padding (RFC 4648 section 5).
 * @param {Uint8Array} bytes
 */
export const toBase64Url = (bytes) =>
  toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

/**
 * Decodes base64url without padding.
 * @param {string} text
 * @returns {Bytes}
 * @throws {FormatError} unless it is the one form of its bytes
 */
export function fromBase64Url(text) {
  if (!/^[\w-]*$/.test(text)) throw new FormatError('base64url is malformed');
  const padded = text.replaceAll('-', '+').replaceAll('_', '/');
  return fromBase64(padded.padEnd(Math.ceil(text.length / 4) * 4, '='));
}

/**
 * Encodes a number as eight bytes, the highest first.
 * @param {number} value
 * @returns {Bytes}
 */
export function uint64(value) {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value));
  return bytes;
}

/**
 * @param {...Uint8Array} parts
 * @returns {Promise<Bytes>}
 */
export const sha256 = async (...parts) =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', concat(...parts)));
