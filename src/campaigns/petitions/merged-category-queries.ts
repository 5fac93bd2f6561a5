import type { Db } from '../../platform/db.ts';

interface Step {
  /** The last petition that was read; null if there was none. */
  last: string | null;
  moved: string[];
}

/** Gives the next petitions, by id, the category that theirs was merged into. */
export const moveNext = (db: Db, after: string, limit: number): Promise<Step> =>
  db.one<Step>`
    with read as (
      select id from petitions where id > ${after} order by id limit ${limit}
    ), moved as (
      update petitions p set category_id = c.merged_into from categories c
      where p.id in (select id from read) and c.id = p.category_id and c.merged_into is not null
      returning p.id
    )
    select (select id from read order by id desc limit 1) as last,
      array(select id from moved) as moved`;
