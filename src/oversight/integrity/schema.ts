import { Type, type Static } from 'typebox';
import {
  named,
  nullable,
  oneOf,
  Timestamp,
  Uuid,
  VisibleText,
} from '../../platform/http/schema.ts';

declare module '../../platform/events.ts' {
  /** Something stands out in the signatures of a petition. The data is that of an alert. */
  interface EventTypes extends Record<'integrity.alert', true> {}
}

export const alertKinds = ['burst', 'network', 'domain', 'mailbox', 'country'] as const;
export type AlertKind = (typeof alertKinds)[number];

const Count = Type.Integer({ minimum: 0 });
const Share = Type.Number({
  minimum: 0,
  maximum: 1,
  description: 'Of the valid signatures given here.',
});
const NetworkId = Type.String({
  pattern: '^[0-9a-f]{10}([0-9a-f]{6})?$',
  description:
    'Stands for a network (10 digits; /24, /48 of IPv6) or one address in it (16) in this petition only.',
});
const Country = Type.String({ pattern: '^[A-Z]{2}$', description: 'ISO 3166-1 alpha-2' });

const part = { count: Count, share: Share, invalid: Count };

export const InvalidationRule = named(
  'InvalidationRule',
  Type.Object(
    {
      network: Type.Optional(NetworkId),
      country: Type.Optional(Country),
      domain: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 253,
          pattern: '^[^@\\s]+$',
          description: "Of the signers' email addresses.",
        }),
      ),
      disposable: Type.Optional(
        Type.Boolean({ description: 'Signers with an address of a disposable domain.' }),
      ),
      from: Type.Optional(Type.String({ format: 'date-time' })),
      until: Type.Optional(Type.String({ format: 'date-time', description: 'Exclusive.' })),
    },
    { description: 'At least one condition; a signature must meet all of them.' },
  ),
);
export type InvalidationRule = Static<typeof InvalidationRule>;

const alert = {
  kind: oneOf(alertKinds),
  value: Type.String({
    description:
      'burst: when it began. network: its id. domain: the domain, or `disposable` for all of these. mailbox: the domain of many addresses with a tag. country: what signers state, other than that of their IP address.',
  }),
  since: Timestamp,
  signatures: Type.Integer({ description: 'In the ten minutes in which they were most.' }),
  usual: Type.Number({ description: 'How many were expected.' }),
};

/** Data of the event integrity.alert. */
export const IntegrityAlert = named(
  'IntegrityAlert',
  Type.Object({ petition_id: Uuid, id: Uuid, ...alert }),
);

export const IntegrityReport = named(
  'IntegrityReport',
  Type.Object({
    petition_id: Uuid,
    totals: Type.Object({
      valid: Count,
      invalid: Count,
      imported: Type.Integer({ description: 'Came with an import as a number only.' }),
      held: Type.Integer({ description: 'Wait for a moderator; at most 1,000 are counted.' }),
    }),
    unconfirmed: Type.Object(part, {
      description: 'Signers whose address was not proven when they signed, or since.',
    }),
    aliases: Type.Object(part, {
      description: 'Signers whose address has a tag, as in name+tag@example.org.',
    }),
    elsewhere: Type.Object(part, {
      description: 'Signers who state another country than that of their IP address.',
    }),
    alerts: Type.Array(Type.Object(alert), {
      description: 'What stood out in the last 7 days, newest first, one for each cause.',
    }),
    proposals: Type.Array(
      Type.Object({
        rule: InvalidationRule,
        matches: Count,
        share: Share,
      }),
      { description: 'Rules for what stood out, ready to be previewed and applied.' },
    ),
    sampled: Type.Number({
      description:
        'The part of the signatures from which all below but the bursts is computed: 1 up to 100,000.',
    }),
    bursts: Type.Array(
      Type.Object({ from: Timestamp, until: Timestamp, count: Count, usual: Type.Number() }),
      {
        description:
          'Spans in which far more signed, valid or not, than the petition is used to: their minutes or hours are more than 6 robust standard deviations above the median. The largest first; `usual` is the median for that span.',
      },
    ),
    networks: Type.Array(
      Type.Object({
        network: NetworkId,
        ...part,
        countries: Type.Array(Country),
        first_at: Timestamp,
        last_at: Timestamp,
        cadence: nullable(
          Type.Number({
            description:
              'Standard deviation of the pauses between its signatures, by their mean: about 1 for people, near 0 for a script. Null below 20 signatures.',
          }),
        ),
        shared: Type.Boolean({ description: 'A shared network has it, or a part of it.' }),
      }),
    ),
    countries: Type.Array(Type.Object({ country: Country, ...part })),
    mail_domains: Type.Array(
      Type.Object({
        domain: nullable(Type.String({ description: 'Null if all accounts with it were erased.' })),
        ...part,
        disposable: Type.Boolean({ description: 'In the kept list of disposable domains.' }),
      }),
    ),
    devices: Type.Array(
      Type.Object({
        device: oneOf(['phone', 'tablet', 'desktop', 'bot', 'unknown']),
        ...part,
      }),
    ),
  }),
);
export type IntegrityReport = Static<typeof IntegrityReport>;

export const PreviewInput = Type.Object({ rule: InvalidationRule });

export const InvalidationInput = Type.Object({
  rule: InvalidationRule,
  reason: VisibleText({ lines: 'many', minLength: 1, maxLength: 1000 }),
});
export type InvalidationInput = Static<typeof InvalidationInput>;

export const InvalidationPreview = named(
  'InvalidationPreview',
  Type.Object({
    matched: Type.Integer({ description: 'Valid signatures that meet the rule now.' }),
    share: Share,
    signature_count_after: Count,
    milestones: Type.Array(Type.Integer(), { description: 'Those that would be void.' }),
    sample: Type.Array(
      Type.Object({
        id: Uuid,
        created_at: Timestamp,
        network: nullable(NetworkId),
        country: nullable(Country),
        mail_domain: nullable(Type.String()),
      }),
      { description: 'The newest 10.' },
    ),
  }),
);
export type InvalidationPreview = Static<typeof InvalidationPreview>;

export const invalidationStates = ['applying', 'applied', 'undoing', 'undone'] as const;

export const Invalidation = named(
  'Invalidation',
  Type.Object({
    id: Uuid,
    petition_id: Uuid,
    rule: InvalidationRule,
    reason: nullable(
      Type.String({ description: "Its words go with the account of the petition's creator." }),
    ),
    state: oneOf(invalidationStates),
    matched: Type.Integer({ description: 'Valid signatures that met the rule when it was made.' }),
    invalidated: Type.Integer({ description: 'Signatures made invalid by it so far.' }),
    restored: Type.Integer({ description: 'Those of them that its undoing has released so far.' }),
    created_by: nullable(Uuid),
    created_at: Timestamp,
    applied_at: nullable(Timestamp),
    undone_by: nullable(Uuid),
    undone_at: nullable(Timestamp),
  }),
);
export type Invalidation = Static<typeof Invalidation>;

export const SharedNetwork = named(
  'SharedNetwork',
  Type.Object({
    id: Uuid,
    network: Type.String({ description: 'In CIDR form' }),
    note: Type.String(),
    limit: Type.Integer({ description: 'Signatures an hour from each of its addresses' }),
    created_at: Timestamp,
  }),
);

export const SharedNetworkInput = Type.Object({
  network: Type.String({
    maxLength: 50,
    description:
      'In CIDR form: 192.0.2.0/24 or 2001:db8::/32. At most as wide as /8, or /16 of IPv6.',
  }),
  note: VisibleText({ minLength: 1, maxLength: 200 }),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000, default: 200 })),
});
