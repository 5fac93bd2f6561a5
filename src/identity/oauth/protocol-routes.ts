import type { Context } from '../../platform/context.ts';
import { Type } from 'typebox';
import { asPage } from '../../platform/pages/problem-pages.ts';
import { bare, raw, redirect, type Route, routes } from '../../platform/http/route.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { decide, logIn, showRequest } from './consent.ts';
import { asOAuthError } from './errors.ts';
import { grantTypes, issueTokens } from './exchange.ts';
import {
  AuthorizeQuery,
  ConsentForm,
  Introspection,
  LoginForm,
  oauthScopes,
  ServerMetadata,
  IntrospectionRequest,
  TokenRequest,
  TokenResponse,
} from './schema.ts';
import { introspect, revoke } from './introspection.ts';

const api = routes('OAuth 2.0');
const form = 'application/x-www-form-urlencoded';
const clientId = '01a1fe8f-1e78-7684-98f3-5a33b1554d4b';
const tokenOfClient = {
  schema: IntrospectionRequest,
  types: [form, 'application/json'],
  example: { token: 'q1w2e3r4t5y6u7i8o9p0', client_id: clientId },
} as const;

/** The endpoints of RFC 6749, and the forms of the authorization endpoint. */
export const protocolRoutes = (sessions: Sessions): Route[] => [
  api.get('/oauth/authorize', {
    id: 'authorize',
    summary: 'Ask a user whether an application may act for them',
    description:
      'A page for browsers: asks the user to log in and to allow the application, then redirects to redirect_uri with code, state and iss, or with error. A login token as bearer replaces the login.',
    auth: { access: 'anyone' },
    query: AuthorizeQuery,
    failures: { badQueryIs400: true, format: asPage },
    returns: raw('text/html'),
    mayRedirect: true,
    problems: ['invalid-request'],
    handle: (call) => showRequest(sessions, call),
  }),
  api.post('/oauth/login', {
    id: 'logInToAuthorize',
    summary: 'The form of the login page',
    description:
      'Not for applications: the page at `GET /oauth/authorize` sends it. Redirects back to that page.',
    auth: { access: 'anyone', ignoresCredentials: true },
    body: {
      schema: LoginForm,
      types: [form],
      example: { ticket: '…', email: 'ada@example.org', password: 'correct horse' },
    },
    returns: redirect(303),
    problems: ['unauthorized', 'forbidden'],
    failures: { format: asPage },
    handle: (call) => logIn(sessions, call),
  }),
  api.post('/oauth/authorize', {
    id: 'decideOnAuthorization',
    summary: 'The form of the page that asks the user to allow an application',
    description:
      'Not for applications: the page at `GET /oauth/authorize` sends it. Redirects to the application with a code, or with `access_denied`.',
    auth: { access: 'anyone', ignoresCredentials: true },
    body: { schema: ConsentForm, types: [form], example: { ticket: '…', decision: 'allow' } },
    returns: redirect(302),
    problems: ['invalid-request', 'forbidden'],
    failures: { format: asPage },
    handle: (call) => decide(sessions, call),
  }),
  api.post('/oauth/token', {
    id: 'issueOAuthTokens',
    summary: 'Exchange a code or a refresh token for tokens, or act as an application’s owner',
    description:
      'A code works once, within 60 s; a refresh token once, within 30 days. Using one again revokes all tokens from it. With client_credentials a confidential client acts for its owner.',
    auth: { access: 'anyone', ignoresCredentials: true },
    body: {
      schema: TokenRequest,
      types: [form, 'application/json'],
      example: {
        grant_type: 'client_credentials',
        client_id: clientId,
        client_secret: 'Zk3Y0cR3q8T1b2V5x7N9aQ',
      },
    },
    returns: bare(TokenResponse),
    problems: ['unauthorized'],
    failures: { format: asOAuthError },
    handle: (call) => {
      call.header('cache-control', 'no-store');
      return issueTokens(call.ctx, sessions, call);
    },
  }),
  api.post('/oauth/revoke', {
    id: 'revokeOAuthToken',
    summary: 'Revoke a token of the client',
    description: 'RFC 7009. Revoking a refresh token revokes all tokens from the same code.',
    auth: { access: 'anyone', ignoresCredentials: true },
    body: tokenOfClient,
    returns: bare(Type.Object({})),
    problems: ['unauthorized'],
    failures: { format: asOAuthError },
    handle: async (call) => {
      await revoke(call.ctx, sessions, call);
      // Some clients read JSON from every answer.
      return {};
    },
  }),
  api.post('/oauth/introspect', {
    id: 'introspectOAuthToken',
    summary: 'Introspect a token of the client',
    description: 'RFC 7662, for confidential clients.',
    auth: { access: 'anyone', ignoresCredentials: true },
    body: tokenOfClient,
    returns: bare(Introspection),
    problems: ['unauthorized'],
    failures: { format: asOAuthError },
    handle: (call) => {
      call.header('cache-control', 'no-store');
      return introspect(call.ctx, sessions, call);
    },
  }),
  api.get('/.well-known/oauth-authorization-server', {
    id: 'getOAuthMetadata',
    summary: 'Metadata of the authorization server',
    description:
      'Addresses, scopes and methods of the authorization server (RFC 8414), from which client libraries configure themselves.',
    auth: { access: 'anyone', ignoresCredentials: true },
    worksWithoutDatabase: true,
    returns: bare(ServerMetadata),
    handle: ({ ctx, header }) => {
      header('cache-control', 'public, max-age=300');
      return serverMetadata(ctx);
    },
  }),
];

const confidentialMethods = ['client_secret_basic', 'client_secret_post'];
const allMethods = [...confidentialMethods, 'none'];

/** Returns the authorization server metadata (RFC 8414 section 2). */
const serverMetadata = ({ config: { baseUrl }, site }: Context): ServerMetadata => ({
  issuer: baseUrl,
  authorization_endpoint: `${baseUrl}/oauth/authorize`,
  token_endpoint: `${baseUrl}/oauth/token`,
  revocation_endpoint: `${baseUrl}/oauth/revoke`,
  introspection_endpoint: `${baseUrl}/oauth/introspect`,
  jwks_uri: `${baseUrl}/.well-known/jwks.json`,
  service_documentation: `${baseUrl}${site.current.modules.developers ? '/docs' : '/openapi.json'}`,
  scopes_supported: [...oauthScopes],
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: grantTypes,
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: allMethods,
  revocation_endpoint_auth_methods_supported: allMethods,
  introspection_endpoint_auth_methods_supported: confidentialMethods,
  authorization_response_iss_parameter_supported: true,
});
