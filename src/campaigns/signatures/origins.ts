import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Config } from '../../config.ts';
import { countryOfAddress } from '../../platform/ip-country.ts';
import type { Keys } from '../../platform/keys.ts';
import { networkOf } from '../../platform/limits.ts';
import { widerNetwork } from '../../platform/networks.ts';
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
  const origin = toOrigin(
    networkDigits(keys, petitionId, address) + addressDigits(keys, petitionId, address),
  );
  return { origin, country: countryOfAddress(ip), device };
}

const hashDigits = (keys: Keys, petitionId: string, text: string, count: number) =>
  keys.shortHash('signer-address', `${petitionId} ${text}`, count);

/** The 10 digits of an origin that stand for the wider network of an address. */
const networkDigits = (keys: Keys, petitionId: string, address: string) =>
  hashDigits(keys, petitionId, widerNetwork(address), 10);

/** Those that stand for the address itself, or its /64 network. */
const addressDigits = (keys: Keys, petitionId: string, address: string) =>
  hashDigits(keys, petitionId, address, 6);

/** The origins of all addresses of a network on one petition. */
export interface NetworkOrigins {
  /** Of each /24, or /48 of IPv6: the number of its origins shifted by 24 bits, as text. */
  networks: string[];
  /** Of single addresses, where the network is smaller. */
  addresses: string[];
  /** The networks, or those of the addresses, as reports show them: 10 hexadecimal digits. */
  ids: string[];
}

/** Addresses or networks that one network is resolved to. The rest of a wider one is left out. */
const maxResolved = 1024;

/** Resolves a network in CIDR form. */
export function originsOfNetwork(keys: Keys, petitionId: string, network: string): NetworkOrigins {
  const [first, prefix] = ipaddr.parseCIDR(network);
  const [unit, whole] = first.kind() === 'ipv4' ? [24, 32] : [48, 64];
  const isWide = prefix <= unit;
  const bits = (isWide ? unit : whole) - Math.min(prefix, whole);
  const size = first.toByteArray().length * 8;
  const start = BigInt(`0x${Buffer.from(first.toByteArray()).toString('hex')}`);
  const step = 1n << BigInt(size - (isWide ? unit : whole));
  const count = bits > 10 ? maxResolved : 2 ** bits;
  const resolved = Array.from({ length: count }, (_, n) => {
    const bytes = (start + BigInt(n) * step).toString(16).padStart(size / 4, '0');
    const address = networkOf(ipaddr.fromByteArray([...Buffer.from(bytes, 'hex')]).toString());
    const ofNetwork = networkDigits(keys, petitionId, address);
    const origin = isWide
      ? (BigInt(toOrigin(`${ofNetwork}000000`)) >> 24n).toString()
      : toOrigin(ofNetwork + addressDigits(keys, petitionId, address));
    return { id: ofNetwork, origin };
  });
  const origins = resolved.map(({ origin }) => origin);
  return {
    networks: isWide ? origins : [],
    addresses: isWide ? [] : origins,
    ids: [...new Set(resolved.map(({ id }) => id))],
  };
}

/** Returns the range of origins of a network (10 hexadecimal digits) or of an address (16). */
export function originRange(network: string): [first: string, last: string] {
  return [toOrigin(network.padEnd(16, '0')), toOrigin(network.padEnd(16, 'f'))];
}

/** Returns the hashes of the network and the address as 16 hexadecimal digits. */
export const originDigits = ({ origin }: Origin): string | null =>
  origin === null ? null : BigInt.asUintN(64, BigInt(origin)).toString(16).padStart(16, '0');

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
