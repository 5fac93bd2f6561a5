import type { ServerResponse } from 'node:http';
import {
  HttpClient,
  type HttpClientRequest,
  type ResponseWithBody,
} from '../../src/platform/safe-fetch.ts';
import { startReceiver, type Received } from './receiver.ts';

/** Answers a verification request; undefined: does not answer. */
type Judge = (
  form: URLSearchParams,
  response: ServerResponse,
) => Record<string, unknown> | undefined;

export interface CaptchaStandIn extends AsyncDisposable {
  /** For the context of a service, which then uses this stand-in. */
  httpClient: HttpClient;
  /** Requests in order. The path starts with the intended host. */
  asked: Received[];
  /** Replaces the judge; without an argument, restores the default. */
  setJudge(judge?: Judge): void;
}

/** Redirects requests to any host to the stand-in. */
class RedirectingClient extends HttpClient {
  #origin: string;
  constructor(origin: string, timeoutMs: number) {
    super({ publicOnly: false, timeoutMs });
    this.#origin = origin;
  }
  override postAndRead(url: string, request: HttpClientRequest): Promise<ResponseWithBody> {
    return super.postAndRead(url.replace(/^https:\//, this.#origin), request);
  }
}

/**
 * Starts a stand-in for CAPTCHA services, which answers as in their documentation. Tokens that start with "good" pass
 * once. `timeoutMs` is the timeout of its clients in milliseconds.
 */
export async function startCaptchaService(timeoutMs = 500): Promise<CaptchaStandIn> {
  const used = new Set<string>();
  const once: Judge = (form) => {
    const token = form.get('response')!;
    if (!token.startsWith('good')) return failing('invalid-input-response');
    if (used.has(token)) return failing('timeout-or-duplicate');
    used.add(token);
    // The page of another site, which signs by the API.
    return { success: true, challenge_ts: '2026-01-01T00:00:00Z', hostname: 'friends.example' };
  };
  let judge = once;
  const receiver = await startReceiver((_, response) => {
    const form = new URLSearchParams(receiver.received.at(-1)!.body);
    const answer = judge(form, response);
    if (answer) response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  });
  return {
    httpClient: new RedirectingClient(receiver.origin, timeoutMs),
    asked: receiver.received,
    setJudge: (other = once) => void (judge = other),
    [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
  };
}

/** A negative answer. */
export const failing = (...codes: string[]) => ({ success: false, 'error-codes': codes });
