import type { Db } from '../../platform/db.ts';

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

export type Granularity = 'day' | 'week' | 'month';

export interface GrowthRow {
  date: string;
  count: number;
}

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

export interface SourceRow {
  source: string;
  views: number;
  signatures: number;
}

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

export interface HourRow {
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
