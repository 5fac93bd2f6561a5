import {
  requireAnalysablePetition,
  requireReadablePetition,
  type PetitionRow,
} from '../../campaigns/petitions/read.ts';
import { readSigningMailCounts } from '../../campaigns/pending-signatures/pending-signatures.ts';
import { countSharesOfPetition } from '../../campaigns/shares/shares.ts';
import type { Context } from '../../platform/context.ts';
import { decodeCursor, encodeCursor, toPage } from '../../platform/cursor.ts';
import type { Db } from '../../platform/db.ts';
import { renderPage } from '../../platform/http/answer.ts';
import type { Caller, Rendered } from '../../platform/http/route.ts';
import { describePlace } from '../../platform/places.ts';
import { requestedDays, dayOf } from './days.ts';
import { mergeSmallPlaces } from './geo.ts';
import * as queries from './queries.ts';
import type { Days, PlaceCount, SourceRow } from './queries.ts';
import type { AnalyticsQuery, HistoryQuery, PetitionAnalytics } from './schema.ts';
import { otherSources } from './views.ts';

export { placesOfLastWeek } from './geo.ts';

/** Sources that are listed separately. */
const maxSources = 50;

/** Returns a petition's figures, for those who act for it and for moderators. */
export async function readAnalytics(
  ctx: Context,
  { caller, ref, query }: { caller: Caller; ref: string; query: AnalyticsQuery },
): Promise<PetitionAnalytics> {
  const petition = await requireAnalysablePetition(ctx, caller, ref);
  const db = ctx.pools.replica;
  const now = ctx.now();
  const days = requestedDays(query, lifeOf(petition, now), dayOf(now));
  const [growth, sources, regions, shares, signingByMail] = await Promise.all([
    growthOf(db, petition, days, query.granularity ?? 'day'),
    queries.sourcesOf(db, petition.id, days),
    queries.regionsOf(db, petition.id, days),
    countSharesOfPetition(db, petition.id, { from: days.first, to: days.last }),
    readSigningMailCounts(db, petition.id),
  ]);
  const views = total(sources, 'views');
  const signatures = total(sources, 'signatures');
  return {
    signature_growth: growth,
    geographic_breakdown: groupByRegion(regions),
    traffic_sources: mergeSmallSources(sources),
    totals: {
      views,
      signatures,
      shares,
      // Some signatures have no counted view: by the embedded page or a program.
      conversion_rate: views === 0 ? 0 : Math.min(1, signatures / views),
    },
    signing_by_mail: signingByMail,
  };
}

/** Returns the cumulative count of a petition's signatures by day. */
export async function growthByDay(
  ctx: Context,
  caller: Caller | null,
  ref: string,
  code: string | undefined,
): Promise<{ date: string; cumulative: number }[]> {
  const petition = await requireReadablePetition(ctx, caller, ref, code);
  return growthOf(ctx.pools.replica, petition, lifeOf(petition, ctx.now()), 'day');
}

/** Returns the days from publication, or else creation, to the end of the petition. */
function lifeOf({ published_at, created_at, closed_at }: PetitionRow, now: Date): Days {
  return { first: dayOf(published_at ?? created_at), last: dayOf(closed_at ?? now) };
}

async function growthOf(
  db: Db,
  petition: PetitionRow,
  days: Days,
  granularity: queries.Granularity,
): Promise<PetitionAnalytics['signature_growth']> {
  if (days.first > days.last) return [];
  let cumulative =
    petition.imported_signature_count + (await queries.countBefore(db, petition.id, days.first));
  const rows = await queries.growthOf(db, petition.id, days, granularity);
  return rows.map((row) => ({ ...row, cumulative: (cumulative += row.count) }));
}

/** Groups signatures by region. Those that are too few to show are one group without country. */
function groupByRegion(counts: PlaceCount[]): PetitionAnalytics['geographic_breakdown'] {
  const all = counts.reduce((sum, { count }) => sum + count, 0);
  const shown = mergeSmallPlaces(counts.filter(({ place }) => place !== ''));
  const rest = all - shown.reduce((sum, { count }) => sum + count, 0);
  return [...shown, ...(rest > 0 ? [{ place: '', count: rest }] : [])]
    .toSorted((a, b) => b.count - a.count)
    .map(({ place, count }) => {
      const { countryCode, region } = describePlace(place);
      return { country: countryCode, region, count };
    });
}

/** Merges all but the largest sources into one. */
function mergeSmallSources(sources: SourceRow[]): SourceRow[] {
  const shown = sources.filter(({ source }) => source !== otherSources).slice(0, maxSources);
  const rest = sources.filter((source) => !shown.includes(source));
  if (rest.length === 0) return shown;
  const [views, signatures] = [total(rest, 'views'), total(rest, 'signatures')];
  return [...shown, { source: otherSources, views, signatures }];
}

const total = (sources: SourceRow[], key: 'views' | 'signatures') =>
  sources.reduce((sum, source) => sum + source[key], 0);

/** Returns a petition's signatures by hour, oldest first. */
export async function readHistory(
  ctx: Context,
  caller: Caller | null,
  ref: string,
  { cursor, limit = 168, access_code }: HistoryQuery,
): Promise<Rendered> {
  const after = decodeCursor('history', ['time', 'integer'], cursor);
  const petition = await requireReadablePetition(ctx, caller, ref, access_code);
  return ctx.cache.read('history', `${petition.id} ${limit} ${cursor}`, async () => {
    const from = after ? new Date(String(after[0])) : null;
    const rows = await queries.hoursOf(ctx.pools.replica, petition.id, from, limit + 1);
    let cumulative = after ? Number(after[1]) : petition.imported_signature_count;
    const hours = rows.map((row) => ({ ...row, cumulative: (cumulative += row.count) }));
    const cursorOf = (last: (typeof hours)[number]) =>
      encodeCursor('history', [last.hour.toISOString(), last.cumulative]);
    return renderPage(toPage(hours, limit, cursorOf, (hour) => hour));
  });
}
