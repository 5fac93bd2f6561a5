import { lookup, Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Agent, buildConnector, request, type Dispatcher } from 'undici';

/** Resolves a host name to all its addresses. */
export type Resolve = (name: string) => Promise<string[]>;

interface OutgoingOptions {
  /** Allows only https to public addresses. Required in production. */
  publicOnly: boolean;
  /** Which addresses of hosts are allowed; by default public ones with `publicOnly`, else all. */
  isAllowed?: (address: string) => boolean;
  resolve?: Resolve;
  /** Timeout of a call in milliseconds. */
  timeoutMs?: number;
}

export interface HttpClientRequest {
  headers: Record<string, string>;
  body: string;
  /** Aborts the request. */
  signal?: AbortSignal;
  /** A shorter timeout for this request, in milliseconds. */
  timeoutMs?: number;
}

export interface ResponseStatus {
  status: number;
  retryAfter: string | undefined;
}

/** A response with its body. */
export interface ResponseWithBody {
  status: number;
  body: string;
}

/** A request for a file. */
export interface FileRequest {
  headers: Record<string, string>;
  /** Reading stops at this size. */
  maxBytes: number;
}

/** A response with its body as bytes. */
export interface FileResponse {
  status: number;
  bytes: Buffer;
}

/** A failed request. The message may be shown to the user who gave the address. */
export class Unreachable extends Error {
  override name = 'Unreachable';
  /** Whether the same request will fail again: the address is not allowed, or what it leads to. */
  readonly isPermanent: boolean;

  constructor(message: string, options: ErrorOptions & { isPermanent?: boolean } = {}) {
    super(message, options);
    this.isPermanent = options.isPermanent ?? false;
  }
}

const notAllowed = (message: string) => new Unreachable(message, { isPermanent: true });

/** Limit of a response body. */
const maxBodyBytes = 16_384;
/** Redirects that `get` follows. */
const maxRedirects = 3;
const redirectStatuses = new Set([301, 302, 303, 307, 308]);
/** How long to drain an unused body, so that its connection can be reused. */
const drainTimeoutMs = 1000;

/**
 * HTTP client for external addresses, which users may have given. At connect it checks all addresses that the name
 * has at that moment, and connects only to these. It keeps connections alive. Only `get` follows redirects.
 */
export class HttpClient {
  #agent: Agent;
  #publicOnly: boolean;
  #isAllowed: (address: string) => boolean;
  #resolve: Resolve;
  #timeoutMs: number;

  constructor({ publicOnly, isAllowed, resolve, timeoutMs = 10_000 }: OutgoingOptions) {
    this.#publicOnly = publicOnly;
    this.#isAllowed = isAllowed ?? (publicOnly ? isPublic : () => true);
    this.#resolve = resolve ?? (publicOnly ? resolveWith(dnsResolver()) : resolveByHost);
    this.#timeoutMs = timeoutMs;
    this.#agent = new Agent({ connect: this.#connector() });
  }

  /**
   * Sends a POST request and ignores the response body.
   * @throws {Unreachable}
   */
  post(url: string, sent: HttpClientRequest): Promise<ResponseStatus> {
    return this.#send(url, { ...sent, method: 'POST' }, async (answer) => {
      const { statusCode: status, headers } = answer;
      drain(answer);
      return { status, retryAfter: [headers['retry-after']].flat()[0] };
    });
  }

  /**
   * Sends a POST request and reads the response body within the timeout.
   * @throws {Unreachable} also if the body is larger than 16 kB
   */
  postAndRead(url: string, sent: HttpClientRequest): Promise<ResponseWithBody> {
    return this.#send(url, { ...sent, method: 'POST' }, async (answer) => ({
      status: answer.statusCode,
      body: (await readBody(answer, maxBodyBytes)).toString(),
    }));
  }

  /**
   * Reads a file, within the timeout for all requests together. Follows up to 3 redirects, each of which is checked like
   * the first address. Reads no body of other answers than 2xx.
   * @throws {Unreachable} also if the body is larger than `maxBytes`
   */
  async get(url: string, { headers, maxBytes }: FileRequest): Promise<FileResponse> {
    const signal = AbortSignal.timeout(this.#timeoutMs);
    let next = url;
    for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
      const answer = await this.#send(
        next,
        { method: 'GET', headers, signal },
        async (got): Promise<FileResponse | string> => {
          const { statusCode: status } = got;
          if (status >= 200 && status < 300)
            return { status, bytes: await readBody(got, maxBytes) };
          drain(got);
          const location = [got.headers.location].flat()[0];
          const isRedirect = redirectStatuses.has(status) && location !== undefined;
          return isRedirect ? targetOf(location, next) : { status, bytes: Buffer.alloc(0) };
        },
      );
      if (typeof answer !== 'string') return answer;
      next = answer;
    }
    throw notAllowed('It redirects too often.');
  }

  async #send<T>(
    url: string,
    { method, headers, body, signal, timeoutMs = this.#timeoutMs }: SentRequest,
    read: (answer: Dispatcher.ResponseData) => Promise<T>,
  ): Promise<T> {
    this.#requireProtocol(new URL(url));
    const limit = Math.min(timeoutMs, this.#timeoutMs);
    const timeout = AbortSignal.timeout(limit);
    try {
      const answer = await request(url, {
        dispatcher: this.#agent,
        method,
        headers,
        ...(body !== undefined && { body }),
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      });
      return await read(answer);
    } catch (error) {
      const isPermanent = error instanceof Unreachable && error.isPermanent;
      throw new Unreachable(reasonOf(error, limit), { cause: error, isPermanent });
    }
  }

  /**
   * Rejects an address whose text alone shows that it is not allowed. Does not query name servers: an attacker's could
   * delay the caller, and answer differently at connect.
   * @throws {Unreachable}
   */
  check(url: string): void {
    const parsed = new URL(url);
    this.#requireProtocol(parsed);
    const host = parsed.hostname.replaceAll(/^\[|\]$/g, '');
    const isAllowed = isIP(host)
      ? this.#isAllowed(host)
      : !this.#publicOnly || !isPrivateName(host);
    if (!isAllowed) throw notAllowed('Its address is not public.');
  }

  /** Closes all connections. Running requests fail. */
  close(): Promise<void> {
    return this.#agent.destroy();
  }

  #requireProtocol({ protocol }: URL): void {
    if (protocol === 'https:' || (protocol === 'http:' && !this.#publicOnly)) return;
    throw notAllowed(this.#publicOnly ? 'It must be https.' : 'It must be http or https.');
  }

  /** @throws {Unreachable} if any of the addresses is not allowed */
  async #addressesOf(host: string): Promise<string[]> {
    const addresses = isIP(host) ? [host] : await this.#resolve(host);
    if (!addresses.every(this.#isAllowed)) {
      throw notAllowed('Its address is not public.');
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
    // With autoSelectFamily, Node looks up all addresses and tries one after the other.
    const connect = buildConnector({
      lookup: checkedLookup,
      autoSelectFamily: true,
      timeout: this.#timeoutMs,
    });
    return (options, done) => {
      // IP literals are not looked up, so they are checked here.
      if (isIP(options.hostname) && !this.#isAllowed(options.hostname)) {
        done(notAllowed('Its address is not public.'), null);
      } else {
        connect(options, done);
      }
    };
  }
}

type SentRequest = Omit<HttpClientRequest, 'body'> & { method: 'GET' | 'POST'; body?: string };

/** Reads a body that is not needed, so that its connection can be reused. */
function drain({ body }: Dispatcher.ResponseData): void {
  const rest = { limit: maxBodyBytes, signal: AbortSignal.timeout(drainTimeoutMs) };
  body.dump(rest).catch(() => {});
}

/** @throws {Unreachable} if the body is larger; stops reading there */
async function readBody({ body }: Dispatcher.ResponseData, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw notAllowed('The answer was too large.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The address that a redirect leads to. */
function targetOf(location: string, from: string): string {
  if (!URL.canParse(location, from)) throw notAllowed('It redirects to an address that is none.');
  return new URL(location, from).href;
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
 * Whether the address is public: unicast by ipaddr.js, and for IPv6 also within 2000::/3, which IANA allocates, since
 * ipaddr.js counts ::7f00:1 and others as unicast.
 */
export function isPublic(address: string): boolean {
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv4 || (parsed.parts[0]! & 0xe000) === 0x2000;
}

/** Whether the name is not public: without a dot, or in a zone reserved for private use. */
function isPrivateName(host: string): boolean {
  const parts = host.replace(/\.$/, '').split('.');
  return parts.length === 1 || ['localhost', 'local', 'internal'].includes(parts.at(-1)!);
}

/**
 * Resolves names by DNS. getaddrinfo would let an attacker's name server block one of the few threads that also hash
 * passwords, and would read this machine's hosts file.
 */
export function resolveWith(resolver: Resolver): Resolve {
  return async (name) => {
    const [ipv4, ipv6] = await Promise.allSettled([
      resolver.resolve4(name),
      resolver.resolve6(name),
    ]);
    if (ipv4.status === 'rejected' && ipv6.status === 'rejected') throw ipv4.reason;
    return [ipv4, ipv6].flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  };
}

const dnsResolver = () => new Resolver({ timeout: 2000, tries: 2 });

/** Resolves names like this machine does, which finds a developer's local receiver. */
const resolveByHost: Resolve = async (name) =>
  (await lookup(name, { all: true })).map(({ address }) => address);
