import { Type, type Static } from 'typebox';
import { PublicProfile } from '../../identity/accounts/schema.ts';
import {
  createdQuery,
  Email,
  idOf,
  ImageAlt,
  named,
  nullable,
  oneOf,
  pageQuery,
  RenderedText,
  secretKeyword,
  someOf,
  Timestamp,
  Uuid,
  VisibleText,
  WebUrl,
} from '../../platform/http/schema.ts';
import { tooManyCode } from '../../platform/http/validation.ts';
import { Category, categoryFilter, categoryLanguage } from '../categories/schema.ts';

/** Events that webhooks, the event log and the real-time API publish. */
export const publicPetitionEvents = [
  'petition.created',
  'petition.updated',
  'petition.published',
  'petition.closed',
  'petition.victory',
] as const;

declare module '../../platform/events.ts' {
  /**
   * The data of petition.rejected has act_id, whose reason is in the audit log. petition.closing is stored a day before the
   * date on which the petition closes, which its data has as closes_at. petition.imported has the count of signatures that
   * the import gave as a number, which can be 0.
   */
  interface EventTypes extends Record<
    | (typeof publicPetitionEvents)[number]
    | 'petition.closing'
    | 'petition.deleted'
    | 'petition.imported'
    | 'petition.under_review'
    | 'petition.approved'
    | 'petition.rejected',
    true
  > {}
}

/** Statuses in which the public may read a petition, unless it is private. */
export const publishedStatuses = ['active', 'closed', 'victory'] as const;
export const petitionStatuses = ['draft', 'under_review', ...publishedStatuses] as const;
export const visibilities = ['public', 'private', 'unlisted'] as const;
export const signaturePrivacies = ['public', 'creator_only', 'count_only'] as const;
export const sorts = ['recent', 'popular', 'trending'] as const;

/** From this many signatures on, a change of the text is shown, and signers and moderators are told. */
export const minSignaturesBeforeChange = 100;

export const TextChange = named(
  'TextChange',
  Type.Object(
    {
      at: Timestamp,
      signatures_before: Type.Integer({
        description: `Signatures that counted before: ${minSignaturesBeforeChange} or more.`,
      }),
      version: Type.Integer({ description: 'The version of the text that the change made.' }),
    },
    {
      description: `The last change of title or description that at least ${minSignaturesBeforeChange} people had signed before.`,
    },
  ),
);
export type TextChange = Static<typeof TextChange>;

const summary = {
  id: Uuid,
  slug: Type.String(),
  title: Type.String(),
  description: Type.String(),
  status: oneOf(petitionStatuses),
  signature_count: Type.Integer(),
  signature_goal: nullable(Type.Integer()),
  closes_at: nullable({
    ...Timestamp,
    description: 'From then on nobody can sign; it is closed then. Null without such a date.',
  }),
  image_url: nullable(Type.String()),
  image_alt: nullable(Type.String({ description: 'What the picture shows, in words' })),
  language: nullable(
    Type.String({ description: 'Of the text, as its creator named it: ISO 639-1' }),
  ),
  category: nullable(Category),
  creator: nullable(PublicProfile),
  created_at: Timestamp,
  published_at: nullable(Timestamp),
  promoted: Type.Boolean({ description: 'Paid for, and so first in trending.' }),
  log_id: nullable({
    ...Uuid,
    description:
      'Names the petition in the public log. Null unless it is public and was published, and where the service keeps no log.',
  }),
};

export const PetitionSummary = named('PetitionSummary', Type.Object(summary));
export type PetitionSummary = Static<typeof PetitionSummary>;

/** A petition in events and exports, which have no rendered text. */
export const PetitionRecord = Type.Object({
  ...summary,
  visibility: oneOf(visibilities),
  tags: Type.Array(Type.String()),
  signature_privacy: oneOf(signaturePrivacies),
  location_city: nullable(Type.String()),
  location_region: nullable(Type.String()),
  location_country: nullable(Type.String()),
  org_id: nullable(Uuid),
  decision_makers: Type.Array(
    Type.Object({
      id: Uuid,
      name: Type.String(),
      title: nullable(Type.String()),
      email: Type.Optional(
        Type.String({ format: 'email', description: 'Shown to the creator only.' }),
      ),
      verified: Type.Boolean({ description: 'A moderator has checked who this is.' }),
    }),
  ),
  victory_message: nullable(Type.String()),
  closed_at: nullable(Timestamp),
  text_change: nullable(TextChange),
  share_url: Type.String({ format: 'uri' }),
  embed_url: Type.String({ format: 'uri' }),
  access_code: Type.Optional(
    Type.String({
      description: 'Opens a private petition. Shown to its creator only.',
      [secretKeyword]: true,
    }),
  ),
});
export type PetitionRecord = Static<typeof PetitionRecord>;

export const Petition = named(
  'Petition',
  Type.Object({ ...PetitionRecord.properties, description_html: RenderedText }),
);
export type Petition = Static<typeof Petition>;

const Title = VisibleText({ minLength: 5, maxLength: 200 });
/** The longest text that is Markdown. */
export const maxDescriptionLength = 50_000;
const Description = VisibleText({
  lines: 'markdown',
  minLength: 50,
  maxLength: maxDescriptionLength,
});
// Filters separate tags by commas.
const Tag = VisibleText({ minLength: 1, maxLength: 50, pattern: '^\\s*[^\\s,][^,]*$' });
const Tags = Type.Array(Tag, {
  maxItems: 10,
  [tooManyCode]: 'tag_limit_exceeded',
});
const Goal = Type.Integer({ minimum: 1, maximum: 2_000_000_000 });
/** When the petition closes by itself. */
const ClosingDate = Type.String({
  format: 'date-time',
  description: 'From then on nobody can sign; the petition is closed then. In the future.',
});
/** Language of the text; search detects it if absent. */
const Language = Type.String({ pattern: '^[a-z]{2}$', description: 'ISO 639-1, of the text' });
const Place = Type.Optional(VisibleText({ maxLength: 100 }));
const ClearablePlace = Type.Optional(nullable(VisibleText({ maxLength: 100 })));
const Country = Type.String({
  pattern: '^[A-Za-z]{2}$',
  description: 'ISO 3166-1 alpha-2',
});

export const maxDecisionMakers = 50;

/** Maximum length of a decision maker's name, in characters. */
export const maxMakerNameLength = 200;

export const DecisionMakerInput = Type.Object({
  name: VisibleText({ minLength: 1, maxLength: maxMakerNameLength }),
  title: Type.Optional(VisibleText({ maxLength: 200 })),
  email: Email,
});
export type DecisionMakerInput = Static<typeof DecisionMakerInput>;

export const PetitionInput = Type.Object({
  title: Title,
  description: Description,
  categoryId: Type.Optional(Uuid),
  tags: Type.Optional(Tags),
  imageUrl: Type.Optional(WebUrl),
  imageAlt: Type.Optional(ImageAlt),
  signatureGoal: Type.Optional(Goal),
  closesAt: Type.Optional(ClosingDate),
  visibility: Type.Optional(oneOf(visibilities, { default: 'public' })),
  locationCity: Place,
  locationRegion: Place,
  locationCountry: Type.Optional(Country),
  language: Type.Optional(Language),
  signaturePrivacy: Type.Optional(oneOf(signaturePrivacies, { default: 'public' })),
  decisionMakers: Type.Optional(Type.Array(DecisionMakerInput, { maxItems: maxDecisionMakers })),
  orgId: Type.Optional(Uuid),
});
export type PetitionInput = Static<typeof PetitionInput>;

export const PetitionUpdate = Type.Object({
  title: Type.Optional(Title),
  description: Type.Optional(Description),
  categoryId: Type.Optional(nullable(Uuid)),
  tags: Type.Optional(Tags),
  imageUrl: Type.Optional(nullable(WebUrl)),
  imageAlt: Type.Optional(nullable(ImageAlt)),
  signatureGoal: Type.Optional(nullable(Goal)),
  closesAt: Type.Optional(nullable(ClosingDate)),
  language: Type.Optional(nullable(Language)),
  visibility: Type.Optional(oneOf(visibilities)),
  locationCity: ClearablePlace,
  locationRegion: ClearablePlace,
  locationCountry: Type.Optional(nullable(Country)),
  signaturePrivacy: Type.Optional(
    oneOf(signaturePrivacies, { description: 'Of what was never published.' }),
  ),
  orgId: Type.Optional({ ...nullable(Uuid), description: 'Of what was never published.' }),
});
export type PetitionUpdate = Static<typeof PetitionUpdate>;

export const VictoryInput = Type.Object({
  victory_message: Type.Optional(VisibleText({ lines: 'markdown', maxLength: 10_000 })),
});

export const PetitionVersion = named(
  'PetitionVersion',
  Type.Object({
    version: Type.Integer(),
    title: nullable(Type.String({ description: 'Null if a moderator has removed it.' })),
    description: nullable(Type.String({ description: 'Null if a moderator has removed it.' })),
    redaction_reason: nullable(Type.String({ description: 'Why a moderator has removed text.' })),
    text_hash: Type.String({
      description:
        'SHA-256 of the UTF-8 bytes of title, line feed, description, in base64url without padding. It stays when text is removed.',
    }),
    signatures_before: nullable(
      Type.Integer({
        description:
          'Signatures that counted when this text replaced the one before. Null for the first version, and for those stored before this was counted.',
      }),
    ),
    created_at: Timestamp,
  }),
);

export const RedactionInput = Type.Object({
  title: Type.Optional(Title),
  description: Type.Optional(Description),
  language: Type.Optional(Language),
  reason: VisibleText({ lines: 'many', minLength: 1, maxLength: 2000 }),
});
export type RedactionInput = Static<typeof RedactionInput>;
export type PetitionVersion = Static<typeof PetitionVersion>;

/** Query parameters that filter by tags. */
export const tagFilter = {
  tags: Type.Optional(
    Type.String({ maxLength: 600, description: 'Separated by commas; all of them must be there.' }),
  ),
  tag: Type.Optional(Type.String({ maxLength: 600, description: 'Same as `tags`.' })),
};

export const maxListedIds = 100;

/** Query parameters that filter petitions, in lists and exports. */
export const petitionFilter = {
  status: Type.Optional(
    someOf(['draft', ...publishedStatuses], 'Drafts are shown to their creator alone.'),
  ),
  ...categoryFilter,
  creatorId: Type.Optional(idOf('the account that created them')),
  ...tagFilter,
  ...createdQuery,
};

export const PetitionListQuery = Type.Object({
  ...petitionFilter,
  ids: Type.Optional(
    Type.String({
      maxLength: 4_000,
      description: `Up to ${maxListedIds} ids, separated by commas: all of them in this order on one page, unlisted petitions included, without those that you may not read. Not with \`sort\`, \`cursor\` or \`limit\`.`,
    }),
  ),
  sort: Type.Optional(
    oneOf(sorts, {
      default: 'recent',
      description:
        'recent: published last; popular: most signatures; trending: most signatures lately.',
    }),
  ),
  ...categoryLanguage,
  ...pageQuery,
});
export type PetitionListQuery = Static<typeof PetitionListQuery>;

/** Of lists of one owner's petitions. */
export const OwnerListQuery = Type.Object({ ...categoryLanguage, ...pageQuery });
export type OwnerListQuery = Static<typeof OwnerListQuery>;

export const PetitionRef = Type.Object({
  id: Type.String({ description: 'Slug or id of the petition' }),
});

export const AccessCodeQuery = Type.Object({
  access_code: Type.Optional(
    Type.String({ maxLength: 100, description: 'Opens a private petition.' }),
  ),
});

/** A tracking parameter of a link. Other sites append theirs too, so one may occur twice. */
const trackingParam = (description: string) =>
  Type.Optional(Type.Union([Type.String(), Type.Array(Type.String())], { description }));
export type TrackingParam = string | string[] | undefined;

/** Returns the first value of a tracking parameter. */
export const firstTrackingValue = (value: TrackingParam): string | undefined =>
  [value ?? []].flat()[0];

export const ReadQuery = Type.Object({
  ...AccessCodeQuery.properties,
  ...categoryLanguage,
  ref: trackingParam('Of the link by which the reader came. Unknown ones are ignored.'),
  utm_source: trackingParam(
    'Under which the read is counted, instead of the host of the referring page.',
  ),
});
export type ReadQuery = Static<typeof ReadQuery>;
