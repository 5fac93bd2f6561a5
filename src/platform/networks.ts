import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { validationFailed } from './problems.ts';

/** Shorter prefixes would cover whole countries. */
const minPrefixBits = { ipv4: 8, ipv6: 16 };

/** Values by the first `prefix` bits of an address. */
interface Prefix<T> {
  kind: 'ipv4' | 'ipv6';
  prefix: number;
  byBits: Map<bigint, T[]>;
}

/** Finds the networks that an IP address is in. */
export class NetworkTable<T> {
  /** Longest prefix first. */
  #prefixes: Prefix<T>[];

  /** @param entries networks in CIDR form, each with its value */
  constructor(entries: Iterable<readonly [network: string, value: T]>) {
    const prefixes = new Map<string, Prefix<T>>();
    for (const [network, value] of entries) {
      const [address, prefix] = ipaddr.parseCIDR(network);
      const kind = address.kind();
      const { byBits } = prefixes.getOrInsertComputed(`${kind}/${prefix}`, () => ({
        kind,
        prefix,
        byBits: new Map(),
      }));
      byBits.getOrInsertComputed(bitsOf(address, prefix), () => []).push(value);
    }
    this.#prefixes = [...prefixes.values()].toSorted((a, b) => b.prefix - a.prefix);
  }

  /** Returns the values of all networks that the address is in, the most specific network first. */
  find(ip: string): T[] {
    if (this.#prefixes.length === 0 || !ipaddr.isValid(ip)) return [];
    const address = ipaddr.process(ip);
    return this.#prefixes.flatMap(({ kind, prefix, byBits }) =>
      kind === address.kind() ? (byBits.get(bitsOf(address, prefix)) ?? []) : [],
    );
  }
}

/** Returns the first `prefix` bits of an address as a number. */
function bitsOf(address: ipaddr.IPv4 | ipaddr.IPv6, prefix: number): bigint {
  const bytes = address.toByteArray();
  const whole = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  return whole >> BigInt(bytes.length * 8 - prefix);
}

/**
 * Returns a network as the database writes it, with the host bits cleared.
 * @param field the input that has it
 * @throws {Problem} validation-failed if it is none, or too wide
 */
export function parseNetwork(text: string, field = 'network'): string {
  const invalid = (message: string) => validationFailed({ field, message, code: 'invalid_format' });
  // The parser accepts octal and shortened forms, which may mean another network than intended.
  const isPlainAddress = isIP(text.split('/', 1)[0]!) !== 0 && !text.includes('%');
  if (!isPlainAddress || !ipaddr.isValidCIDR(text)) {
    throw invalid('This must be a network in CIDR form, such as 192.0.2.0/24.');
  }
  const [address, prefix] = ipaddr.parseCIDR(text);
  if (prefix < minPrefixBits[address.kind()]) {
    throw invalid(
      `A network may be as wide as /${minPrefixBits.ipv4}, or /${minPrefixBits.ipv6} of IPv6.`,
    );
  }
  if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress()) {
    throw invalid('Give the IPv4 network itself.');
  }
  const first =
    address instanceof ipaddr.IPv4
      ? ipaddr.IPv4.networkAddressFromCIDR(text)
      : ipaddr.IPv6.networkAddressFromCIDR(text);
  return `${first.toString()}/${prefix}`;
}

/** Returns the first 24 bits of an IPv4 address, or 48 bits of an IPv6 address or network, as text. */
export const widerNetwork = (address: string): string =>
  address.includes(':')
    ? address.split(':').slice(0, 3).join(':')
    : address.split('.').slice(0, 3).join('.');

/** Whether the address is of this machine. */
export const isLoopback = (ip: string): boolean =>
  ipaddr.isValid(ip) && ipaddr.process(ip).range() === 'loopback';
