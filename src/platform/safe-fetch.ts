import { lookup, Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Agent, buildConnector, request, type Dispatcher } from 'undici';

/** All addresses of a name. */
export type Resolve = (name: string) => Promise<string[]>;

interface OutgoingOptions {
  /** Reaches public addresses over https and nothing else, as it must be in production. */
  publicOnly: boolean;
  resolve?: Resolve;
  /** Longest time from the call to what is wanted of the answer, in milliseconds. */
  timeLimit?: number;
}

export interface OutgoingRequest {
  headers: Record<string, string>;
  body: string;
  /** Gives up early. */
  signal?: AbortSignal;
  /** In milliseconds, where it is to be shorter than for others. */
  timeLimit?: number;
}

export interface OutgoingAnswer {
  status: number;
  retryAfter: string | undefined;
}

/** An answer that was read. */
export interface ReadAnswer {
  status: number;
  body: string;
}

/** Why an address was not reached, in words that may be shown to whoever gave it. */
export class Unreachable extends Error {
  override name = 'Unreachable';
}

/** Of an answer's body, so much is read: for what it says, or so that its connection can be used again. */
const readBytes = 16_384;
const readMilliseconds = 1000;

/**
 * HTTP requests to others, such as to addresses that strangers give. Whom it may reach is checked when it
 * connects, on every address that the name has at that moment, and it connects to these and no others. It
 * follows no redirects, and keeps connections for the next request.
 */
export class Outgoing {
  #agent: Agent;
  #publicOnly: boolean;
  #resolve: Resolve;
  #timeLimit: number;

  constructor({ publicOnly, resolve, timeLimit = 10_000 }: OutgoingOptions) {
    this.#publicOnly = publicOnly;
    this.#resolve = resolve ?? (publicOnly ? resolveWith(dnsResolver()) : resolveByHost);
    this.#timeLimit = timeLimit;
    this.#agent = new Agent({ connect: this.#connector() });
  }

  /**
   * Drops all of the answer but its status.
   * @throws {Unreachable}
   */
  post(url: string, sent: OutgoingRequest): Promise<OutgoingAnswer> {
    return this.#send(url, sent, async ({ statusCode: status, headers, body }) => {
      const rest = { limit: readBytes, signal: AbortSignal.timeout(readMilliseconds) };
      body.dump(rest).catch(() => {});
      return { status, retryAfter: [headers['retry-after']].flat()[0] };
    });
  }

  /**
   * Reads what is answered, which must have come whole when its time is over.
   * @throws {Unreachable} also where the answer is larger than 16 kB
   */
  ask(url: string, sent: OutgoingRequest): Promise<ReadAnswer> {
    return this.#send(url, sent, async ({ statusCode: status, body }) => {
      const chunks: Buffer[] = [];
      let size = 0;
      for await (const chunk of body as AsyncIterable<Buffer>) {
        size += chunk.length;
        if (size > readBytes) throw new Unreachable('The answer was too large.');
        chunks.push(chunk);
      }
      return { status, body: Buffer.concat(chunks).toString() };
    });
  }

  async #send<T>(
    url: string,
    { headers, body, signal, timeLimit = this.#timeLimit }: OutgoingRequest,
    read: (answer: Dispatcher.ResponseData) => Promise<T>,
  ): Promise<T> {
    this.#requireProtocol(new URL(url));
    const limit = Math.min(timeLimit, this.#timeLimit);
    const timeout = AbortSignal.timeout(limit);
    try {
      const answer = await request(url, {
        dispatcher: this.#agent,
        method: 'POST',
        headers,
        body,
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      });
      return await read(answer);
    } catch (error) {
      throw new Unreachable(reasonOf(error, limit), { cause: error });
    }
  }

  /**
   * Refuses an address that by its text alone must not be reached. No name server is asked: whoever runs one could
   * keep the caller waiting, and may answer otherwise when it is reached.
   * @throws {Unreachable}
   */
  check(url: string): void {
    const parsed = new URL(url);
    this.#requireProtocol(parsed);
    const host = parsed.hostname.replaceAll(/^\[|\]$/g, '');
    const isOpen = isIP(host) ? isPublic(host) : !isPrivateName(host);
    if (this.#publicOnly && !isOpen) throw new Unreachable('Its address is not public.');
  }

  /** Ends its connections; requests under way fail. */
  close(): Promise<void> {
    return this.#agent.destroy();
  }

  #requireProtocol({ protocol }: URL): void {
    if (protocol === 'https:' || (protocol === 'http:' && !this.#publicOnly)) return;
    throw new Unreachable(this.#publicOnly ? 'It must be https.' : 'It must be http or https.');
  }

  /** @throws {Unreachable} where one of them must not be reached, though others might */
  async #addressesOf(host: string): Promise<string[]> {
    const addresses = isIP(host) ? [host] : await this.#resolve(host);
    if (this.#publicOnly && !addresses.every(isPublic)) {
      throw new Unreachable('Its address is not public.');
    }
    return addresses;
  }

  #connector(): buildConnector.connector {
    const checkedLookup: LookupFunction = (host, _, done) => {
      const found = (addresses: string[]) =>
        done(
          null,
          addresses.map((address) => ({ address, family: isIP(address) })),
        );
      this.#addressesOf(host).then(found, (error: Error) => done(error, []));
    };
    // With autoSelectFamily, Node asks for all addresses and tries one after the other.
    const connect = buildConnector({
      lookup: checkedLookup,
      autoSelectFamily: true,
      timeout: this.#timeLimit,
    });
    return (options, done) => {
      // What is an address already is not looked up, so it is checked here.
      if (isIP(options.hostname) && this.#publicOnly && !isPublic(options.hostname)) {
        done(new Unreachable('Its address is not public.'), null);
      } else {
        connect(options, done);
      }
    };
  }
}

function reasonOf(error: unknown, limit: number): string {
  if (error instanceof Unreachable) return error.message;
  const { name, code = name } = error as Error & { code?: string };
  if (name === 'TimeoutError') return `No answer came within ${limit / 1000} s.`;
  if (/CERT|SELF_SIGNED|ERR_TLS|LEAF_SIGNATURE/.test(code)) {
    return `Its TLS certificate was not accepted: ${code}.`;
  }
  return reasons[code] ?? `The request failed: ${code}.`;
}

const reasons: Record<string, string> = {
  ENOTFOUND: 'Its name has no address.',
  ENODATA: 'Its name has no address.',
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The connection was closed before an answer came.',
  EPIPE: 'The connection was closed before an answer came.',
  UND_ERR_SOCKET: 'The connection was closed before an answer came.',
  UND_ERR_CONNECT_TIMEOUT: 'No connection came about in time.',
  UND_ERR_HEADERS_OVERFLOW: 'The head of the answer was too large.',
};

/**
 * Whether the address is one of the public internet: what ipaddr.js calls unicast, and of IPv6 only what
 * IANA has given out for it (2000::/3), since ::7f00:1 and the like count as unicast there.
 */
export function isPublic(address: string): boolean {
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv4 || (parsed.parts[0]! & 0xe000) === 0x2000;
}

/** Whether the name is none of the public internet: of one part, or in a zone that is kept for private use. */
function isPrivateName(host: string): boolean {
  const parts = host.replace(/\.$/, '').split('.');
  return parts.length === 1 || ['localhost', 'local', 'internal'].includes(parts.at(-1)!);
}

/**
 * Asks the name servers. getaddrinfo would hold one of the few threads on which passwords are hashed too
 * for as long as a stranger's name server likes, and would read this machine's own list of hosts.
 */
export function resolveWith(resolver: Resolver): Resolve {
  return async (name) => {
    const [four, six] = await Promise.allSettled([
      resolver.resolve4(name),
      resolver.resolve6(name),
    ]);
    if (four.status === 'rejected' && six.status === 'rejected') throw four.reason;
    return [four, six].flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  };
}

const dnsResolver = () => new Resolver({ timeout: 2000, tries: 2 });

/** As this machine finds other hosts: what a developer's own receiver is found by. */
const resolveByHost: Resolve = async (name) =>
  (await lookup(name, { all: true })).map(({ address }) => address);
