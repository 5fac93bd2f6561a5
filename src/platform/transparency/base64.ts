import { LogFormatError } from './log-errors.ts';

/**
 * Decodes padded base64 (RFC 4648 section 4). Buffer alone would skip foreign characters and accept several forms of the
 * same bytes.
 * @throws {LogFormatError} unless it is the one form of its bytes
 */
export function decodeBase64(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') !== text) throw new LogFormatError('base64 is malformed');
  return bytes;
}
