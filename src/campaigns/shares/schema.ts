import { Type, type Static } from 'typebox';
import { named, nullable, oneOf, Uuid } from '../../platform/http/schema.ts';
import { AccessCodeQuery } from '../petitions/schema.ts';

/** Known to the constraint `shares_channel_known` too. */
export const channels = [
  'facebook',
  'x',
  'whatsapp',
  'telegram',
  'signal',
  'sms',
  'mastodon',
  'bluesky',
  'email',
  'link',
  'qr',
  'other',
] as const;
export type Channel = (typeof channels)[number];

export const ShareInput = Type.Object({ channel: oneOf(channels) });
export type ShareInput = Static<typeof ShareInput>;

const link = {
  share_url: Type.String({ format: 'uri', description: "The petition's page, with the ref." }),
  ref: Type.String({ description: 'Send it as `ref` when somebody signs who came by the link.' }),
};

export const ShareLink = named('ShareLink', Type.Object(link));
export type ShareLink = Static<typeof ShareLink>;

export const OwnShare = named(
  'OwnShare',
  Type.Object(
    {
      channel: oneOf(channels),
      ...link,
      share_count: Type.Integer({ description: 'Days, in UTC, on which you shared it there.' }),
      visits: Type.Integer({ description: 'Reads of the petition by the link.' }),
      signatures: Type.Integer({ description: 'Valid signatures that came by the link.' }),
    },
    { description: 'A link by which you shared a petition. No one else sees it.' },
  ),
);
export type OwnShare = Static<typeof OwnShare>;

export const LeaderboardQuery = Type.Object({
  ...AccessCodeQuery.properties,
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100,
      default: 10,
      description: 'Places of the ranking, at most.',
    }),
  ),
});
export type LeaderboardQuery = Static<typeof LeaderboardQuery>;

export const TopSharer = Type.Object({
  userId: Uuid,
  displayName: Type.String(),
  slug: Type.String(),
  avatarUrl: nullable(Type.String()),
  shareCount: Type.Integer(),
});
export type TopSharer = Static<typeof TopSharer>;

export const Leaderboard = named(
  'Leaderboard',
  Type.Object({
    topSharers: Type.Array(TopSharer, {
      description:
        'Most shares first; of those who share as often, who came to it first. None where signature_privacy is count_only.',
    }),
    totalShares: Type.Integer({
      description: 'By all users, those included who are suspended or have left since.',
    }),
    currentUserRank: Type.Optional(
      Type.Integer({
        description:
          'With credentials: one more than there are users who share more often. Who has not shared stands behind all who have.',
      }),
    ),
    currentUserShareCount: Type.Optional(Type.Integer({ description: 'With credentials.' })),
  }),
);
export type Leaderboard = Static<typeof Leaderboard>;
