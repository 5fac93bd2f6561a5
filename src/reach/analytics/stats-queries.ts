import type { Db } from '../../platform/db.ts';
import type { Days, PlaceCount } from './queries.ts';

interface DailyRow {
  date: string;
  signatures: number;
  petitions: number;
}

/** Returns signatures and published petitions by day, of one petition or of all, without gaps. */
export async function dailyOf(
  db: Db,
  petitionId: string | null,
  { first, last }: Days,
): Promise<DailyRow[]> {
  return db<DailyRow[]>`
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

interface TrendingRow {
  petition_id: string;
  slug: string;
  title: string;
  trend: number;
}

/** Returns the listed petitions with the highest trend, or one petition. */
export async function trendingOf(
  db: Db,
  petitionId: string | null,
  limit: number,
): Promise<TrendingRow[]> {
  return db<TrendingRow[]>`
    select id as petition_id, slug, title, trend from petitions
    where ${petitionId ? db`id = ${petitionId}` : db`listed`}
    order by trend desc, id desc
    limit ${limit}`;
}
