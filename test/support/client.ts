import type { Contract } from './contract.ts';

export interface Answer {
  status: number;
  headers: Headers;
  /** Parsed where it is JSON, else text. */
  // Tests look into many shapes; the contract has been held against each.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any;
}

interface CallOptions {
  headers?: Record<string, string>;
}

/** Calls the API over HTTP and holds every answer against the description. */
export class Client {
  readonly origin: string;
  readonly #contract: Contract | undefined;
  readonly #headers: Record<string, string>;

  constructor(origin: string, contract?: Contract, headers: Record<string, string> = {}) {
    this.origin = origin;
    this.#contract = contract;
    this.#headers = headers;
  }

  /** The same with these headers on every call. */
  with(headers: Record<string, string>): Client {
    return new Client(this.origin, this.#contract, { ...this.#headers, ...headers });
  }

  as(token: string): Client {
    return this.with({ authorization: `Bearer ${token}` });
  }

  get = (path: string, options?: CallOptions) => this.send('GET', path, undefined, options);
  delete = (path: string, body?: unknown, options?: CallOptions) =>
    this.send('DELETE', path, body, options);
  post = (path: string, body?: unknown, options?: CallOptions) =>
    this.send('POST', path, body, options);
  patch = (path: string, body?: unknown, options?: CallOptions) =>
    this.send('PATCH', path, body, options);

  /** Texts, blobs and forms go as they are, a text with whatever content type the headers give. */
  async send(
    method: string,
    path: string,
    body?: unknown,
    options: CallOptions = {},
  ): Promise<Answer> {
    const asItIs = typeof body === 'string' || body instanceof Blob || body instanceof FormData;
    const response = await fetch(this.origin + path, {
      method,
      redirect: 'manual',
      headers: {
        // Where people get a page, programs ask for JSON.
        accept: 'application/json',
        ...(body !== undefined && !asItIs && { 'content-type': 'application/json' }),
        ...this.#headers,
        ...options.headers,
      },
      ...(body !== undefined && {
        body: asItIs ? body : JSON.stringify(body),
      }),
    });
    const type = response.headers.get('content-type') ?? '';
    // A stream of events does not end by itself.
    if (type.startsWith('text/event-stream')) await response.body?.cancel();
    const text = response.bodyUsed ? '' : await response.text();
    const json = type.includes('json') && text !== '';
    const answer: Answer = {
      status: response.status,
      headers: response.headers,
      body: json ? JSON.parse(text) : text,
    };
    this.#contract?.check(method, path, answer);
    return answer;
  }
}
