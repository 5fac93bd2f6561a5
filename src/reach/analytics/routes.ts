import { Type } from 'typebox';
import { PetitionRef } from '../../campaigns/petitions/schema.ts';
import { many, one, type Route, routes } from '../../platform/http/route.ts';
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

const api = routes('Analytics');
const signaturesApi = routes('Signatures');

export const analyticsRoutes: Route[] = [
  signaturesApi.get('/v1/petitions/{id}/signatures/geo', {
    id: 'listSignatureGeo',
    module: 'map',
    summary: 'Where a petition was signed in the last hours',
    description:
      'The id `global` stands for all petitions together. By city; fewer than 3 signatures are counted towards their region (`city` is empty), then their country (`region` is empty too), and fewer than 3 of a country are left out. The order of places does not change.',
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
  api.get('/v1/petitions/{id}/history', {
    id: 'readPetitionHistory',
    summary: 'How a petition grew, hour by hour since the start',
    description: 'Hours in which it was signed, oldest first, without withdrawn signatures.',
    auth: { access: 'anyone', scope: 'read:petitions' },
    params: PetitionRef,
    query: HistoryQuery,
    returns: many(HistoryHour),
    problems: ['forbidden', 'not-found'],
    cache: { etag: true },
    handle: ({ ctx, caller, params, query }) => readHistory(ctx, caller, params.id, query),
  }),
  api.get('/v1/petitions/{id}/analytics', {
    id: 'readPetitionAnalytics',
    summary: 'Growth, geography and traffic of a petition',
    description:
      "For its creator, owner and admins of its organization, and moderators. Figures lag by a second or two. Views are reads by others than the creator, without bots; a signature's source is what the request to sign names.",
    auth: { access: 'owner', scope: 'read:petitions' },
    params: PetitionRef,
    query: AnalyticsQuery,
    returns: one(PetitionAnalytics),
    problems: ['not-found'],
    handle: ({ ctx, caller, params, query }) =>
      readAnalytics(ctx, { caller, ref: params.id, query }),
  }),
  api.get('/v1/analytics/stats', {
    id: 'readStats',
    summary: 'What happens on the platform, or with one petition, day by day',
    description:
      'Signatures and published petitions of each day, what is signed most these days, and countries of 3 signatures and more.',
    auth: { access: 'anyone', scope: 'read:petitions' },
    query: StatsQuery,
    returns: one(Stats),
    problems: ['forbidden', 'not-found'],
    cache: { etag: true },
    handle: ({ ctx, caller, query }) => readStats(ctx, caller, query),
  }),
];
