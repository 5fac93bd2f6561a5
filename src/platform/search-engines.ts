import { Resolver } from 'node:dns/promises';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { networkOf } from './limits.ts';
import { widerNetwork } from './networks.ts';

interface SearchEngine {
  userAgent: RegExp;
  /** Of the names of its crawlers. */
  domains: readonly string[];
}

/** Search engines that document the names of their crawlers' addresses. */
const searchEngines: readonly SearchEngine[] = [
  { userAgent: /google/i, domains: ['googlebot.com', 'google.com'] },
  { userAgent: /bing|msnbot/i, domains: ['search.msn.com'] },
  { userAgent: /applebot/i, domains: ['applebot.apple.com'] },
  { userAgent: /yandex/i, domains: ['yandex.ru', 'yandex.net', 'yandex.com'] },
];

/** How long an answer is kept: crawlers keep their addresses for long. */
const keptMs = 86_400_000;
/** How long it is kept that the name servers did not answer. */
const failureKeptMs = 60_000;
/**
 * Lookups at the same time: others are not started, so that forged user agents cause few queries. A network has one of
 * them, so that one that forges user agents leaves the others to crawlers.
 */
const maxLookups = 8;
/** Names of one address that are looked up. */
const maxNames = 3;

/** Errors of a resolver that mean that there is no such record. */
const noRecordCodes = new Set(['ENOTFOUND', 'ENODATA']);

/**
 * Recognises crawlers of search engines by the name of their address (PTR), which must lead back to the address. Requests
 * never wait for a lookup: until it ends, a crawler is not verified.
 */
export class SearchEngines {
  readonly #resolver: Resolver;
  /** Apart, so that many forged addresses do not displace those of crawlers. */
  readonly #verified = new LRUCache<string, true>({ max: 10_000, ttl: keptMs });
  readonly #refused = new LRUCache<string, true>({ max: 10_000, ttl: keptMs });
  /** Networks (/24, /48) whose lookups are under way. */
  readonly #lookups = new Set<string>();

  constructor(resolver = new Resolver({ timeout: 1000, tries: 2 })) {
    this.#resolver = resolver;
  }

  /** Whether the address is known to be a crawler of the search engine that the user agent names. */
  isVerified(userAgent: string | undefined, ip: string): boolean {
    const engine = searchEngines.find((one) => one.userAgent.test(userAgent ?? ''));
    if (!engine) return false;
    const key = `${engine.domains[0]} ${ip}`;
    if (this.#verified.get(key)) return true;
    if (!this.#refused.get(key)) this.#startLookup(key, engine, ip);
    return false;
  }

  /** Ends all lookups. */
  close(): void {
    this.#resolver.cancel();
  }

  #startLookup(key: string, engine: SearchEngine, ip: string): void {
    const network = widerNetwork(networkOf(ip));
    if (this.#lookups.size >= maxLookups || this.#lookups.has(network)) return;
    this.#lookups.add(network);
    void this.#isAddressOf(engine, ip)
      .then(
        (isVerified) => (isVerified ? this.#verified : this.#refused).set(key, true),
        () => this.#refused.set(key, true, { ttl: failureKeptMs }),
      )
      .finally(() => this.#lookups.delete(network));
  }

  /** @throws {Error} if the name servers do not answer */
  async #isAddressOf({ domains }: SearchEngine, ip: string): Promise<boolean> {
    const address = ipaddr.process(ip);
    const names = await recordsOf(this.#resolver.reverse(address.toString()));
    const own = names.filter((name) =>
      domains.some((domain) => name.toLowerCase().endsWith(`.${domain}`)),
    );
    for (const name of own.slice(0, maxNames)) {
      const found = await recordsOf(
        address.kind() === 'ipv4' ? this.#resolver.resolve4(name) : this.#resolver.resolve6(name),
      );
      if (found.some((one) => ipaddr.process(one).toString() === address.toString())) return true;
    }
    return false;
  }
}

/** The records of a name; none where there is no such name. */
const recordsOf = (query: Promise<string[]>): Promise<string[]> =>
  query.catch((error: NodeJS.ErrnoException) => {
    if (noRecordCodes.has(error.code ?? '')) return [];
    throw error;
  });
