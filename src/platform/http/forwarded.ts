import type { IncomingMessage, Server } from 'node:http';
import { isIP, isIPv6 } from 'node:net';
import { LRUCache } from 'lru-cache';
import type { Config } from '../../config.ts';
import type { TrustProxy } from './headers.ts';

const name = 'x-forwarded-for';

/**
 * Reduces X-Forwarded-For to plain addresses, before all other listeners. Some proxies write ports (Azure Application
 * Gateway, IIS), so that each connection would count as another caller; RFC 7239 allows `unknown` and `_hidden`.
 */
export function normalizeForwardedFor(server: Server): void {
  const normalize = ({ headers }: IncomingMessage) => {
    const given = headers[name];
    if (typeof given !== 'string') return;
    const addresses = forwardedAddresses(given);
    if (addresses.length > 0) headers[name] = addresses.join(', ');
    else delete headers[name];
  };
  server.prependListener('request', normalize);
  server.prependListener('upgrade', normalize);
}

/**
 * Returns the addresses of a header without ports and brackets. Proxies add to its end, so what stands before an entry that
 * is no address is nobody's word, and is left out.
 */
export function forwardedAddresses(header: string): string[] {
  const entries = header.split(',').map(withoutPort).filter(Boolean);
  const lastUnknown = entries.findLastIndex((entry) => isIP(entry) === 0);
  return entries.slice(lastUnknown + 1);
}

const withoutPort = (entry: string): string =>
  entry
    .trim()
    .replace(/^"(.*)"$/, '$1')
    .replace(/^\[([^\]]*)\](?::\w+)?$/, '$1')
    .replace(/^(\d+\.\d+\.\d+\.\d+):\w+$/, '$1');

/** Returns whether an address is a proxy whose X-Forwarded-For is trusted. */
export function trustedProxies(proxies: Config['trustProxy']): TrustProxy {
  if (!proxies) return false;
  // Proxies connect from few addresses, so each is checked once.
  const known = new LRUCache<string, boolean>({ max: 10_000 });
  return (address) => {
    let trusted = known.get(address);
    if (trusted === undefined) {
      trusted = proxies.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
      known.set(address, trusted);
    }
    return trusted;
  };
}
