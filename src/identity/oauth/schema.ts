import { Type, type Static } from 'typebox';
import scopeDescriptions from '../../../locales/en/scopes.json' with { type: 'json' };
import type { OAuthScope } from '../../platform/http/credentials.ts';
import {
  idOf,
  named,
  nullable,
  oneOf,
  Timestamp,
  Uuid,
  VisibleText,
  secretKeyword,
} from '../../platform/http/schema.ts';

type Scopes = typeof scopeDescriptions;
declare module '../../platform/http/credentials.ts' {
  interface OAuthScopes extends Scopes {}
}

/** What OAuth grants can allow; the texts are those of the consent page. */
export { scopeDescriptions };
export const oauthScopes = Object.keys(scopeDescriptions) as OAuthScope[];

const scopes = (description: string) =>
  Type.Array(oneOf(oauthScopes), { minItems: 1, maxItems: 20, description });
const RedirectUris = Type.Array(Type.String({ minLength: 1, maxLength: 2000 }), {
  maxItems: 10,
  description:
    'https, http on loopback, or a private scheme with a dot. A request names one exactly; public clients may take any port of a loopback IP.',
});
const Name = VisibleText({
  minLength: 1,
  maxLength: 100,
  description: 'Shown to users on the consent page.',
});

export const OAuthClient = named(
  'OAuthClient',
  Type.Object({
    id: Uuid,
    client_id: Type.String({ format: 'uuid', description: 'The same as id.' }),
    client_secret: Type.Optional(
      Type.String({
        [secretKeyword]: true,
        description: 'Shown once: when the client is made, or its secret rotated.',
      }),
    ),
    name: Type.String(),
    redirect_uris: Type.Array(Type.String()),
    confidential: Type.Boolean({ description: 'Whether it has a secret.' }),
    scopes: Type.Array(oneOf(oauthScopes)),
    created_at: Timestamp,
  }),
);
export type OAuthClient = Static<typeof OAuthClient>;

export const OAuthClientInput = Type.Object({
  name: Name,
  redirect_uris: Type.Optional(RedirectUris),
  confidential: Type.Optional(
    Type.Boolean({
      default: true,
      description: 'Whether it can keep a secret. Applications on the device of a user cannot.',
    }),
  ),
  scopes: Type.Optional(scopes('All that it can request. Default: those for reading.')),
});
export type OAuthClientInput = Static<typeof OAuthClientInput>;

export const OAuthClientUpdate = Type.Object({
  name: Type.Optional(Name),
  redirect_uris: Type.Optional(RedirectUris),
  confidential: Type.Optional(Type.Boolean({ description: 'This cannot be changed.' })),
  scopes: Type.Optional(scopes('All that it can request from now on.')),
});
export type OAuthClientUpdate = Static<typeof OAuthClientUpdate>;

export const OAuthGrant = named(
  'OAuthGrant',
  Type.Object({
    id: Uuid,
    client_id: Uuid,
    client_name: Type.String(),
    scopes: Type.Array(oneOf(oauthScopes)),
    created_at: Timestamp,
    last_used_at: nullable({ ...Timestamp, description: 'When it last got a token.' }),
  }),
);
export type OAuthGrant = Static<typeof OAuthGrant>;

export const IdParam = Type.Object({ id: idOf('the client, or of the grant') });

const Text = (description: string, maxLength = 2000) =>
  Type.Optional(Type.String({ maxLength, description }));

/** Only client and address are required here: failures of other members are reported by a redirect. */
export const AuthorizeQuery = Type.Object({
  client_id: idOf('the client'),
  redirect_uri: Type.String({
    minLength: 1,
    maxLength: 2000,
    description: 'One of those that the client has registered.',
  }),
  response_type: Text('Needed: code'),
  state: Text('Needed: comes back with the answer'),
  scope: Text('With spaces between. All that the client may ask for, unless said'),
  code_challenge: Text('RFC 7636. Needed of public clients'),
  code_challenge_method: Text('S256'),
});
export type AuthorizeQuery = Static<typeof AuthorizeQuery>;

const FormTicket = Type.String({ minLength: 1, maxLength: 20_000 });

export const LoginForm = Type.Object({
  ticket: FormTicket,
  email: Type.String({ maxLength: 254 }),
  password: Type.String({ maxLength: 200 }),
});

export const ConsentForm = Type.Object({
  ticket: FormTicket,
  decision: oneOf(['allow', 'deny', 'switch']),
});

/** Credentials of a client that does not use HTTP Basic. */
const ClientCredentials = {
  client_id: Text('Needed without an Authorization header', 200),
  client_secret: Text('Of confidential clients; or send both as Authorization: Basic', 500),
};

export const TokenRequest = Type.Object({
  grant_type: Type.String({
    maxLength: 200,
    description: 'authorization_code, refresh_token or client_credentials',
  }),
  code: Text('With authorization_code'),
  redirect_uri: Text('With authorization_code: as in the request for the code'),
  code_verifier: Text('With authorization_code, where there was a code_challenge'),
  refresh_token: Text('With refresh_token'),
  scope: Text('Fewer scopes than were allowed'),
  ...ClientCredentials,
});
export type TokenRequest = Static<typeof TokenRequest>;

export const TokenResponse = named(
  'OAuthTokens',
  Type.Object({
    access_token: Type.String({ description: 'Send it as Authorization: Bearer.' }),
    token_type: oneOf(['Bearer']),
    expires_in: Type.Integer({ description: 'Lifetime of the access token in seconds.' }),
    refresh_token: Type.Optional(
      Type.String({ description: 'Works once, within 30 days. None with client_credentials.' }),
    ),
    scope: Type.String(),
  }),
);
export type TokenResponse = Static<typeof TokenResponse>;

/** A token to introspect or revoke. */
export const IntrospectionRequest = Type.Object({
  token: Type.String({ minLength: 1, maxLength: 5000 }),
  token_type_hint: Text('access_token or refresh_token'),
  ...ClientCredentials,
});
export type IntrospectionRequest = Static<typeof IntrospectionRequest>;

export const Introspection = named(
  'OAuthIntrospection',
  Type.Object({
    active: Type.Boolean(),
    scope: Type.Optional(Type.String()),
    client_id: Type.Optional(Uuid),
    sub: Type.Optional(Uuid),
    token_type: Type.Optional(oneOf(['Bearer'])),
    exp: Type.Optional(Type.Integer({ description: 'In seconds since 1970.' })),
    iss: Type.Optional(Type.String()),
  }),
);
export type Introspection = Static<typeof Introspection>;

export const OAuthFailure = named(
  'OAuthError',
  Type.Object(
    { error: Type.String(), error_description: Type.String() },
    { description: 'RFC 6749 section 5.2.' },
  ),
);

const Texts = Type.Array(Type.String());
export const ServerMetadata = named(
  'OAuthServerMetadata',
  Type.Object(
    {
      issuer: Type.String(),
      authorization_endpoint: Type.String(),
      token_endpoint: Type.String(),
      revocation_endpoint: Type.String(),
      introspection_endpoint: Type.String(),
      jwks_uri: Type.String(),
      service_documentation: Type.String(),
      scopes_supported: Texts,
      response_types_supported: Texts,
      response_modes_supported: Texts,
      grant_types_supported: Texts,
      code_challenge_methods_supported: Texts,
      token_endpoint_auth_methods_supported: Texts,
      revocation_endpoint_auth_methods_supported: Texts,
      introspection_endpoint_auth_methods_supported: Texts,
      authorization_response_iss_parameter_supported: Type.Boolean(),
    },
    { description: 'RFC 8414.' },
  ),
);
export type ServerMetadata = Static<typeof ServerMetadata>;
