import type { Db } from '../../platform/db.ts';
import type { granularities, PetitionAnalytics, Stats } from './schema.ts';

export interface PlaceCount {
  /** Path of the place: see src/platform/places.ts. */
  place: string;
  count: number;
}

/** Returns signatures by place since the beginning of the hour of `since`, of a petition or of all. */
export async function placesSince(
  db: Db,
  petitionId: string | null,
  since: Date,
): Promise<PlaceCount[]> {
  return db<PlaceCount[]>`
    select place, sum(count)::integer as count
    from ${
      petitionId
        ? db`signature_place_hours where petition_id = ${petitionId} and`
        : db`all_place_hours where`
    } hour >= date_trunc('hour', ${since}::timestamptz, 'UTC')
    group by place
    having sum(count) > 0`;
}

/** Range of days as YYYY-MM-DD, the last one included. */
export interface Days {
  first: string;
  last: string;
}

export type Granularity = (typeof granularities)[number];

type GrowthRow = Omit<PetitionAnalytics['signature_growth'][number], 'cumulative'>;

/** Returns a petition's signatures by day, week or month, without gaps. */
export async function growthOf(
  db: Db,
  petitionId: string,
  { first, last }: Days,
  granularity: Granularity,
): Promise<GrowthRow[]> {
  return db<GrowthRow[]>`
    select to_char(span, 'YYYY-MM-DD') as date, coalesce(given.count, 0) as count
    from generate_series(date_trunc(${granularity}, ${first}::timestamp),
      ${last}::timestamp, ${`1 ${granularity}`}::interval) span
    left join (
      select date_trunc(${granularity}, hour at time zone 'UTC') as span,
        sum(count)::integer as count
      from signature_hours
      where petition_id = ${petitionId} and hour >= ${first}::date
        and hour < ${last}::date + 1
      group by 1
    ) given using (span)
    order by span`;
}

/** Returns the number of a petition's signatures before the day. */
export async function countBefore(db: Db, petitionId: string, day: string): Promise<number> {
  return db.value<number>`
    select coalesce(sum(count), 0)::integer as n from signature_hours
    where petition_id = ${petitionId} and hour < ${day}::date`;
}

/** Returns a petition's signatures by region, by country if the region is unknown, or '' if both are. */
export async function regionsOf(db: Db, petitionId: string, days: Days): Promise<PlaceCount[]> {
  return db<PlaceCount[]>`
    select region as place, sum(count)::integer as count from signature_region_days
    where petition_id = ${petitionId} and day between ${days.first} and ${days.last}
    group by region
    having sum(count) > 0`;
}

export type SourceRow = PetitionAnalytics['traffic_sources'][number];

/** Returns a petition's views and signatures by source, the largest first. */
export async function sourcesOf(db: Db, petitionId: string, days: Days): Promise<SourceRow[]> {
  const within = db`petition_id = ${petitionId} and day between ${days.first} and ${days.last}`;
  return db<SourceRow[]>`
    select source, sum(views)::integer as views, sum(signatures)::integer as signatures
    from (
      select source, views, 0 as signatures from petition_views where ${within}
      union all
      select source, 0, count from signature_source_days where ${within}
    ) counted
    group by source
    having sum(views) > 0 or sum(signatures) > 0
    order by sum(views) + sum(signatures) desc, source`;
}

interface HourRow {
  hour: Date;
  count: number;
}

/** Returns the hours in which a petition was signed, oldest first. */
export async function hoursOf(
  db: Db,
  petitionId: string,
  after: Date | null,
  limit: number,
): Promise<HourRow[]> {
  return db<HourRow[]>`
    select hour, count from signature_hours
    where petition_id = ${petitionId} and count > 0
      ${after ? db`and hour > ${after}` : db``}
    order by hour
    limit ${limit}`;
}

/** Returns signatures and published petitions by day, of one petition or of all, without gaps. */
export async function dailyOf(
  db: Db,
  petitionId: string | null,
  { first, last }: Days,
): Promise<Stats['daily']> {
  return db<Stats['daily']>`
    select to_char(day, 'YYYY-MM-DD') as date, coalesce(given.n, 0) as signatures,
      coalesce(published.n, 0) as petitions
    from generate_series(${first}::timestamp, ${last}::timestamp, '1 day') day
    left join (${
      petitionId
        ? db`
          select date_trunc('day', hour at time zone 'UTC') as day, sum(count)::integer as n
          from signature_hours
          where petition_id = ${petitionId} and hour >= ${first}::date
            and hour < ${last}::date + 1
          group by 1`
        : db`
          select day::timestamp, sum(count)::integer as n from all_country_days
          where day between ${first} and ${last}
          group by 1`
    }) given using (day)
    left join (
      select date_trunc('day', sort_at at time zone 'UTC') as day, count(*)::integer as n
      from petitions
      where ${petitionId ? db`id = ${petitionId} and published_at is not null` : db`listed`}
        and sort_at >= ${first}::date and sort_at < ${last}::date + 1
      group by 1
    ) published using (day)
    order by day`;
}

/** Returns signatures by known country, the largest first. */
export async function countriesOf(
  db: Db,
  petitionId: string | null,
  { first, last }: Days,
  minCount: number,
  limit: number,
): Promise<PlaceCount[]> {
  return db<PlaceCount[]>`
    select country as place, sum(count)::integer as count
    from ${
      petitionId
        ? db`(
          select day, split_part(region, '.', 1) as country, count from signature_region_days
          where petition_id = ${petitionId}) given`
        : db`all_country_days`
    }
    where day between ${first} and ${last} and country <> ''
    group by country
    having sum(count) >= ${minCount}
    order by sum(count) desc, country
    limit ${limit}`;
}

type TrendingRow = Omit<Stats['trending'][number], 'score'> & { trend: number };

/** Returns the listed petitions with the highest trend, or one petition. */
export async function trendingOf(
  db: Db,
  petitionId: string | null,
  limit: number,
): Promise<TrendingRow[]> {
  return db<TrendingRow[]>`
    select id as petition_id, slug, title, trend from petitions
    where ${petitionId ? db`id = ${petitionId}` : db`listed`}
    order by sort_trend desc, id desc
    limit ${limit}`;
}
