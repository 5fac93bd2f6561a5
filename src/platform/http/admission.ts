import type { FastifyRequest, preHandlerHookHandler } from 'fastify';
import type { Context } from '../context.ts';
import { networkOf } from '../limits.ts';
import { forbidden, notFound, Problem, rateLimited, unauthorized } from '../problems.ts';
import {
  keyLevelFor,
  keyLevels,
  organizationOf,
  type Access,
  type Caller,
  type Credential,
  type AccessRules,
} from './credentials.ts';
import { crawlerRefusal } from './crawler-limits.ts';
import type { Route } from './route.ts';

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
    const { route } = request.routeOptions.config;
    if (!caller && (route?.auth.access ?? 'anyone') !== 'anyone') {
      return unauthorized('This needs credentials: send Authorization: Bearer <access_token>.');
    }
    return route && (offFailure(ctx, route) ?? crawlerRefusal(ctx, route, request));
  };
  const limit = countRequest(ctx, request);
  return limit instanceof Promise ? limit.then(check) : check(limit);
}

/**
 * Checks whether the caller may call the route. Runs after validation (docs/specification/requests.md, Order of checks):
 * a malformed request gets 400, 404 or 422 before 403.
 */
export const authorize =
  (route: AccessRules): preHandlerHookHandler =>
  (request, _reply, done) => {
    request.caller = callerWithin(route, request.caller);
    requireRole(route.auth.access, request.caller);
    done();
  };

/** @throws {Problem} forbidden if the route is for moderators or administrators and the caller is neither */
function requireRole(access: Access, caller: Caller | null): void {
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

/** The failure of a call to a part of the service that is switched off. */
function offFailure({ site }: Context, { module, page }: Route): Problem | undefined {
  if (module === undefined || site.current.modules[module]) return undefined;
  if (page) return notFound('page');
  return new Problem('not-implemented', 'This part of the site is switched off.', {
    code: 'module_off',
  });
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
