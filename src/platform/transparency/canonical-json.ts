import canonicalize from 'canonicalize';
import { LogFormatError } from './log-errors.ts';

/**
 * Encodes a value as canonical JSON (RFC 8785).
 * @throws {TypeError} if JSON cannot express it
 */
export function canonicalJson(value: unknown): string {
  const json = canonicalize(value);
  if (json === undefined) throw new TypeError(`JSON cannot express a ${typeof value}`);
  return json;
}

/**
 * Parses canonical JSON.
 * @throws {LogFormatError} for every other form of it, such as keys in another order or twice
 */
export function parseCanonicalJson(bytes: Uint8Array): unknown {
  let isCanonical;
  let value: unknown;
  try {
    const text = utf8.decode(bytes);
    value = JSON.parse(text);
    isCanonical = canonicalJson(value) === text;
  } catch (error) {
    throw new LogFormatError('not JSON in UTF-8', { cause: error });
  }
  if (!isCanonical) throw new LogFormatError('the JSON is not canonical (RFC 8785)');
  return value;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
