import type { Db } from '../../platform/db.ts';

/**
 * Gives the next petitions random ids in the public log, unless they have some, and returns the ids of all that it read, in
 * order. Locks them in that order, as signing does.
 */
export const giveLogIds = (db: Db, after: string, limit: number): Promise<string[]> =>
  db.column<string>`
    with page as materialized (
      select id from petitions where id > ${after} order by id limit ${limit}
    ),
    without as materialized (
      select id from petitions
      where id in (select id from page) and log_id is null
      order by id
      for no key update
    ),
    given as (
      update petitions p set log_id = gen_random_uuid()
      from without where p.id = without.id and p.log_id is null
    )
    select id from page order by id`;
