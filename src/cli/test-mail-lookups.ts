import type { Resolver } from 'node:dns/promises';
import ipaddr from 'ipaddr.js';

/** A name server gave no usable answer: it is not known whether there are such records. */
export class LookupFailed extends Error {
  override name = 'LookupFailed';
}

/** Reads records. A name that does not exist has none. */
export interface Lookups {
  /** Addresses of both families. @throws {LookupFailed} */
  addresses(name: string): Promise<string[]>;
  /** @throws {LookupFailed} */
  txt(name: string): Promise<string[]>;
  /** Names of mail servers. @throws {LookupFailed} */
  mailServers(name: string): Promise<string[]>;
  /** @throws {LookupFailed} */
  reverseNames(address: string): Promise<string[]>;
}

/** Reads records by this resolver, and waits that long for each answer. */
export function createLookups(resolver: Resolver, timeoutMs: number): Lookups {
  const ask = async <T>(name: string, answer: Promise<T[]>): Promise<T[]> => {
    const { promise: late, resolve } = Promise.withResolvers<'late'>();
    const timer = setTimeout(() => resolve('late'), timeoutMs);
    try {
      const found = await Promise.race([answer, late]);
      if (found !== 'late') return found;
      answer.catch(() => {});
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOTFOUND' || code === 'ENODATA') return [];
      throw new LookupFailed(`The name server gave no answer about ${name} (${code}).`);
    } finally {
      clearTimeout(timer);
    }
    throw new LookupFailed(
      `The name server gave no answer about ${name} within ${timeoutMs / 1000} s.`,
    );
  };
  return {
    async addresses(name) {
      const families = [resolver.resolve4(name), resolver.resolve6(name)];
      return (await Promise.all(families.map((family) => ask(name, family)))).flat();
    },
    async txt(name) {
      return (await ask(name, resolver.resolveTxt(name))).map((parts) => parts.join(''));
    },
    async mailServers(name) {
      const found = await ask(name, resolver.resolveMx(name));
      return found.map(({ exchange }) => exchange).filter(Boolean);
    },
    // Not `reverse`, which also reads /etc/hosts.
    reverseNames: (address) => ask(address, resolver.resolvePtr(reverseZoneName(address))),
  };
}

/** The name that has the reverse name of an address. */
export function reverseZoneName(address: string): string {
  const parsed = ipaddr.process(address);
  const bytes = parsed.toByteArray();
  if (parsed.kind() === 'ipv4') return `${bytes.toReversed().join('.')}.in-addr.arpa`;
  const digits = bytes.flatMap((byte) => byte.toString(16).padStart(2, '0').split(''));
  return `${digits.toReversed().join('.')}.ip6.arpa`;
}
