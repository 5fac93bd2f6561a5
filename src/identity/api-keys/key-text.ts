import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Config } from '../../config.ts';

/** Where a key counts: in production, or anywhere else. */
export const environments = ['live', 'test'] as const;
export type Environment = (typeof environments)[number];

/** The environment whose keys this service makes and takes. */
export const environmentFor = ({ production }: Config): Environment =>
  production ? 'live' : 'test';

const secretLength = 43;
const checksumLength = 6;
const form = new RegExp(
  `^svc_(${environments.join('|')})_[0-9A-Za-z]{${secretLength + checksumLength}}$`,
);

/** A new key: its environment, 256 random bits, and a checksum of all that, in base62. */
export function newKeyText(environment: Environment): string {
  const random = BigInt(`0x${randomBytes(32).toString('hex')}`);
  const text = `svc_${environment}_${base62(random, secretLength)}`;
  return text + checksumOf(text);
}

/** Whether a text can be a key at all: of one that was mistyped or cut off the checksum is wrong. */
export const isKeyText = (text: string): boolean =>
  form.test(text) && checksumOf(text.slice(0, -checksumLength)) === text.slice(-checksumLength);

/** The environment that a key, or its prefix, names; undefined where it names none. */
export const environmentOf = (text: string): Environment | undefined =>
  environments.find((environment) => text.startsWith(`svc_${environment}_`));

/** What is shown of a key: its environment, and 8 characters of the 43 that are secret. */
export const prefixOf = (text: string): string => text.slice(0, 'svc_test_'.length + 8);

/** CRC-32, as GitHub's tokens carry it. It keeps typing errors out, not people. */
const checksumOf = (text: string): string => base62(BigInt(crc32(text)), checksumLength);

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The number in that many digits, the least significant last. */
function base62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest /= 62n)
    text = digits[Number(rest % 62n)] + text;
  return text;
}
