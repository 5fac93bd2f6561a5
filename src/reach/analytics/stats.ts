import { requireReadablePetition } from '../../campaigns/petitions/read.ts';
import type { Context } from '../../platform/context.ts';
import { isTimeout } from '../../platform/db.ts';
import { render } from '../../platform/http/answer.ts';
import type { Caller, Rendered } from '../../platform/http/route.ts';
import { Problem } from '../../platform/problems.ts';
import { requestedDays, dayOf, addDays } from './days.ts';
import { minCount } from './geo.ts';
import * as queries from './queries.ts';
import type { Stats, StatsQuery } from './schema.ts';

const defaultDays = 30;
/** No signature is older. */
const firstDay = '2000-01-01';

/** Returns public figures of the platform or of one petition. */
export async function readStats(
  ctx: Context,
  caller: Caller | null,
  query: StatsQuery,
): Promise<Rendered> {
  const { petition_id: id, limit = 10 } = query;
  const days = daysOf(query, dayOf(ctx.now()));
  const petitionId = id ? (await requireReadablePetition(ctx, caller, id, undefined)).id : null;
  const key = JSON.stringify([petitionId, days, limit]);
  return ctx.cache.read('stats', key, async () =>
    render(await collect(ctx, petitionId, days, limit).catch(toStatsProblem)),
  );
}

/** Answers a timeout with 500 instead of 503: the database is available, but the query is too large. */
function toStatsProblem(error: unknown): never {
  if (!isTimeout(error)) throw error;
  throw new Problem(
    'internal-error',
    'The figures took too long to collect. Ask for fewer days, or again later.',
    { cause: error },
  );
}

/** @throws {Problem} validation-failed if end_date is before start_date */
function daysOf(query: StatsQuery, today: string): queries.Days {
  const days = requestedDays(query, { first: firstDay, last: today }, today);
  if (query.start_date === undefined && days.last > firstDay) {
    days.first = addDays(days.last, 1 - defaultDays);
  }
  return days;
}

async function collect(
  ctx: Context,
  petitionId: string | null,
  days: queries.Days,
  limit: number,
): Promise<Stats> {
  const db = ctx.pools.replica;
  const [daily, trending, countries] = await Promise.all([
    queries.dailyOf(db, petitionId, days),
    queries.trendingOf(db, petitionId, limit),
    queries.countriesOf(db, petitionId, days, minCount, limit),
  ]);
  return {
    daily,
    trending: trending.map(({ trend, ...petition }) => ({
      ...petition,
      score: scoreOf(trend, ctx.now()),
    })),
    geographic: countries.map(({ place, count }) => ({ country: place, count })),
  };
}

/** Returns the current sum of weights. `trend` is its logarithm: see migrations/0003. */
function scoreOf(trend: number, now: Date): number {
  const score = trend === 0 ? 0 : 2 ** (trend - now.getTime() / 86_400_000);
  return Math.round(score * 1000) / 1000;
}
