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
  const digits = (text: string, howMany: number) =>
    keys.shortHash('signer-address', `${petitionId} ${text}`, howMany);
  const origin = toOrigin(digits(widerNetwork(address), 10) + digits(address, 6));
  return { origin, country: countryOfAddress(ip), device };
}

/** The first 24 bits of an IPv4 address, or 48 of what an IPv6 address counts as. */
const widerNetwork = (address: string) =>
  address.includes(':')
    ? address.split(':').slice(0, 3).join(':')
    : address.split('.').slice(0, 3).join('.');

/** The first and last origin of a network (10 hexadecimal digits), or of an address in one (16). */
export function originsOf(network: string): [first: string, last: string] {
  return [toOrigin(network.padEnd(16, '0')), toOrigin(network.padEnd(16, 'f'))];
}

/** 16 hexadecimal digits as the database keeps them: a signed number. */
const toOrigin = (digits: string) => BigInt.asIntN(64, BigInt(`0x${digits}`)).toString();
