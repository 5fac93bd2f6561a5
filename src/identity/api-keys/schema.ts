import { Type, type Static } from 'typebox';
import { keyLevels } from '../../platform/http/route.ts';
import {
  idOf,
  named,
  nullable,
  oneOf,
  Timestamp,
  Uuid,
  VisibleText,
} from '../../platform/http/schema.ts';
import { environments } from './key-text.ts';

const scopesDescription =
  'The highest applies. read: GET. read_write: also POST, PATCH and PUT. full: everything, like a login token. The role of a moderator or administrator comes with full alone.';
const scopesOf = (description: string) => Type.Array(oneOf(keyLevels), { description });

export const ApiKey = named(
  'ApiKey',
  Type.Object({
    id: Uuid,
    name: Type.String(),
    prefix: Type.String({ description: 'The start of the key, to recognise it.' }),
    scopes: scopesOf(scopesDescription),
    org_id: nullable(Uuid),
    environment: oneOf(environments, {
      description: 'A test key works outside production only.',
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
    key: Type.String({ description: 'The key itself, shown only here. Keep it secret.' }),
  }),
);
export type ApiKeyWithSecret = Static<typeof ApiKeyWithSecret>;

const Name = VisibleText({ minLength: 1, maxLength: 100 });

export const ApiKeyInput = Type.Object({
  name: Name,
  scopes: Type.Optional(scopesOf(`${scopesDescription} Default: read.`)),
  org_id: Type.Optional({
    ...nullable(Uuid),
    description: 'The organization for which the key is to act: one where you are owner or admin.',
  }),
  environment: Type.Optional(
    oneOf(environments, {
      default: 'live',
      description: 'In production there are no test keys yet: 501.',
    }),
  ),
  expires_at: Type.Optional({
    ...nullable(Type.String({ format: 'date-time' })),
    description: 'When the key ends. Default: never.',
  }),
});
export type ApiKeyInput = Static<typeof ApiKeyInput>;

export const ApiKeyUpdate = Type.Object({
  name: Type.Optional(Name),
  scopes: Type.Optional(scopesOf(scopesDescription)),
});
export type ApiKeyUpdate = Static<typeof ApiKeyUpdate>;

export const ApiKeyRef = Type.Object({ id: idOf('the key') });
