import { many, one, type Route, routes } from '../../platform/http/route.ts';
import { AccessCodeQuery, PetitionRef } from '../petitions/schema.ts';
import { readLeaderboard } from './leaderboard.ts';
import { Leaderboard, LeaderboardQuery, OwnShare, ShareInput, ShareLink } from './schema.ts';
import { listOwnShares, sharePetition } from './shares.ts';

const api = routes('Shares');

export const shareRoutes: Route[] = [
  api.post('/v1/petitions/{id}/shares', {
    id: 'sharePetition',
    summary: 'Share a petition',
    description:
      'Gives a link for that channel: your own, always the same one, or without credentials one for everybody. The leaderboard counts a share of yours once for each channel and day, in UTC. A private petition is shared without its access code. Credentials that are no login token and no full API key are refused.',
    auth: { access: 'anyone', rejectInsufficientScope: true },
    params: PetitionRef,
    query: AccessCodeQuery,
    body: { schema: ShareInput, example: { channel: 'whatsapp' } },
    returns: one(ShareLink, 201),
    problems: ['forbidden', 'not-found', 'conflict'],
    handle: ({ ctx, caller, params, query, body, ip }) =>
      sharePetition(ctx, {
        caller,
        ref: params.id,
        code: query.access_code,
        channel: body.channel,
        ip,
      }),
  }),
  api.get('/v1/petitions/{id}/shares/mine', {
    id: 'listOwnShares',
    summary: 'Your links to a petition, with the visits and signatures that came by them',
    description:
      'Visits are counted in batches, signatures a moment after they were given. Crawlers, previews of links, your own reads and those of the petition’s creator are no visits.',
    auth: { access: 'user' },
    params: PetitionRef,
    query: AccessCodeQuery,
    returns: many(OwnShare),
    problems: ['forbidden', 'not-found'],
    cache: { etag: true },
    handle: ({ ctx, caller, params, query }) =>
      listOwnShares(ctx, caller, params.id, query.access_code),
  }),
  api.get('/v1/petitions/{id}/leaderboard', {
    id: 'readLeaderboard',
    summary: 'Who shares a petition most',
    description:
      'Counts shares of users, one for each channel and day. With credentials also where you stand.',
    auth: { access: 'anyone', scope: 'read:petitions' },
    params: PetitionRef,
    query: LeaderboardQuery,
    returns: one(Leaderboard),
    problems: ['forbidden', 'not-found'],
    cache: { etag: true },
    handle: ({ ctx, caller, params, query }) => readLeaderboard(ctx, caller, params.id, query),
  }),
];
