import type { Contract } from './contract.ts';

export interface Answer {
  status: number;
  headers: Headers;
  /** Parsed if it is JSON, otherwise text. */
  // Tests read many shapes; each was checked against the contract.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any;
}

interface CallOptions {
  headers?: Record<string, string>;
}

/** Calls the API over HTTP and checks every response against the OpenAPI description. */
export class Client {
  readonly origin: string;
  readonly #contract: Contract | undefined;
  readonly #headers: Record<string, string>;
  readonly #fetch: typeof fetch;

  constructor(
    origin: string,
    contract?: Contract,
    headers: Record<string, string> = {},
    /** Sends the requests, for example from another address. */
    send = fetch,
  ) {
    this.origin = origin;
    this.#contract = contract;
    this.#headers = headers;
    this.#fetch = send;
  }

  /** Returns a client with these headers on every call. */
  with(headers: Record<string, string>): Client {
    return new Client(this.origin, this.#contract, { ...this.#headers, ...headers }, this.#fetch);
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
  put = (path: string, body?: unknown, options?: CallOptions) =>
    this.send('PUT', path, body, options);

  /** Sends texts, blobs and forms unchanged, and other bodies as JSON. */
  async send(
    method: string,
    path: string,
    body?: unknown,
    options: CallOptions = {},
  ): Promise<Answer> {
    const asItIs = typeof body === 'string' || body instanceof Blob || body instanceof FormData;
    const response = await this.#fetch(this.origin + path, {
      method,
      redirect: 'manual',
      headers: {
        // Without it, some paths return a page.
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
    // Event streams do not end.
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
