import { Type, type Static } from 'typebox';
import { keyLevels } from '../../platform/http/route.ts';
import { named, nullable, oneOf, Timestamp, Uuid } from '../../platform/http/schema.ts';
import { environments } from './key-text.ts';

const scopesMean =
  'The highest counts. read: GET. read_write: POST, PATCH and PUT too. full: everything, as a login token.';
const scopesOf = (description: string) => Type.Array(oneOf(keyLevels), { description });

export const ApiKey = named(
  'ApiKey',
  Type.Object({
    id: Uuid,
    name: Type.String(),
    prefix: Type.String({ description: 'How the key begins, so that you recognise it.' }),
    scopes: scopesOf(scopesMean),
    org_id: nullable(Uuid),
    environment: oneOf(environments, {
      description: 'live keys count in production, test keys everywhere else.',
    }),
    last_used_at: nullable(Timestamp),
    expires_at: nullable(Timestamp),
    created_at: Timestamp,
  }),
);
export type ApiKey = Static<typeof ApiKey>;

export const ApiKeyWithSecret = named(
  'ApiKeyWithSecret',
  Type.Object({
    ...ApiKey.properties,
    key: Type.String({ description: 'The key itself, shown this once. Keep it secret.' }),
  }),
);
export type ApiKeyWithSecret = Static<typeof ApiKeyWithSecret>;

const Name = Type.String({ minLength: 1, maxLength: 100, pattern: '\\S' });

export const ApiKeyInput = Type.Object({
  name: Name,
  scopes: Type.Optional(scopesOf(`${scopesMean} Where left out: read.`)),
  org_id: Type.Optional({
    ...nullable(Uuid),
    description: 'The organization for which the key is to act: one where you are owner or admin.',
  }),
  expires_at: Type.Optional({
    ...nullable(Type.String({ format: 'date-time' })),
    description: 'When the key ends; never where left out.',
  }),
});
export type ApiKeyInput = Static<typeof ApiKeyInput>;

export const ApiKeyUpdate = Type.Object({
  name: Type.Optional(Name),
  scopes: Type.Optional(scopesOf(scopesMean)),
});
export type ApiKeyUpdate = Static<typeof ApiKeyUpdate>;

export const ApiKeyRef = Type.Object({ id: Uuid });
