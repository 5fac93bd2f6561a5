import {
  analysedPetition,
  readablePetition,
  type PetitionRow,
} from '../../campaigns/petitions/read.ts';
import { sharesOf } from '../../campaigns/shares/shares.ts';
import type { Context } from '../../platform/context.ts';
import { decodeCursor, encodeCursor, toPage } from '../../platform/cursor.ts';
import type { Db } from '../../platform/db.ts';
import { renderPage } from '../../platform/http/answer.ts';
import type { Caller, Rendered } from '../../platform/http/route.ts';
import { describePlace } from '../../platform/places.ts';
import { chosenDays, dayOf } from './days.ts';
import { foldPlaces } from './geo.ts';
import * as queries from './queries.ts';
import type { Days, PlaceCount, SourceRow } from './queries.ts';
import type { AnalyticsQuery, HistoryQuery, PetitionAnalytics } from './schema.ts';
import { otherSources } from './views.ts';

export { placesOfWeek } from './geo.ts';

/** Sources that are told one by one. */
const mostSources = 50;

/** How a petition does, for those who act for it, and moderators. */
export async function readAnalytics(
  ctx: Context,
  { caller, ref, query }: { caller: Caller; ref: string; query: AnalyticsQuery },
): Promise<PetitionAnalytics> {
  const petition = await analysedPetition(ctx, caller, ref);
  const db = ctx.pools.replica;
  const now = ctx.now();
  const days = chosenDays(query, lifeOf(petition, now), dayOf(now));
  const [growth, sources, regions, shares] = await Promise.all([
    growthOf(db, petition, days, query.granularity ?? 'day'),
    queries.sourcesOf(db, petition.id, days),
    queries.regionsOf(db, petition.id, days),
    sharesOf(db, petition.id, { from: days.first, to: days.last }),
  ]);
  const views = total(sources, 'views');
  const signatures = total(sources, 'signatures');
  return {
    signature_growth: growth,
    geographic_breakdown: breakDown(regions),
    traffic_sources: foldSources(sources),
    totals: {
      views,
      signatures,
      shares,
      // Some sign without a read that is counted: by the embedded page, or a program.
      conversion_rate: views === 0 ? 0 : Math.min(1, signatures / views),
    },
  };
}

/** How many had signed a petition at the end of each day, for pages of whoever can read it. */
export async function growthByDay(
  ctx: Context,
  caller: Caller | null,
  ref: string,
  code: string | undefined,
): Promise<{ date: string; cumulative: number }[]> {
  const petition = await readablePetition(ctx, caller, ref, code);
  return growthOf(ctx.pools.replica, petition, lifeOf(petition, ctx.now()), 'day');
}

/** From when it was published, or else created, until it ended. */
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

/** By region where those are enough; what is too few to tell is together without a country. */
function breakDown(counts: PlaceCount[]): PetitionAnalytics['geographic_breakdown'] {
  const all = counts.reduce((sum, { count }) => sum + count, 0);
  const shown = foldPlaces(counts.filter(({ place }) => place !== ''));
  const rest = all - shown.reduce((sum, { count }) => sum + count, 0);
  return [...shown, ...(rest > 0 ? [{ place: '', count: rest }] : [])]
    .toSorted((a, b) => b.count - a.count)
    .map(({ place, count }) => {
      const { countryCode, region } = describePlace(place);
      return { country: countryCode, region, count };
    });
}

/** The largest sources, and the rest as one. */
function foldSources(sources: SourceRow[]): SourceRow[] {
  const shown = sources.filter(({ source }) => source !== otherSources).slice(0, mostSources);
  const rest = sources.filter((one) => !shown.includes(one));
  if (rest.length === 0) return shown;
  const [views, signatures] = [total(rest, 'views'), total(rest, 'signatures')];
  return [...shown, { source: otherSources, views, signatures }];
}

const total = (sources: SourceRow[], key: 'views' | 'signatures') =>
  sources.reduce((sum, one) => sum + one[key], 0);

/** How a petition grew, hour by hour, to whoever can read it. */
export async function readHistory(
  ctx: Context,
  caller: Caller | null,
  ref: string,
  { cursor, limit = 168, access_code }: HistoryQuery,
): Promise<Rendered> {
  const after = decodeCursor('history', ['time', 'integer'], cursor);
  const petition = await readablePetition(ctx, caller, ref, access_code);
  return ctx.cache.read('history', `${petition.id} ${limit} ${cursor}`, async () => {
    const from = after ? new Date(String(after[0])) : null;
    const rows = await queries.hoursOf(ctx.pools.replica, petition.id, from, limit + 1);
    let cumulative = after ? Number(after[1]) : petition.imported_signature_count;
    const hours = rows.map((row) => ({ ...row, cumulative: (cumulative += row.count) }));
    return renderPage(
      toPage(
        hours,
        limit,
        (last) => encodeCursor('history', [last.hour.toISOString(), last.cumulative]),
        (hour) => hour,
      ),
    );
  });
}
