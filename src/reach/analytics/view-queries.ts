import type { Pool } from '../../platform/db.ts';

export interface CountedViews {
  petition_id: string;
  source: string;
  views: number;
}

interface Bounds {
  /** Sources that a petition has on a day. Processes that store at once may bring a few more. */
  mostSources: number;
  /** The source that is always one of them. */
  apart: string;
  /** Under which all others are counted. */
  rest: string;
}

/**
 * Adds views of a day, in one statement; rows are locked in the order of their key, since processes store
 * at once. Petitions that are gone are left out.
 */
export async function addViews(
  db: Pool,
  day: string,
  views: CountedViews[],
  { mostSources, apart, rest }: Bounds,
): Promise<void> {
  await db`
    with given as (
      select g.*, v.source is not null or g.source in (${apart}, ${rest}) as known
      from jsonb_to_recordset(${db.json(views)})
        as g (petition_id uuid, source text, views integer)
      left join petition_views v
        on v.petition_id = g.petition_id and v.day = ${day} and v.source = g.source
      where exists (select from petitions p where p.id = g.petition_id)
    ),
    placed as (
      select petition_id, views,
        case when known or row_number() over (partition by petition_id, known
            order by views desc, source)
          + (select count(*) from petition_views v
              where v.petition_id = given.petition_id and v.day = ${day}) <= ${mostSources}
          then source else ${rest} end as source
      from given
    )
    insert into petition_views (petition_id, day, source, views)
    select petition_id, ${day}, source, sum(views)::integer
    from placed
    group by petition_id, source
    order by petition_id, source
    on conflict (petition_id, day, source) do update
      set views = petition_views.views + excluded.views`;
}
