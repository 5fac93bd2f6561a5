import { Type, type Static } from 'typebox';
import {
  Email,
  idOf,
  named,
  nullable,
  oneOf,
  Timestamp,
  Uuid,
} from '../../platform/http/schema.ts';

export const LoginInput = Type.Object({
  email: Email,
  password: Type.String({ minLength: 1, maxLength: 200 }),
});

export const TokenPair = named(
  'TokenPair',
  Type.Object({
    token: Type.String({ description: 'ID token (JWT) with your identity.' }),
    access_token: Type.String({ description: 'Send it as Authorization: Bearer.' }),
    refresh_token: Type.String({ description: 'Works once: each use gives a new pair.' }),
    expires_in: Type.Integer({ description: 'Lifetime of the access token in seconds.' }),
    token_type: oneOf(['Bearer']),
  }),
);
export type TokenPair = Static<typeof TokenPair>;

export const RefreshInput = Type.Object({
  refresh_token: Type.String({ minLength: 1, maxLength: 500 }),
});

export const RevokeInput = Type.Object({
  token: Type.String({ minLength: 1, maxLength: 5000 }),
  token_type_hint: Type.Optional(oneOf(['access_token', 'refresh_token'])),
});

export const JsonWebKeySet = named(
  'JsonWebKeySet',
  Type.Object({
    keys: Type.Array(
      Type.Object({
        kty: Type.String(),
        crv: Type.String(),
        x: Type.String(),
        kid: Type.String(),
        alg: Type.String(),
        use: Type.String(),
      }),
    ),
  }),
);

export const Session = named(
  'Session',
  Type.Object({
    id: Uuid,
    device: nullable(
      Type.String({
        description: 'Browser and operating system that it was last used with, as far as known.',
      }),
    ),
    country: nullable(
      Type.String({
        description: 'Where it was last used: ISO 3166-1 alpha-2, by the IP address.',
      }),
    ),
    created_at: Timestamp,
    last_seen_at: Timestamp,
    current: Type.Boolean({ description: 'Whether the access token of this call belongs to it.' }),
  }),
);
export type Session = Static<typeof Session>;

export const SessionRef = Type.Object({ id: idOf('the session') });
