import type { FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { networkOf } from '../limits.ts';
import { forbidden, rateLimited, unauthorized } from '../problems.ts';
import {
  keyLevelFor,
  keyLevels,
  organizationOf,
  type Access,
  type Caller,
  type Credential,
  type AccessRules,
} from './credentials.ts';

/** Returns the caller by a request's credentials, null without credentials; throws if they are not valid. */
export type Authenticate = (
  request: Pick<FastifyRequest, 'headers'>,
) => Caller | null | Promise<Caller | null>;

const callerRate = { perSecond: 100, burst: 100 };
const addressRate = { perSecond: 50, burst: 100 };

/**
 * Checks who calls, the rate limit, and whether the route requires credentials. Everything that depends on the resource
 * is checked later. Returns the failure, if any; returns a promise only if a token is unknown or Redis is asked.
 */
export function admit(
  ctx: Context,
  authenticate: Authenticate,
  request: FastifyRequest,
): Error | undefined | Promise<Error | undefined> {
  if (request.routeOptions.config.route?.auth.ignoresCredentials) {
    return admitCaller(ctx, request, null);
  }
  let found: ReturnType<Authenticate>;
  try {
    found = authenticate(request);
  } catch (error) {
    return admitCaller(ctx, request, null, error as Error);
  }
  if (!(found instanceof Promise)) return admitCaller(ctx, request, found);
  return found.then(
    (caller) => admitCaller(ctx, request, caller),
    (error: Error) => admitCaller(ctx, request, null, error),
  );
}

function admitCaller(
  ctx: Context,
  request: FastifyRequest,
  caller: Caller | null,
  failure?: Error,
): Error | undefined | Promise<Error | undefined> {
  request.caller = caller;
  const check = (limit: NonNullable<FastifyRequest['limit']>) => {
    request.limit = limit;
    if (!limit.verdict.allowed) return rateLimited(limit.verdict.retryAfterSeconds);
    if (failure) return failure;
    const access = request.routeOptions.config.route?.auth.access ?? 'anyone';
    if (access === 'anyone' || caller) return undefined;
    return unauthorized('This needs credentials: send Authorization: Bearer <access_token>.');
  };
  const limit = countRequest(ctx, request);
  return limit instanceof Promise ? limit.then(check) : check(limit);
}

/**
 * Runs after validation (docs/specification/requests.md, Order of checks): a malformed request gets 400, 404 or 422
 * before 403.
 * @throws {Problem} forbidden if the route is for moderators or administrators and the caller is neither
 */
export function requireRole(access: Access, caller: Caller | null): void {
  if (access !== 'moderator' && access !== 'admin') return;
  if (caller?.role === 'admin') return;
  if (access === 'moderator' && caller?.role === 'moderator') return;
  throw forbidden(`This is for ${access}s of the service only.`);
}

/**
 * Returns the caller if their credentials allow the call. If they do not, and anyone may call, the call is anonymous
 * (null), unless the route rejects insufficient scopes.
 * @throws {Problem} forbidden if an API key or OAuth grant does not allow the call
 */
export function callerWithin(route: AccessRules, caller: Caller | null): Caller | null {
  const { access, scope, denyOrganizationKeys, rejectInsufficientScope } = route.auth;
  if (denyOrganizationKeys && caller && organizationOf(caller)) {
    throw forbidden('A key that acts for an organization does not reach what is its maker’s own.');
  }
  if (!caller || allows(caller.credential, route)) return caller;
  if (access === 'anyone' && !rejectInsufficientScope) return null;
  const { credential } = caller;
  const needed =
    credential.kind === 'api_key'
      ? `an API key with the scope ${keyLevelFor(route)}`
      : (scope && `the scope ${scope}`) || 'a login token or an API key with full scope';
  throw forbidden(`This needs ${needed}.`, 'insufficient_scope');
}

function allows(credential: Credential, route: AccessRules): boolean {
  if (credential.kind === 'login') return true;
  if (credential.kind === 'api_key') {
    return keyLevels.indexOf(credential.level) >= keyLevels.indexOf(keyLevelFor(route));
  }
  return route.auth.scope !== undefined && credential.scopes.includes(route.auth.scope);
}

/** Counts the request towards the rate limit of its token or address. */
export function countRequest(
  ctx: Context,
  { caller, ip }: Pick<FastifyRequest, 'caller' | 'ip'>,
): NonNullable<FastifyRequest['limit']> | Promise<NonNullable<FastifyRequest['limit']>> {
  const rate = caller ? callerRate : ctx.sharedNetworks.raiseRate(addressRate, ip);
  const counted = ctx.limits.request(caller?.tokenId ?? networkOf(ip), rate);
  return counted instanceof Promise
    ? counted.then((verdict) => ({ rate, verdict }))
    : { rate, verdict: counted };
}
