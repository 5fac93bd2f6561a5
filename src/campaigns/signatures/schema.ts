import { Type, type Static } from 'typebox';
import { PublicProfile } from '../../identity/accounts/schema.ts';
import { RecaptchaToken } from '../../identity/captcha/schema.ts';
import {
  named,
  nullable,
  oneOf,
  Timestamp,
  Uuid,
  VisibleText,
} from '../../platform/http/schema.ts';

/** Events that webhooks, the event log and the real-time API publish. */
export const publicSignatureEvents = [
  'signature.created',
  'signature.milestone',
  'signature.removed',
] as const;

declare module '../../platform/events.ts' {
  /**
   * signature.invalidated and signature.restored are about one batch: rule_id, count, the new signature_count; `parts`
   * sums up what was moved, `items` has its ids and versions; `ended` is set on the last one. signature.restored is also
   * stored when places are read again: its count is 0, it has no items, and its parts subtract the old places and add the
   * new ones. signature.forgotten changes no count: the account of the signer of signature_id was erased, or a held or
   * invalid signature was withdrawn, removed or replaced.
   */
  interface EventTypes extends Record<
    | (typeof publicSignatureEvents)[number]
    | 'signature.invalidated'
    | 'signature.restored'
    | 'signature.forgotten',
    true
  > {}
}

/** Query parameter of lists of signatures. */
export const signedAfter = {
  signed_after: Type.Optional(
    Type.String({ format: 'date-time', description: 'Only signatures given after that time.' }),
  ),
};

export const SignatureInput = Type.Object({
  comment: Type.Optional(VisibleText({ lines: 'many', maxLength: 500 })),
  is_anonymous: Type.Optional(Type.Boolean({ default: false })),
  updates: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Whether to mail the signer news of the petition.',
    }),
  ),
  display_location: Type.Optional(
    VisibleText({
      maxLength: 200,
      description:
        'Shown beside the signature, such as "Leeds, GB". Maps count it towards the city, region or country that it names.',
    }),
  ),
  source: Type.Optional(
    Type.String({
      maxLength: 100,
      description:
        'Where the signer came from: the `utm_source` of the link, else the host of the referring page. Counted in the analytics of the petition; never shown with the signer.',
    }),
  ),
  recaptchaToken: Type.Optional(RecaptchaToken),
  access_code: Type.Optional(Type.String({ maxLength: 100 })),
  ref: Type.Optional(
    Type.String({
      description: 'Of the link by which the signer came. An unknown one is ignored.',
    }),
  ),
});
export type SignatureInput = Static<typeof SignatureInput>;

/**
 * Version of the sentences about consent and news at the form. Raise it when their meaning changes; signatures keep the one
 * that was shown.
 */
export const consentVersion = 1;

/** What the form showed that a signer agreed to; null by API. */
export interface ShownTerms {
  /** Version of its sentences. */
  consentVersion?: number | null;
  /** Version of the page on privacy; null where administrators wrote none. */
  privacyVersion?: number | null;
}

/** What a signer gave and agreed to. */
export interface GivenInput extends SignatureInput, ShownTerms {}

export const OwnSignatureInput = Type.Object({
  updates: Type.Optional(
    Type.Boolean({ description: 'Whether to mail you news of the petition.' }),
  ),
  comment: Type.Optional(nullable(VisibleText({ lines: 'many', maxLength: 500 }))),
});
export type OwnSignatureInput = Static<typeof OwnSignatureInput>;

export const SignatureState = oneOf(['counted', 'held', 'invalid'], {
  description:
    'Whether it counts. A held one waits for a moderator; an invalid one was found not to be honest.',
});
export type SignatureState = Static<typeof SignatureState>;

const ReceiptUrl = nullable(
  Type.String({
    format: 'uri',
    description:
      'Of the receipt, which shows that the signature is in the public log. Null where the service keeps no log.',
  }),
);

/** The language of a petition's title. */
const titleLanguage = nullable(
  Type.String({ description: 'Of the title, as its creator named it: ISO 639-1' }),
);

export const OwnSignature = named(
  'OwnSignature',
  Type.Object({
    id: Uuid,
    name: Type.String({ description: 'Shown with the signature, unless it is anonymous.' }),
    is_anonymous: Type.Boolean(),
    comment: nullable(Type.String()),
    display_location: nullable(Type.String()),
    updates: Type.Boolean({ description: 'Whether you asked for news of the petition by mail.' }),
    state: SignatureState,
    receipt_url: ReceiptUrl,
    created_at: Timestamp,
    petition: Type.Object({
      id: Uuid,
      slug: Type.String(),
      title: Type.String(),
      language: titleLanguage,
      status: oneOf(['under_review', 'active', 'closed', 'victory', 'draft']),
    }),
  }),
);
export type OwnSignature = Static<typeof OwnSignature>;

export const HeldSignature = named(
  'HeldSignature',
  Type.Object({
    id: Uuid,
    created_at: Timestamp,
    network: nullable(
      Type.String({
        description: 'Stands for the network in this petition only, as in the integrity report.',
      }),
    ),
    country: nullable(Type.String({ description: 'ISO 3166-1 alpha-2' })),
    mail_domain: nullable(Type.String()),
    display_location: nullable(Type.String()),
    comment: nullable(Type.String()),
  }),
);
export type HeldSignature = Static<typeof HeldSignature>;

export const SignatureDecision = named(
  'SignatureDecision',
  Type.Object({
    id: Uuid,
    petition_id: Uuid,
    state: SignatureState,
    signature_count: Type.Integer({ description: 'Exact: the count after the decision.' }),
  }),
);
export type SignatureDecision = Static<typeof SignatureDecision>;

export const SignatureDecisionInput = Type.Object({
  reason: Type.Optional(VisibleText({ lines: 'many', minLength: 1, maxLength: 1000 })),
});
export type SignatureDecisionInput = Static<typeof SignatureDecisionInput>;

export const SignatureReceipt = named(
  'SignatureReceipt',
  Type.Object({
    id: Uuid,
    petition_id: Uuid,
    user_id: Uuid,
    is_anonymous: Type.Boolean(),
    state: SignatureState,
    signature_count: Type.Integer({ description: 'Exact: the count with this signature.' }),
    milestone_reached: Type.Boolean({ description: 'This signature reached a milestone.' }),
    receipt_url: ReceiptUrl,
  }),
);
export type SignatureReceipt = Static<typeof SignatureReceipt>;

export const UserSignature = named(
  'UserSignature',
  Type.Object({
    id: Uuid,
    petition: Type.Object({
      id: Uuid,
      slug: Type.String(),
      title: Type.String(),
      language: titleLanguage,
    }),
    comment: nullable(Type.String()),
    display_location: nullable(Type.String()),
    created_at: Timestamp,
  }),
);
export type UserSignature = Static<typeof UserSignature>;

export const Signature = named(
  'Signature',
  Type.Object({
    id: Uuid,
    user: nullable(PublicProfile),
    comment: nullable(Type.String()),
    is_anonymous: Type.Boolean(),
    display_location: nullable(Type.String()),
    created_at: Timestamp,
  }),
);
export type Signature = Static<typeof Signature>;
