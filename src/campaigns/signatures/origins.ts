import { isIP } from 'node:net';
import type { Config } from '../../config.ts';
import { countryOfAddress } from '../../platform/ip-country.ts';
import type { Keys } from '../../platform/keys.ts';
import { networkOf } from '../../platform/limits.ts';
import { devices, deviceOf } from './devices.ts';

/** What is stored about the origin of a signature. */
export interface Origin {
  /** Keyed hashes of the network and the address in a signed 64-bit number, as text: see migrations/0012. */
  origin: string | null;
  country: string | null;
  device: (typeof devices)[keyof typeof devices];
}

interface Signer {
  petitionId: string;
  ip: string;
  userAgent: string | undefined;
}

/** The hashes depend on the petition, so that they cannot link the signers of two petitions. */
export function originOf(keys: Keys, { petitionId, ip, userAgent }: Signer): Origin {
  const device = devices[deviceOf(userAgent)];
  if (!isIP(ip)) return { origin: null, country: null, device };
  const address = networkOf(ip);
  const digits = (text: string, count: number) =>
    keys.shortHash('signer-address', `${petitionId} ${text}`, count);
  const origin = toOrigin(digits(widerNetwork(address), 10) + digits(address, 6));
  return { origin, country: countryOfAddress(ip), device };
}

/** The first 24 bits of an IPv4 address, or 48 bits of an IPv6 network. */
const widerNetwork = (address: string) =>
  address.includes(':')
    ? address.split(':').slice(0, 3).join(':')
    : address.split('.').slice(0, 3).join('.');

/** Returns the range of origins of a network (10 hexadecimal digits) or of an address (16). */
export function originRange(network: string): [first: string, last: string] {
  return [toOrigin(network.padEnd(16, '0')), toOrigin(network.padEnd(16, 'f'))];
}

/** Converts 16 hexadecimal digits to the signed number of the database. */
const toOrigin = (digits: string) => BigInt.asIntN(64, BigInt(`0x${digits}`)).toString();

/** The source of visitors who came from no other site. */
export const directSource = 'direct';

const maxSourceLength = 60;

/**
 * Returns the name under which visits and signatures of a source are counted: the host of a URL without
 * www, or the name of a campaign, in lower case; null for empty text.
 */
export function normalizeSource({ baseUrl }: Pick<Config, 'baseUrl'>, text = ''): string | null {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  const name = (URL.canParse(trimmed) && new URL(trimmed).hostname) || trimmed;
  const normalized = normalize(name);
  return normalized === '' || normalized === normalize(new URL(baseUrl).hostname)
    ? directSource
    : normalized;
}

const normalize = (name: string) =>
  Array.from(name.toLowerCase().replace(/^www\./, ''))
    .filter((letter) => /[\p{L}\p{M}\p{N}._\- ]/u.test(letter))
    .slice(0, maxSourceLength)
    .join('')
    .trim();
