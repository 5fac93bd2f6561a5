import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import type { RateVerdict } from '../limits.ts';
import { forbidden, rateLimited, unauthorized } from '../problems.ts';
import type { Access, Caller } from './route.ts';

/** Finds out who is calling from a request's credentials; throws where they are not valid. */
export type Authenticate = (request: FastifyRequest) => Caller | null | Promise<Caller | null>;

const callerRate = { perSecond: 100, burst: 100 };
const addressRate = { perSecond: 50, burst: 100 };

/**
 * Decides whether a request is heard at all: who calls, whether too often, and whether the route is
 * open to nobody in particular. What depends on the thing asked for is decided later.
 */
export async function admit(
  ctx: Context,
  authenticate: Authenticate,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  let failure: unknown;
  try {
    const found = authenticate(request);
    request.caller = found instanceof Promise ? await found : found;
  } catch (error) {
    failure = error;
  }
  const counted = countRequest(ctx, request, reply);
  const verdict = counted instanceof Promise ? await counted : counted;
  if (!verdict.allowed) throw rateLimited(verdict.retryAfterSeconds);
  if (failure) throw failure;
  const access = request.routeOptions.config.route?.access ?? 'anyone';
  if (access !== 'anyone' && !request.caller) {
    throw unauthorized('This needs credentials: send Authorization: Bearer <access_token>.');
  }
}

/**
 * @throws {Problem} forbidden where the route is for moderators or administrators only. Comes after
 * the request's shape was checked, as decisions.md section 13 orders the answers.
 */
export function requireRole(access: Access, caller: Caller | null): void {
  if (access !== 'moderator' && access !== 'admin') return;
  if (caller?.role === 'admin') return;
  if (access === 'moderator' && caller?.role === 'moderator') return;
  throw forbidden(`This is for ${access}s of the service only.`);
}

/** Counts the request towards the limit of its token or address, and tells of it in the headers. */
export function countRequest(
  ctx: Context,
  request: FastifyRequest,
  reply: FastifyReply,
): RateVerdict | Promise<RateVerdict> {
  const rate = request.caller ? callerRate : addressRate;
  const tell = (verdict: RateVerdict) => {
    reply.headers({
      'x-ratelimit-limit': rate.perSecond,
      'x-ratelimit-remaining': verdict.remaining,
      'x-ratelimit-reset': verdict.resetAt,
    });
    return verdict;
  };
  const asked = ctx.limits.request(request.caller?.tokenId ?? request.ip, rate);
  return asked instanceof Promise ? asked.then(tell) : tell(asked);
}
