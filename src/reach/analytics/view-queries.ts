import type { Pool } from '../../platform/db.ts';

export interface CountedViews {
  petition_id: string;
  source: string;
  views: number;
}

interface SourceLimits {
  /** Sources per petition and day. Processes that write concurrently can exceed it slightly. */
  maxSources: number;
  /** A source that is always counted separately. */
  direct: string;
  /** The source under which further ones are counted. */
  other: string;
}

/**
 * Adds views of a day in one statement. Locks rows in the order of their key, since processes write
 * concurrently. Skips deleted petitions.
 */
export async function addViews(
  db: Pool,
  day: string,
  views: CountedViews[],
  { maxSources, direct, other }: SourceLimits,
): Promise<void> {
  await db`
    with given as (
      select g.*, v.source is not null or g.source in (${direct}, ${other}) as known
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
              where v.petition_id = given.petition_id and v.day = ${day}) <= ${maxSources}
          then source else ${other} end as source
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
