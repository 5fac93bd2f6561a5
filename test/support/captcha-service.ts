import type { ServerResponse } from 'node:http';
import { Outgoing, type OutgoingRequest, type ReadAnswer } from '../../src/platform/safe-fetch.ts';
import { startReceiver, type Received } from './receiver.ts';

/** What is answered to a form; undefined: never anything. */
type Judge = (
  form: URLSearchParams,
  response: ServerResponse,
) => Record<string, unknown> | undefined;

export interface CaptchaStandIn extends AsyncDisposable {
  /** For the context of a service, which then asks this one instead of those of others. */
  outgoing: Outgoing;
  /** By what it was asked, in their order; the path begins with the host that was meant. */
  asked: Received[];
  /** Has it judge otherwise; as at the beginning where nothing is said. */
  judgeBy(judge?: Judge): void;
}

/** Sends what is for any host to one of this machine. */
class Diverted extends Outgoing {
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
 * Stands in for the services that judge tokens, as their documentation says they do: what begins with "good"
 * passes once. Nobody waits for it longer than `timeLimit`, in milliseconds.
 */
export async function startCaptchaService(timeLimit = 500): Promise<CaptchaStandIn> {
  const used = new Set<string>();
  const once: Judge = (form) => {
    const token = form.get('response')!;
    if (!token.startsWith('good')) return failing('invalid-input-response');
    if (used.has(token)) return failing('timeout-or-duplicate');
    used.add(token);
    // On a page of another site, which signs by the API.
    return { success: true, challenge_ts: '2026-01-01T00:00:00Z', hostname: 'friends.example' };
  };
  let judge = once;
  const receiver = await startReceiver((_, response) => {
    const form = new URLSearchParams(receiver.received.at(-1)!.body);
    const answer = judge(form, response);
    if (answer) response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  });
  return {
    outgoing: new Diverted(receiver.origin, timeLimit),
    asked: receiver.received,
    judgeBy: (other = once) => void (judge = other),
    [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
  };
}

/** How they say no. */
export const failing = (...codes: string[]) => ({ success: false, 'error-codes': codes });
