import { bare, nothing, one, route, type Route } from '../../platform/http/route.ts';
import { JsonWebKeySet, LoginInput, RefreshInput, RevokeInput, TokenPair } from './schema.ts';
import type { Sessions, SessionsDeps } from './sessions.ts';

const tag = 'Authentication';

export const sessionRoutes = (sessions: Sessions, deps: SessionsDeps): Route[] => [
  route({
    id: 'login',
    method: 'POST',
    path: '/v1/auth/login',
    summary: 'Log in',
    description: 'After 5 failures for an account or from an address, wait for Retry-After.',
    tag,
    auth: { access: 'anyone', ignoresCredentials: true },
    body: { schema: LoginInput, example: { email: 'ada@example.org', password: 'correct horse' } },
    returns: bare(TokenPair),
    problems: ['unauthorized', 'forbidden'],
    handle: ({ ctx, body, ip, header }) => {
      header('cache-control', 'no-store');
      return sessions.login(ctx, body.email, body.password, ip);
    },
  }),
  route({
    id: 'refresh',
    method: 'POST',
    path: '/v1/auth/refresh',
    summary: 'Exchange a refresh token for a new pair',
    description: 'A refresh token works once. Using it again ends its session.',
    tag,
    auth: { access: 'anyone', ignoresCredentials: true },
    body: { schema: RefreshInput, example: { refresh_token: 'q1w2e3r4t5y6u7i8o9p0' } },
    returns: one(TokenPair),
    problems: ['unauthorized', 'forbidden'],
    handle: ({ ctx, body, header }) => {
      header('cache-control', 'no-store');
      return sessions.refresh(ctx, body.refresh_token);
    },
  }),
  route({
    id: 'logout',
    method: 'POST',
    path: '/v1/auth/logout',
    summary: 'End a session',
    tag,
    auth: { access: 'anyone', ignoresCredentials: true },
    body: { schema: RefreshInput, example: { refresh_token: 'q1w2e3r4t5y6u7i8o9p0' } },
    returns: nothing(),
    handle: ({ ctx, body }) => sessions.logout(ctx, body.refresh_token),
  }),
  route({
    id: 'revokeToken',
    method: 'POST',
    path: '/v1/auth/revoke',
    summary: 'Revoke one of your tokens',
    description:
      'It is refused on every process within a second. Revoking a refresh token also ends its session, or all tokens of an application from the same code.',
    tag,
    auth: { access: 'user' },
    body: {
      schema: RevokeInput,
      example: { token: 'eyJhbGciOiJFZERTQSJ9.e30.c2ln', token_type_hint: 'access_token' },
    },
    returns: nothing(),
    handle: ({ ctx, caller, body }) => sessions.revoke(ctx, deps, caller, body.token),
  }),
  route({
    id: 'getKeys',
    method: 'GET',
    path: '/.well-known/jwks.json',
    summary: 'Public keys that verify tokens of this service',
    tag,
    auth: { access: 'anyone', ignoresCredentials: true },
    returns: bare(JsonWebKeySet),
    handle: ({ header }) => {
      header('cache-control', 'public, max-age=300');
      return sessions.signingKeys.jwks();
    },
  }),
];
