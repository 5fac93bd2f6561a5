import type { Db } from '../../platform/db.ts';
import type { IdRange } from './keys.ts';

/** Rows that one statement compares. */
const pageSize = 5_000;

/** Tables whose rows have counts of other rows. */
export type CounterTable =
  | 'notification_inboxes'
  | 'users'
  | 'organizations'
  | 'comments'
  | 'petitions';

/** Returns the last id of a full page of the range; undefined if less than a page is left. */
export async function endOfRows(
  db: Db,
  table: CounterTable,
  { after, to }: IdRange,
): Promise<string | undefined> {
  const id = db(table === 'notification_inboxes' ? 'user_id' : 'id');
  return db.value<string | undefined>`
    select ${id} as id from ${db(table)} where ${id} > ${after} and ${id} <= ${to}
    order by ${id}
    offset ${pageSize - 1} limit 1`;
}

/** The number of rows checked, and descriptions of the wrong ones. */
export interface Counted {
  looked_at: number;
  wrong: string[];
}

/** Compares the totals of inboxes with their notifications. */
export async function compareInboxes(db: Db, { after, to }: IdRange): Promise<Counted> {
  return db.one<Counted>`
    with counted as (
      select i.user_id, i.total, i.unread, count(t.id) as notifications,
        count(t.id) filter (where t.read_at is null) as not_read
      from notification_inboxes i left join notifications t on t.user_id = i.user_id
      where i.user_id > ${after} and i.user_id <= ${to}
      group by i.user_id
    )
    select count(*)::integer as looked_at,
      coalesce(jsonb_agg('inbox of user ' || user_id)
        filter (where (total, unread) <> (notifications, not_read)), '[]') as wrong
    from counted`;
}

/** Compares the petition counts of creators with their listed petitions. */
export async function compareCreators(db: Db, { after, to }: IdRange): Promise<Counted> {
  return db.one<Counted>`
    with listed as (
      select creator_id, count(*) as petitions from petitions
      where listed and creator_id > ${after} and creator_id <= ${to}
      group by creator_id
    )
    select count(*)::integer as looked_at,
      coalesce(jsonb_agg('user ' || u.id || ': petition_count')
        filter (where u.petition_count <> coalesce(l.petitions, 0)), '[]') as wrong
    from users u left join listed l on l.creator_id = u.id
    where u.id > ${after} and u.id <= ${to}`;
}

/** Compares the counts of organizations with their members and listed petitions. */
export async function compareOrganizations(db: Db, { after, to }: IdRange): Promise<Counted> {
  return db.one<Counted>`
    select count(*)::integer as looked_at,
      coalesce(jsonb_agg('organization ' || o.id || ': member_count')
        filter (where o.member_count <> coalesce(m.members, 0)), '[]')
      || coalesce(jsonb_agg('organization ' || o.id || ': petition_count')
        filter (where o.petition_count <> coalesce(p.petitions, 0)), '[]') as wrong
    from organizations o
    left join (
      select org_id, count(*) as members from memberships
      where org_id > ${after} and org_id <= ${to} group by org_id
    ) m on m.org_id = o.id
    left join (
      select org_id, count(*) as petitions from petitions
      where listed and org_id > ${after} and org_id <= ${to} group by org_id
    ) p on p.org_id = o.id
    where o.id > ${after} and o.id <= ${to}`;
}

/** Compares the reply counts of threads with their visible replies. */
export async function compareThreads(db: Db, { after, to }: IdRange): Promise<Counted> {
  return db.one<Counted>`
    with replies as (
      select root_id, count(*) as shown from comments
      where root_id > ${after} and root_id <= ${to} and parent_id is not null
        and deleted_at is null and not is_hidden
      group by root_id
    )
    select count(*)::integer as looked_at,
      coalesce(jsonb_agg('comment ' || c.id || ': reply_count')
        filter (where c.reply_count <> coalesce(r.shown, 0)), '[]') as wrong
    from comments c left join replies r on r.root_id = c.id
    where c.id > ${after} and c.id <= ${to} and c.parent_id is null`;
}

/**
 * Compares the counts of sharing: sharers with their links, levels with sharers, and days with all links. Days still
 * count the links of erased accounts.
 */
export async function compareSharing(db: Db, { after, to }: IdRange): Promise<Counted> {
  const within = db`petition_id > ${after} and petition_id <= ${to}`;
  return db.one<Counted>`
    with link as materialized (
      select petition_id, user_id, sum(share_count) as times from shares where ${within}
      group by petition_id, user_id
    ),
    sharer as materialized (
      select petition_id, user_id, share_count, hidden from sharers where ${within}
    ),
    wrong as (
      select 'petition ' || petition_id || ': sharers' as example
      from (select * from link where user_id is not null) l
      full join sharer s using (petition_id, user_id)
      where l.times is distinct from s.share_count
      union all
      select 'petition ' || petition_id || ': sharer_levels'
      from (select petition_id, share_count, sharers from sharer_levels where ${within} and sharers <> 0) stored
      full join (
        select petition_id, share_count, count(*) as sharers from sharer where not hidden
        group by petition_id, share_count
      ) counted using (petition_id, share_count)
      where stored.sharers is distinct from counted.sharers
      union all
      select 'petition ' || petition_id || ': share_days'
      from (
        select petition_id, sum(by_users) as by_users, sum(by_others) as by_others from share_days
        where ${within} group by petition_id
      ) day
      full join (
        select petition_id, sum(times) filter (where user_id is not null) as by_users,
          sum(times) filter (where user_id is null) as by_others
        from link group by petition_id
      ) shared using (petition_id)
      where coalesce(day.by_others, 0) <> coalesce(shared.by_others, 0)
        or coalesce(day.by_users, 0) < coalesce(shared.by_users, 0)
    )
    select (select count(*)::integer from link) as looked_at,
      (select coalesce(jsonb_agg(example), '[]') from wrong) as wrong`;
}
