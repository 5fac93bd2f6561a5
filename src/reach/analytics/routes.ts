import { Type } from 'typebox';
import { PetitionRef } from '../../campaigns/petitions/schema.ts';
import { many, one, route, type Route } from '../../platform/http/route.ts';
import { readAnalytics, readHistory } from './analytics.ts';
import { listGeo } from './geo.ts';
import {
  AnalyticsQuery,
  GeoCell,
  GeoQuery,
  HistoryHour,
  HistoryQuery,
  PetitionAnalytics,
  Stats,
  StatsQuery,
} from './schema.ts';
import { readStats } from './stats.ts';

const tag = 'Analytics';

export const analyticsRoutes: Route[] = [
  route({
    id: 'listSignatureGeo',
    method: 'GET',
    path: '/v1/petitions/{id}/signatures/geo',
    summary: 'Where a petition was signed in the last hours',
    description:
      'The id `global` stands for all petitions together. By city; fewer than 3 signatures are counted towards their region (`city` is empty), then their country (`region` is empty too), and fewer than 3 of a country are left out. The order of places does not change.',
    tag: 'Signatures',
    auth: { access: 'anyone', scope: 'read:petitions' },
    params: Type.Object({
      id: Type.String({ description: 'Slug or id of the petition, or `global`' }),
    }),
    query: GeoQuery,
    returns: many(GeoCell),
    problems: ['forbidden', 'not-found'],
    cache: { etag: true },
    handle: ({ ctx, caller, params, query }) => listGeo(ctx, caller, params.id, query),
  }),
  route({
    id: 'readPetitionHistory',
    method: 'GET',
    path: '/v1/petitions/{id}/history',
    summary: 'How a petition grew, hour by hour since the start',
    description: 'Hours in which it was signed, oldest first, without withdrawn signatures.',
    tag,
    auth: { access: 'anyone', scope: 'read:petitions' },
    params: PetitionRef,
    query: HistoryQuery,
    returns: many(HistoryHour),
    problems: ['forbidden', 'not-found'],
    cache: { etag: true },
    handle: ({ ctx, caller, params, query }) => readHistory(ctx, caller, params.id, query),
  }),
  route({
    id: 'readPetitionAnalytics',
    method: 'GET',
    path: '/v1/petitions/{id}/analytics',
    summary: 'Growth, geography and traffic of a petition',
    description:
      "For its creator, owner and admins of its organization, and moderators. Figures lag by a second or two. Views are reads by others than the creator, without bots; a signature's source is what the request to sign names.",
    tag,
    auth: { access: 'owner', scope: 'read:petitions' },
    params: PetitionRef,
    query: AnalyticsQuery,
    returns: one(PetitionAnalytics),
    problems: ['not-found'],
    handle: ({ ctx, caller, params, query }) =>
      readAnalytics(ctx, { caller, ref: params.id, query }),
  }),
  route({
    id: 'readStats',
    method: 'GET',
    path: '/v1/analytics/stats',
    summary: 'What happens on the platform, or with one petition, day by day',
    description:
      'Signatures and published petitions of each day, what is signed most these days, and countries of 3 signatures and more.',
    tag,
    auth: { access: 'anyone', scope: 'read:petitions' },
    query: StatsQuery,
    returns: one(Stats),
    problems: ['forbidden', 'not-found'],
    cache: { etag: true },
    handle: ({ ctx, caller, query }) => readStats(ctx, caller, query),
  }),
];
