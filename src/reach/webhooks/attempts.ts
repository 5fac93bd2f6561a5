import { userAgent } from '../../platform/site/user-agent.ts';
import type { Context } from '../../platform/context.ts';
import { Unreachable, type ResponseStatus } from '../../platform/safe-fetch.ts';
import { deliveryBodies } from './payloads.ts';
import {
  findTargets,
  findEntitled,
  type Outcome,
  type LeasedDelivery,
  type Target,
} from './sending-queries.ts';
import { signatureHeaders } from './signing.ts';

/** An attempt of a delivery, ready to be sent. */
export interface Attempt {
  delivery: LeasedDelivery;
  url: string;
  /** Signing secrets, the newest first; none if they are lost. */
  secrets: string[];
  body: string;
}

interface Prepared {
  attempts: Attempt[];
  /** Deliveries that cannot be sent: the event expired, the endpoint is disabled or not entitled to it. */
  unsentIds: string[];
  disabledEndpointIds: string[];
}

/** Reads what the attempts need with a few queries. */
export async function prepare(ctx: Context, leased: LeasedDelivery[]): Promise<Prepared> {
  const endpointIds = new Set(leased.map(({ endpoint_id }) => endpoint_id));
  const [targets, entitled, bodies] = await Promise.all([
    findTargets(ctx.db, [...endpointIds]),
    findEntitled(
      ctx.db,
      leased.map(({ id }) => id),
    ),
    deliveryBodies(ctx, [...new Set(leased.map(({ event_id }) => event_id))]),
  ]);
  const active = new Map(
    targets.flatMap((target) =>
      target.is_active ? [[target.id, { url: target.url, secrets: secretsOf(ctx, target) }]] : [],
    ),
  );
  const attempts = leased.flatMap((delivery): Attempt[] => {
    const target = active.get(delivery.endpoint_id);
    const body = bodies.get(delivery.event_id);
    const canSend = target && body && entitled.has(delivery.id);
    return canSend ? [{ delivery, body, ...target }] : [];
  });
  const sent = new Set(attempts.map(({ delivery }) => delivery.id));
  return {
    attempts,
    unsentIds: leased.flatMap(({ id }) => (sent.has(id) ? [] : [id])),
    disabledEndpointIds: [...endpointIds].filter((id) => !active.has(id)),
  };
}

/** Leaves out those that are lost with the key that sealed them. */
function secretsOf({ keys }: Context, target: Target): string[] {
  const { id, secret_sealed: newest, previous_sealed: previous } = target;
  return [newest, previous].flatMap((sealed) => {
    try {
      return sealed ? keys.unseal('webhook-secret', sealed, id) : [];
    } catch {
      return [];
    }
  });
}

const maxRetries = 5;
/** Upper bound for Retry-After. */
const maxRetryAfterMs = 24 * 3600 * 1000;

/** Sends the delivery. Returns the outcome, or undefined if the signal aborted it. */
export async function attempt(
  ctx: Context,
  prepared: Attempt,
  signal: AbortSignal,
): Promise<Outcome | undefined> {
  const { delivery, url, secrets, body } = prepared;
  if (secrets.length === 0) {
    return failure(ctx, prepared, { error: 'The secret of the endpoint is lost: rotate it.' });
  }
  const { created_at: eventTime } = JSON.parse(body) as { created_at: string };
  const timestamp = Math.floor(Date.now() / 1000);
  const headers = {
    'content-type': 'application/json',
    'user-agent': userAgent(ctx.site.current, 'Webhooks'),
    'x-service-event': delivery.event,
    'x-service-delivery-id': delivery.id,
    'x-service-timestamp': eventTime,
    ...signatureHeaders(secrets, { body, eventId: delivery.event_id, timestamp }),
  };
  try {
    const answer = await ctx.httpClient.post(url, { headers, body, signal });
    return outcomeOf(ctx, prepared, answer);
  } catch (error) {
    if (signal.aborted) return undefined;
    if (!(error instanceof Unreachable)) throw error;
    return failure(ctx, prepared, { error: error.message });
  }
}

function outcomeOf(ctx: Context, sent: Attempt, answer: ResponseStatus): Outcome {
  const { status, retryAfter } = answer;
  if (status >= 200 && status < 300) {
    return { ...outcomeBase(sent), status: 'delivered', responseStatus: status };
  }
  const redirect = status >= 300 && status < 400 ? ' Redirects are not followed.' : '';
  const details = { error: `It answered ${status}.${redirect}`, responseStatus: status };
  if (status === 410) {
    return { ...outcomeBase(sent), ...details, status: 'failed', isGone: true };
  }
  return failure(ctx, sent, { ...details, minWaitMs: parseRetryAfter(retryAfter) });
}

interface Failure {
  error: string;
  responseStatus?: number;
  /** From the Retry-After header. */
  minWaitMs?: number;
}

/** Returns an outcome with the next attempt, or a final one after the last retry. */
function failure(ctx: Context, sent: Attempt, { minWaitMs = 0, ...details }: Failure): Outcome {
  const base = { ...outcomeBase(sent), ...details };
  const { attempts } = sent.delivery;
  if (attempts >= maxRetries) return { ...base, status: 'failed' };
  // Up to a quarter later than documented, so that deliveries that failed together spread.
  const waitMs = ctx.config.webhookRetryBaseMs * 4 ** attempts * (1 + Math.random() / 4);
  return { ...base, status: 'retrying', waitMs: Math.max(waitMs, minWaitMs) };
}

const outcomeBase = ({ delivery, url }: Attempt) => ({
  deliveryId: delivery.id,
  endpointId: delivery.endpoint_id,
  url,
  responseStatus: null,
  error: null,
  waitMs: null,
  isGone: false,
});

/** Parses a Retry-After header of either form (RFC 9110 section 10.2.3). Returns milliseconds. */
function parseRetryAfter(header: string | undefined): number {
  if (header === undefined) return 0;
  const waitMs = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(waitMs) ? 0 : Math.min(Math.max(waitMs, 0), maxRetryAfterMs);
}
