import { Type } from 'typebox';
import { bare, many, nothing, one, type Route, routes } from '../../platform/http/route.ts';
import { pageQuery } from '../../platform/http/schema.ts';
import {
  JsonWebKeySet,
  LoginInput,
  RefreshInput,
  RevokeInput,
  Session,
  SessionRef,
  TokenPair,
} from './schema.ts';
import { sourceOf, type Sessions, type SessionsDeps } from './sessions.ts';

const api = routes('Authentication');

export const sessionRoutes = (sessions: Sessions, deps: SessionsDeps): Route[] => [
  api.post('/v1/auth/login', {
    id: 'login',
    summary: 'Log in',
    description: 'After 5 failures for an account or from an address, wait for Retry-After.',
    auth: { access: 'anyone', ignoresCredentials: true },
    body: { schema: LoginInput, example: { email: 'ada@example.org', password: 'correct horse' } },
    returns: bare(TokenPair),
    problems: ['unauthorized', 'forbidden'],
    handle: (call) => {
      call.header('cache-control', 'no-store');
      return sessions.login(call.ctx, call.body, sourceOf(call));
    },
  }),
  api.post('/v1/auth/refresh', {
    id: 'refresh',
    summary: 'Exchange a refresh token for a new pair',
    description: 'A refresh token works once. Using it again ends its session.',
    auth: { access: 'anyone', ignoresCredentials: true },
    body: { schema: RefreshInput, example: { refresh_token: 'q1w2e3r4t5y6u7i8o9p0' } },
    returns: one(TokenPair),
    problems: ['unauthorized', 'forbidden'],
    handle: (call) => {
      call.header('cache-control', 'no-store');
      return sessions.refresh(call.ctx, call.body.refresh_token, sourceOf(call));
    },
  }),
  api.post('/v1/auth/logout', {
    id: 'logout',
    summary: 'End a session',
    description:
      'Ends the session of this refresh token: neither it nor its access tokens work any longer.',
    auth: { access: 'anyone', ignoresCredentials: true },
    body: { schema: RefreshInput, example: { refresh_token: 'q1w2e3r4t5y6u7i8o9p0' } },
    returns: nothing(),
    handle: ({ ctx, body }) => sessions.logout(ctx, body.refresh_token),
  }),
  api.post('/v1/auth/revoke', {
    id: 'revokeToken',
    summary: 'Revoke one of your tokens',
    description:
      'It is refused on every process within a second. Revoking a refresh token also ends its session, or all tokens of an application from the same code.',
    auth: { access: 'user' },
    body: {
      schema: RevokeInput,
      example: { token: 'eyJhbGciOiJFZERTQSJ9.e30.c2ln', token_type_hint: 'access_token' },
    },
    returns: nothing(),
    handle: ({ ctx, caller, body }) => sessions.revoke(ctx, deps, caller, body.token),
  }),
  api.get('/v1/users/me/sessions', {
    id: 'listSessions',
    summary: 'Where you are logged in, newest first',
    description:
      'Sessions in force, with device, country and time of their last use: a login, a refresh, or a page. With an API key, none is `current`.',
    auth: { access: 'user', denyOrganizationKeys: true },
    query: Type.Object(pageQuery),
    returns: many(Session),
    handle: ({ ctx, caller, query }) => sessions.listOwn(ctx, caller, query),
  }),
  api.delete('/v1/users/me/sessions/{id}', {
    id: 'endSession',
    summary: 'End one of your sessions',
    description:
      'Its tokens are refused on every process within a second. It can be the one that you use.',
    auth: { access: 'owner', denyOrganizationKeys: true },
    params: SessionRef,
    returns: nothing(),
    problems: ['not-found'],
    handle: ({ ctx, caller, params }) => sessions.endOwn(ctx, caller, params.id),
  }),
  api.delete('/v1/users/me/sessions', {
    id: 'endOtherSessions',
    summary: 'End all your other sessions',
    description: 'With an API key, all sessions end.',
    auth: { access: 'user', denyOrganizationKeys: true },
    returns: nothing(),
    handle: ({ ctx, caller }) => sessions.endOthers(ctx, caller),
  }),
  api.get('/.well-known/jwks.json', {
    id: 'getKeys',
    summary: 'Public keys that verify tokens of this service',
    description:
      'As a JSON Web Key Set (RFC 7517). Fetch them again when a token names a `kid` that you do not know.',
    auth: { access: 'anyone', ignoresCredentials: true },
    worksWithoutDatabase: true,
    returns: bare(JsonWebKeySet),
    handle: ({ header }) => {
      header('cache-control', 'public, max-age=300');
      return sessions.signingKeys.jwks();
    },
  }),
];
