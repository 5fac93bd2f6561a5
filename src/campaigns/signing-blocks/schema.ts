import { Type, type Static } from 'typebox';
import {
  named,
  nullable,
  oneOf,
  Timestamp,
  Uuid,
  VisibleText,
} from '../../platform/http/schema.ts';

export const blockKinds = ['network', 'domain', 'country'] as const;
export const blockActions = ['refuse', 'hold'] as const;

const Action = oneOf(blockActions, {
  description:
    '`refuse` answers signing with 403 signing_refused. `hold` stores the signature, which counts once a moderator releases it.',
});

export const SigningBlock = named(
  'SigningBlock',
  Type.Object({
    id: Uuid,
    petition_id: nullable(Type.String({ format: 'uuid', description: 'Null: on all petitions.' })),
    kind: oneOf(blockKinds),
    value: Type.String(),
    action: Action,
    reason: Type.String(),
    created_by: nullable(Uuid),
    created_at: Timestamp,
    ends_at: nullable(Timestamp),
  }),
);
export type SigningBlock = Static<typeof SigningBlock>;

export const SigningBlockInput = Type.Object({
  petition_id: Type.Optional(Uuid),
  kind: oneOf(blockKinds),
  value: Type.String({
    minLength: 1,
    maxLength: 253,
    description:
      'network: in CIDR form, at most as wide as /8, or /16 of IPv6; with petition_id also the id that the integrity report gives a network or address. domain: of the signers’ email addresses. country: ISO 3166-1 alpha-2, of their IP addresses.',
  }),
  action: Action,
  reason: VisibleText({ lines: 'many', minLength: 1, maxLength: 1000 }),
  ends_at: Type.Optional(
    Type.String({ format: 'date-time', description: 'Until then. Without it, until removed.' }),
  ),
});
export type SigningBlockInput = Static<typeof SigningBlockInput>;
