import type { Context } from '../../platform/context.ts';
import { Unreachable, type OutgoingAnswer } from '../../platform/safe-fetch.ts';
import { bodiesToSend } from './bodies.ts';
import {
  findTargets,
  stillEntitled,
  type Outcome,
  type TakenDelivery,
  type Target,
} from './sending-queries.ts';
import { signatureHeaders } from './signing.ts';

/** One try of a delivery: all that it needs. */
export interface Attempt {
  delivery: TakenDelivery;
  url: string;
  /** With which it is signed, the newest first. */
  secrets: string[];
  body: string;
}

interface Prepared {
  attempts: Attempt[];
  /** Deliveries that cannot be sent, since their event or their endpoint is no more. */
  unsent: string[];
  /** Of these, the endpoints that are switched off. */
  off: string[];
}

/** Reads what the tries need, with a few queries for them all. */
export async function prepare(ctx: Context, taken: TakenDelivery[]): Promise<Prepared> {
  const endpointIds = new Set(taken.map(({ endpoint_id }) => endpoint_id));
  const [targets, entitled, bodies] = await Promise.all([
    findTargets(ctx.db, [...endpointIds]),
    stillEntitled(
      ctx.db,
      taken.map(({ id }) => id),
    ),
    bodiesToSend(ctx, [...new Set(taken.map(({ event_id }) => event_id))]),
  ]);
  const active = new Map(
    targets.flatMap((one) =>
      one.is_active ? [[one.id, { url: one.url, secrets: secretsOf(ctx, one) }]] : [],
    ),
  );
  const attempts = taken.flatMap((delivery): Attempt[] => {
    const target = active.get(delivery.endpoint_id);
    const body = bodies.get(delivery.event_id);
    const goes = target && body && entitled.has(delivery.id);
    return goes ? [{ delivery, body, ...target }] : [];
  });
  const sent = new Set(attempts.map(({ delivery }) => delivery.id));
  return {
    attempts,
    unsent: taken.flatMap(({ id }) => (sent.has(id) ? [] : [id])),
    off: [...endpointIds].filter((id) => !active.has(id)),
  };
}

function secretsOf({ keys }: Context, target: Target): string[] {
  const { id, secret_sealed: newest, previous_sealed: previous } = target;
  const sealed = [newest, previous].flatMap((one) => one ?? []);
  return sealed.map((one) => keys.unseal('webhook-secret', one, id));
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
