import { isIP } from 'node:net';
import { countryOfAddress } from '../../platform/ip-country.ts';
import type { Keys } from '../../platform/keys.ts';
import { networkOf } from '../../platform/limits.ts';
import { devices, deviceOf } from './devices.ts';

/** What a signature keeps of where it came from. */
export interface Origin {
  /** Keyed hashes of network and address in one 64-bit number, as text: see migrations/0012. */
  origin: string | null;
  country: string | null;
  device: (typeof devices)[keyof typeof devices];
}

interface Signer {
  petitionId: string;
  ip: string;
  userAgent: string | undefined;
}

/**
 * The hashes are of the petition too: those of two petitions say nothing of who signed both from one
 * place.
 */
export function originOf(keys: Keys, { petitionId, ip, userAgent }: Signer): Origin {
  const device = devices[deviceOf(userAgent)];
  if (!isIP(ip)) return { origin: null, country: null, device };
  const address = networkOf(ip);
  const bytes = Buffer.concat([
    keys.hash('signer-address', petitionId, widerNetwork(address)).subarray(0, 5),
    keys.hash('signer-address', petitionId, address).subarray(0, 3),
  ]);
  return { origin: bytes.readBigInt64BE().toString(), country: countryOfAddress(ip), device };
}

/** The first 24 bits of an IPv4 address, or 48 of what an IPv6 address counts as. */
const widerNetwork = (address: string) =>
  address.includes(':')
    ? address.split(':').slice(0, 3).join(':')
    : address.split('.').slice(0, 3).join('.');

/** What a network (10 hexadecimal digits) or an address in one (16) is called outside. */
export const networkPattern = '^[0-9a-f]{10}([0-9a-f]{6})?$';

/** The first and last origin of a network or address. */
export function originsOf(network: string): [first: string, last: string] {
  const at = (filler: string) =>
    BigInt.asIntN(64, BigInt(`0x${network.padEnd(16, filler)}`)).toString();
  return [at('0'), at('f')];
}
