import type { ServerResponse } from 'node:http';
import { Outgoing, type OutgoingRequest, type ReadAnswer } from '../../src/platform/safe-fetch.ts';
import { startReceiver, type Received } from './receiver.ts';

/** Answers a verification request; undefined: does not answer. */
type Judge = (
  form: URLSearchParams,
  response: ServerResponse,
) => Record<string, unknown> | undefined;

export interface CaptchaStandIn extends AsyncDisposable {
  /** For the context of a service, which then uses this stand-in. */
  outgoing: Outgoing;
  /** Requests in order. The path starts with the intended host. */
  asked: Received[];
  /** Replaces the judge; without an argument, restores the default. */
  judgeBy(judge?: Judge): void;
}

/** Redirects requests to any host to the stand-in. */
class RedirectingClient extends Outgoing {
  #origin: string;
  constructor(origin: string, timeLimit: number) {
    super({ publicOnly: false, timeLimit });
    this.#origin = origin;
  }
  override ask(url: string, request: OutgoingRequest): Promise<ReadAnswer> {
    return super.ask(url.replace(/^https:\//, this.#origin), request);
  }
}

/**
 * Starts a stand-in for CAPTCHA services, which answers as in their documentation. Tokens that start with "good" pass
 * once. `timeLimit` is the timeout of its clients in milliseconds.
 */
export async function startCaptchaService(timeLimit = 500): Promise<CaptchaStandIn> {
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
    outgoing: new RedirectingClient(receiver.origin, timeLimit),
    asked: receiver.received,
    judgeBy: (other = once) => void (judge = other),
    [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
  };
}

/** A negative answer. */
export const failing = (...codes: string[]) => ({ success: false, 'error-codes': codes });
