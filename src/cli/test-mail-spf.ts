import ipaddr from 'ipaddr.js';
import type { Lookups } from './test-mail-lookups.ts';

/** `unknown`: the record has terms that are not evaluated here. */
export type SpfResult =
  | { result: 'pass' | 'fail' | 'unknown' }
  /** Receivers ignore the record, or refuse all mails. */
  | { result: 'error'; reason: string };

/** RFC 7208, section 4.6.4. */
const maxLookups = 10;

class SpfError extends Error {
  override name = 'SpfError';
}

/** The SPF records of a domain. There must be one. @throws {LookupFailed} */
export const spfRecords = async (lookups: Lookups, domain: string): Promise<string[]> =>
  (await lookups.txt(domain)).filter((record) => /^v=spf1(\s|$)/i.test(record));

/**
 * Whether the SPF record of a domain allows an address to send, as far as its terms `a`, `mx`, `ip4`, `ip6`, `include`,
 * `redirect` and `all` say so.
 * @throws {LookupFailed}
 */
export async function evaluateSpf(
  lookups: Lookups,
  { domain, record, address }: { domain: string; record: string; address: string },
): Promise<SpfResult> {
  const evaluation = new Evaluation(lookups, ipaddr.process(address));
  try {
    return { result: await evaluation.check(domain, record) };
  } catch (error) {
    if (!(error instanceof SpfError)) throw error;
    return { result: 'error', reason: error.message };
  }
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Outcome = 'pass' | 'fail' | 'unknown';

class Evaluation {
  readonly #lookups: Lookups;
  readonly #address: Address;
  #count = 0;

  constructor(lookups: Lookups, address: Address) {
    this.#lookups = lookups;
    this.#address = address;
  }

  async check(domain: string, record: string): Promise<Outcome> {
    const terms = record.trim().split(/\s+/).slice(1);
    let isUncertain = false;
    for (const term of terms) {
      const [, qualifier, name, value] =
        /^([+~?-]?)([a-z\d]+)((?:[:/].*)?)$/i.exec(term) ?? ([] as undefined[]);
      if (name === undefined) continue;
      const matches = await this.#matches(domain, name.toLowerCase(), value ?? '');
      if (matches === 'unknown') isUncertain = true;
      else if (matches) {
        const isPass = qualifier === '' || qualifier === '+';
        // A term before that is not evaluated here could have decided otherwise.
        return isUncertain && !isPass ? 'unknown' : isPass ? 'pass' : 'fail';
      }
    }
    const target = terms.map((term) => /^redirect=(.+)$/i.exec(term)?.[1]).find(Boolean);
    if (target && !isUncertain) return this.#checkOther(target);
    return isUncertain ? 'unknown' : 'fail';
  }

  async #matches(domain: string, name: string, value: string): Promise<boolean | 'unknown'> {
    if (value.includes('%')) return 'unknown';
    const argument = value.replace(/^:/, '');
    const [target, ...prefixes] = argument.split('/') as [string, ...string[]];
    const host = target || domain;
    switch (name) {
      case 'all':
        return true;
      case 'ip4':
      case 'ip6':
        return this.#isWithin(argument);
      case 'a':
        this.#countLookup();
        return this.#isAddressOf(host, prefixes);
      case 'mx': {
        this.#countLookup();
        for (const server of await this.#lookups.mailServers(host)) {
          if (await this.#isAddressOf(server, prefixes)) return true;
        }
        return false;
      }
      case 'include': {
        const outcome = await this.#checkOther(target);
        return outcome === 'unknown' ? 'unknown' : outcome === 'pass';
      }
      default:
        // `exists` and `ptr`.
        return 'unknown';
    }
  }

  async #checkOther(domain: string): Promise<Outcome> {
    this.#countLookup();
    const [record, ...others] = await spfRecords(this.#lookups, domain);
    if (record === undefined) throw new SpfError(`${domain}, which it names, has no SPF record`);
    if (others.length > 0) throw new SpfError(`${domain}, which it names, has several SPF records`);
    return this.check(domain, record);
  }

  async #isAddressOf(name: string, prefixes: string[]): Promise<boolean> {
    const isIPv4 = this.#address.kind() === 'ipv4';
    // As in a/24//64: the second is for IPv6.
    const prefix = isIPv4 ? prefixes[0] || '32' : prefixes[2] || prefixes[1] || '128';
    const found = await this.#lookups.addresses(name);
    return found.some((one) => this.#isWithin(`${one}/${prefix}`));
  }

  #isWithin(range: string): boolean {
    const [address = '', prefix] = range.split('/');
    if (!ipaddr.isValid(address)) throw new SpfError(`'${range}' is no address`);
    const base = ipaddr.parse(address);
    if (base.kind() !== this.#address.kind()) return false;
    const bits = Number(prefix ?? (base.kind() === 'ipv4' ? 32 : 128));
    if (!(bits >= 0 && bits <= (base.kind() === 'ipv4' ? 32 : 128))) {
      throw new SpfError(`'${range}' has no valid length`);
    }
    return this.#address.match(base, bits);
  }

  #countLookup(): void {
    this.#count += 1;
    if (this.#count > maxLookups) {
      throw new SpfError(`it needs more than ${maxLookups} lookups`);
    }
  }
}
