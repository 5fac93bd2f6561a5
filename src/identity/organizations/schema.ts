import { Type, type Static } from 'typebox';
import {
  idOf,
  named,
  nullable,
  oneOf,
  createdQuery,
  pageQuery,
  RenderedText,
  Timestamp,
  Uuid,
  VisibleText,
  WebUrl,
} from '../../platform/http/schema.ts';
import { PublicProfile } from '../accounts/schema.ts';

declare module '../../platform/events.ts' {
  /** The data has org_id and user_id. */
  interface EventTypes extends Record<'organization.member_added', true> {}
}

export const tiers = ['free', 'pro', 'enterprise'] as const;
export type Tier = (typeof tiers)[number];
export const subscriptionStatuses = ['active', 'past_due', 'canceled'] as const;
export const roles = ['owner', 'admin', 'member'] as const;
export type Role = (typeof roles)[number];

export const Organization = named(
  'Organization',
  Type.Object({
    id: Uuid,
    name: Type.String(),
    slug: Type.String(),
    description: nullable(Type.String()),
    logo_url: nullable(Type.String()),
    cover_url: nullable(Type.String()),
    website: nullable(Type.String()),
    verified: Type.Boolean({ description: 'The service has made sure who it is.' }),
    tier: oneOf(tiers),
    member_count: Type.Integer({ description: 'The owner included.' }),
    petition_count: Type.Integer({ description: 'Petitions that everybody can see in lists.' }),
    created_at: Timestamp,
  }),
);
export type Organization = Static<typeof Organization>;

export const RenderedOrganization = named(
  'RenderedOrganization',
  Type.Object({ ...Organization.properties, description_html: nullable(RenderedText) }),
);
export type RenderedOrganization = Static<typeof RenderedOrganization>;

export const Membership = named(
  'Membership',
  Type.Object({
    id: Uuid,
    org_id: Uuid,
    user: PublicProfile,
    role: oneOf(roles),
    created_at: Timestamp,
  }),
);
export type Membership = Static<typeof Membership>;

export const Subscription = named(
  'Subscription',
  Type.Object({
    tier: oneOf(tiers),
    status: oneOf(subscriptionStatuses),
    member_limit: nullable(Type.Integer({ description: 'null: without limit.' })),
    member_count: Type.Integer({ description: 'The owner included.' }),
    current_period_end: nullable(Timestamp),
  }),
);
export type Subscription = Static<typeof Subscription>;

/** At least two characters without the spaces around them. */
const Name = VisibleText({ minLength: 2, maxLength: 100, pattern: '\\S[\\s\\S]*\\S' });
const Description = VisibleText({ lines: 'markdown', maxLength: 1000 });

export const OrganizationInput = Type.Object({
  name: Name,
  description: Type.Optional(Description),
  logo_url: Type.Optional(WebUrl),
  website: Type.Optional(WebUrl),
});
export type OrganizationInput = Static<typeof OrganizationInput>;

export const OrganizationUpdate = Type.Object({
  name: Type.Optional(Name),
  description: Type.Optional(nullable(Description)),
  logo_url: Type.Optional(nullable(WebUrl)),
  cover_url: Type.Optional(nullable(WebUrl)),
  website: Type.Optional(nullable(WebUrl)),
});
export type OrganizationUpdate = Static<typeof OrganizationUpdate>;

/** A time that JavaScript and PostgreSQL can represent: no leap seconds, a year of four digits. */
const PeriodEnd = Type.String({
  format: 'date-time',
  pattern: '^2\\d{3}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:[0-5]\\d(\\.\\d+)?(Z|[+-]\\d\\d:\\d\\d)$',
});

export const SubscriptionUpdate = Type.Object({
  tier: Type.Optional(oneOf(tiers)),
  verified: Type.Optional(Type.Boolean()),
  subscription_status: Type.Optional(oneOf(subscriptionStatuses)),
  current_period_end: Type.Optional(nullable(PeriodEnd)),
});
export type SubscriptionUpdate = Static<typeof SubscriptionUpdate>;

const GivenRole = oneOf(['admin', 'member']);

export const MemberInput = Type.Object({ user_id: Uuid, role: GivenRole });
export type MemberInput = Static<typeof MemberInput>;

export const RoleInput = Type.Object({ role: GivenRole });

export const OrganizationRef = Type.Object({
  org_id: Type.String({ description: 'Slug or id of the organization' }),
});

export const MembershipRef = Type.Object({
  ...OrganizationRef.properties,
  membership_id: idOf('the membership'),
});
export type MembershipRef = Static<typeof MembershipRef>;

export const OrganizationListQuery = Type.Object({
  verified_only: Type.Optional(
    Type.Boolean({ default: false, description: 'Organizations that were verified only.' }),
  ),
  ...createdQuery,
  ...pageQuery,
});
export type OrganizationListQuery = Static<typeof OrganizationListQuery>;

export const MemberListQuery = Type.Object({
  role: Type.Optional(oneOf(roles, { description: 'Members with that role only.' })),
  ...createdQuery,
  ...pageQuery,
});
export type MemberListQuery = Static<typeof MemberListQuery>;
