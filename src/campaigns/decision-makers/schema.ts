import { Type, type Static } from 'typebox';
import {
  idOf,
  named,
  nullable,
  oneOf,
  RenderedText,
  Timestamp,
  Uuid,
  VisibleText,
} from '../../platform/http/schema.ts';
import { minShownOpinions, OpinionSums } from '../answer-opinions/schema.ts';
import { Petition } from '../petitions/schema.ts';

/** Events that webhooks, the event log and the real-time API publish. */
export const publicResponseEvents = ['response.submitted', 'response.published'] as const;

declare module '../../platform/events.ts' {
  interface EventTypes extends Record<(typeof publicResponseEvents)[number], true> {}
}

export const makerStates = ['pending', 'sent', 'opened', 'responded', 'failed'] as const;
export const positions = ['acknowledged', 'supportive', 'opposed', 'neutral'] as const;
export const summaryFormats = ['pdf', 'csv', 'none'] as const;

const ofNewest = 'Of the newest delivery.';

export const DecisionMaker = named(
  'DecisionMaker',
  Type.Object({
    id: Uuid,
    name: Type.String(),
    title: nullable(Type.String()),
    email: nullable(Type.String({ format: 'email' })),
    verified: Type.Boolean({ description: 'A moderator has checked who this is.' }),
    sending: Type.Boolean({ description: 'A delivery is under way: its mail is not out yet.' }),
    state: oneOf(makerStates, {
      description:
        'Of the newest delivery. pending: no mail has gone out; failed: the mail server refused it; responded: its link was answered. Delivering again begins it again.',
    }),
    delivered_at: nullable(Type.Unsafe<Date | string>({ ...Timestamp, description: ofNewest })),
    opened_at: nullable(Type.Unsafe<Date | string>({ ...Timestamp, description: ofNewest })),
    responded_at: nullable(
      Type.Unsafe<Date | string>({
        ...Timestamp,
        description: 'Of the newest response, by this link or an earlier one.',
      }),
    ),
    link_expires_at: nullable(Type.Unsafe<Date | string>({ ...Timestamp, description: ofNewest })),
    created_at: Timestamp,
  }),
);
export type DecisionMaker = Static<typeof DecisionMaker>;

export const VerificationInput = Type.Object({
  reason: Type.Optional(
    VisibleText({
      lines: 'many',
      minLength: 1,
      maxLength: 1000,
      description: 'For the audit log.',
    }),
  ),
});
export type VerificationInput = Static<typeof VerificationInput>;

export const VerifiedMaker = named(
  'VerifiedDecisionMaker',
  Type.Object({
    id: Uuid,
    petition_id: Uuid,
    name: Type.String(),
    title: nullable(Type.String()),
    mail_domain: nullable(Type.String()),
    verified: Type.Boolean(),
    verified_at: nullable(Timestamp),
  }),
);
export type VerifiedMaker = Static<typeof VerifiedMaker>;

export const MakerRef = Type.Object({
  id: Type.String({ description: 'Slug or id of the petition' }),
  dm_id: idOf('the decision maker'),
});

export const DeliveryInput = Type.Object({
  summary: Type.Optional(
    oneOf(summaryFormats, {
      default: 'pdf',
      description: 'The summary of the signatures that is attached.',
    }),
  ),
  message: Type.Optional(
    VisibleText({
      lines: 'many',
      maxLength: 2000,
      description: 'Your own words, quoted in the mail.',
    }),
  ),
});
export type DeliveryInput = Static<typeof DeliveryInput>;

/** Maximum length of a response in characters. */
export const maxResponseLength = 10_000;
/** Maximum length of who is responsible instead, in characters. */
export const maxResponsibleLength = 300;

export const ResponseInput = Type.Object({
  body: VisibleText({ lines: 'markdown', minLength: 1, maxLength: maxResponseLength }),
  status: Type.Optional(oneOf(positions)),
  not_responsible: Type.Optional(
    Type.Boolean({ default: false, description: 'It is not theirs to decide.' }),
  ),
  responsible: Type.Optional(
    VisibleText({
      maxLength: maxResponsibleLength,
      description: 'Who is responsible instead. Only with `not_responsible`.',
    }),
  ),
});
export type ResponseInput = Static<typeof ResponseInput>;

export const DecisionMakerResponse = named(
  'DecisionMakerResponse',
  Type.Object({
    id: Uuid,
    petition_id: Uuid,
    decision_maker: Type.Object({
      id: Uuid,
      name: Type.String(),
      title: nullable(Type.String()),
      verified: Type.Boolean({ description: 'A moderator has checked who this is.' }),
    }),
    answered_from: nullable(
      Type.String({
        description:
          'The domain of the address to which the link was mailed. It says nothing of who that is.',
      }),
    ),
    vouched_by: nullable(
      Type.Object(
        { id: Uuid, name: Type.String(), slug: Type.String() },
        { description: 'The verified organization whose website is at that domain.' },
      ),
    ),
    body: Type.String(),
    status: nullable(oneOf(positions)),
    not_responsible: Type.Boolean({ description: 'They say that it is not theirs to decide.' }),
    responsible: nullable(Type.String({ description: 'Who is responsible instead, as they say.' })),
    state: oneOf(['submitted', 'published']),
    opinions: {
      ...OpinionSums,
      description: `What signers of the petition think of it; null while fewer than ${minShownOpinions} have said so. Sums of more than 10,000 can be a minute old.`,
    },
    created_at: Timestamp,
    published_at: nullable(Timestamp),
  }),
);
export type DecisionMakerResponse = Static<typeof DecisionMakerResponse>;

export const RenderedResponse = named(
  'RenderedDecisionMakerResponse',
  Type.Object({ ...DecisionMakerResponse.properties, body_html: RenderedText }),
);
export type RenderedResponse = Static<typeof RenderedResponse>;

const {
  id: _id,
  petition_id: _petitionId,
  state: _state,
  opinions: _opinions,
  created_at: _createdAt,
  published_at: _publishedAt,
  ...previewed
} = RenderedResponse.properties;

/** A response as it would be shown, before it is sent. */
export const ResponsePreview = named('ResponsePreview', Type.Object(previewed));
export type ResponsePreview = Static<typeof ResponsePreview>;

export const Portal = named(
  'ResponsePortal',
  Type.Object({
    petition: Petition,
    signature_count: Type.Integer(),
    decision_maker: Type.Object({ name: Type.String(), title: nullable(Type.String()) }),
    responded: Type.Boolean({ description: 'This link was answered.' }),
    response: nullable(RenderedResponse),
    earlier_responses: Type.Array(RenderedResponse, {
      description: 'What the decision maker answered by earlier links, oldest first.',
    }),
    link_expires_at: Timestamp,
    summary: oneOf(summaryFormats, {
      description: 'The summary that was attached to the mail, which the link gives too.',
    }),
  }),
);
export type Portal = Static<typeof Portal>;

export const TokenRef = Type.Object({
  token: Type.String({ description: 'From the link in the mail; it needs no other credentials.' }),
});
export const ResponseRef = Type.Object({ id: idOf('the response') });
