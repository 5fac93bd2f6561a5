import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** What a key is for: real data, or trying. */
export const environments = ['live', 'test'] as const;
export type Environment = (typeof environments)[number];

const secretLength = 43;
const checksumLength = 6;
const form = new RegExp(
  `^svc_(${environments.join('|')})_[0-9A-Za-z]{${secretLength + checksumLength}}$`,
);

/** Returns a new key: its environment, 256 random bits, and a checksum of both, in base62. */
export function newKeyText(environment: Environment): string {
  const random = BigInt(`0x${randomBytes(32).toString('hex')}`);
  const text = `svc_${environment}_${base62(random, secretLength)}`;
  return text + checksumOf(text);
}

/** Returns whether a text has the form and checksum of a key: rejects mistyped and truncated ones. */
export const isKeyText = (text: string): boolean =>
  form.test(text) && checksumOf(text.slice(0, -checksumLength)) === text.slice(-checksumLength);

/** Returns the part of a key that can be shown: its environment and 8 of the 43 secret characters. */
export const prefixOf = (text: string): string => text.slice(0, 'svc_test_'.length + 8);

/** CRC-32, as in GitHub's tokens. Detects typing errors; it is no security measure. */
const checksumOf = (text: string): string => base62(BigInt(crc32(text)), checksumLength);

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Returns the number with this many digits, the least significant last. */
function base62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest /= 62n)
    text = digits[Number(rest % 62n)] + text;
  return text;
}
