import type { Context } from '../../platform/context.ts';
import { Unreachable, type OutgoingAnswer } from '../../platform/safe-fetch.ts';
import type { Outcome, TakenDelivery } from './sending-queries.ts';
import { signatureHeaders } from './signing.ts';

/** One try of a delivery: all that it needs. */
export interface Attempt {
  delivery: TakenDelivery;
  url: string;
  /** With which it is signed, the newest first. */
  secrets: string[];
  body: string;
}

const retries = 5;
/** A wish to be left alone for longer is not honoured. */
const longestWait = 24 * 3600 * 1000;

/** Sends it, and tells how that ended; undefined where the signal broke it off. */
export async function attempt(
  ctx: Context,
  { delivery, url, secrets, body }: Attempt,
  signal: AbortSignal,
): Promise<Outcome | undefined> {
  const { created_at: eventTime } = JSON.parse(body) as { created_at: string };
  const timestamp = Math.floor(Date.now() / 1000);
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Open-Petitions-Webhooks/1',
    'x-service-event': delivery.event,
    'x-service-delivery-id': delivery.id,
    'x-service-timestamp': eventTime,
    ...signatureHeaders(secrets, { body, eventId: delivery.event_id, timestamp }),
  };
  try {
    const answer = await ctx.outgoing.post(url, { headers, body, signal });
    return outcomeOf(ctx, { delivery, url }, answer);
  } catch (error) {
    if (signal.aborted) return undefined;
    if (!(error instanceof Unreachable)) throw error;
    return failure(ctx, { delivery, url }, { error: error.message });
  }
}

type Sent = Pick<Attempt, 'delivery' | 'url'>;

function outcomeOf(ctx: Context, sent: Sent, answer: OutgoingAnswer): Outcome {
  const { status, retryAfter } = answer;
  if (status >= 200 && status < 300) {
    return { ...outcomeBase(sent), status: 'delivered', responseStatus: status };
  }
  const redirect = status >= 300 && status < 400 ? ' Redirects are not followed.' : '';
  const told = { error: `It answered ${status}.${redirect}`, responseStatus: status };
  if (status === 410) {
    return { ...outcomeBase(sent), ...told, status: 'failed', gone: true };
  }
  return failure(ctx, sent, { ...told, leastWait: waitOf(retryAfter) });
}

interface Failure {
  error: string;
  responseStatus?: number;
  /** Milliseconds that the endpoint asked for. */
  leastWait?: number;
}

/** To be tried again, or given up after the last retry. */
function failure(ctx: Context, sent: Sent, { leastWait = 0, ...told }: Failure): Outcome {
  const base = { ...outcomeBase(sent), ...told };
  const { attempts } = sent.delivery;
  if (attempts >= retries) return { ...base, status: 'failed' };
  // Never earlier than promised; later by up to a quarter, so that those who failed together part.
  const wait = ctx.config.webhookRetryBaseMs * 4 ** attempts * (1 + Math.random() / 4);
  return { ...base, status: 'retrying', wait: Math.max(wait, leastWait) };
}

/** What is not sent at all, for the reason given. */
export const unsendable = (delivery: TakenDelivery, error: string): Outcome => ({
  ...outcomeBase({ delivery, url: '' }),
  status: 'failed',
  error,
});

const outcomeBase = ({ delivery, url }: Sent) => ({
  deliveryId: delivery.id,
  endpointId: delivery.endpoint_id,
  url,
  responseStatus: null,
  error: null,
  wait: null,
  gone: false,
});

/** Milliseconds of a Retry-After header, in either form of RFC 9110 section 10.2.3. */
function waitOf(header: string | undefined): number {
  if (header === undefined) return 0;
  const wait = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(wait) ? 0 : Math.min(Math.max(wait, 0), longestWait);
}
