import type { Db, Pool } from '../../platform/db.ts';
import type { DatabaseCheck, Finding } from './check.ts';
import { rowPages, type IdRange } from './pages.ts';

/** Counts of notifications and unread ones are right. */
export const inboxes: DatabaseCheck = {
  name: 'inboxes',
  subject: 'inboxes',
  run: ({ db }) => compareRows(db, rowPages(db, 'notification_inboxes', 'user_id'), compareInboxes),
};

/**
 * Counts of petitions of users and organizations, of members and of replies are right, and opinions on answers count as
 * their signatures do.
 */
export const counters: DatabaseCheck = {
  name: 'counters',
  subject: 'rows',
  async *run({ db }) {
    yield* compareRows(db, rowPages(db, 'users'), compareCreators);
    yield* compareRows(db, rowPages(db, 'organizations'), compareOrganizations);
    yield* compareRows(db, rowPages(db, 'comments'), compareThreads);
    yield* compareRows(db, rowPages(db, 'answer_opinions', 'user_id'), compareOpinions);
  },
};

/** Compares page by page, each in one statement. */
async function* compareRows(
  db: Pool,
  pages: AsyncIterable<IdRange>,
  compare: (db: Db, page: IdRange) => Promise<Finding>,
): AsyncGenerator<Finding> {
  for await (const page of pages) yield await compare(db, page);
}

/** Compares the totals of inboxes with their notifications. */
async function compareInboxes(db: Db, { after, to }: IdRange): Promise<Finding> {
  return db.one<Finding>`
    with counted as (
      select i.user_id, i.total, i.unread, count(t.id) as notifications,
        count(t.id) filter (where t.read_at is null) as not_read
      from notification_inboxes i left join notifications t on t.user_id = i.user_id
      where i.user_id > ${after} and i.user_id <= ${to}
      group by i.user_id
    )
    select count(*)::integer as checked,
      coalesce(jsonb_agg('inbox of user ' || user_id)
        filter (where (total, unread) <> (notifications, not_read)), '[]') as wrong
    from counted`;
}

/** Compares the petition counts of creators with their listed petitions. */
async function compareCreators(db: Db, { after, to }: IdRange): Promise<Finding> {
  return db.one<Finding>`
    with listed as (
      select creator_id, count(*) as petitions from petitions
      where listed and creator_id > ${after} and creator_id <= ${to}
      group by creator_id
    )
    select count(*)::integer as checked,
      coalesce(jsonb_agg('user ' || u.id || ': petition_count')
        filter (where u.petition_count <> coalesce(l.petitions, 0)), '[]') as wrong
    from users u left join listed l on l.creator_id = u.id
    where u.id > ${after} and u.id <= ${to}`;
}

/** Compares the counts of organizations with their members and listed petitions. */
async function compareOrganizations(db: Db, { after, to }: IdRange): Promise<Finding> {
  return db.one<Finding>`
    select count(*)::integer as checked,
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
async function compareThreads(db: Db, { after, to }: IdRange): Promise<Finding> {
  return db.one<Finding>`
    with replies as (
      select root_id, count(*) as shown from comments
      where root_id > ${after} and root_id <= ${to} and parent_id is not null
        and deleted_at is null and not is_hidden
      group by root_id
    )
    select count(*)::integer as checked,
      coalesce(jsonb_agg('comment ' || c.id || ': reply_count')
        filter (where c.reply_count <> coalesce(r.shown, 0)), '[]') as wrong
    from comments c left join replies r on r.root_id = c.id
    where c.id > ${after} and c.id <= ${to} and c.parent_id is null`;
}

/** Compares opinions with the states of their signatures. */
async function compareOpinions(db: Db, { after, to }: IdRange): Promise<Finding> {
  return db.one<Finding>`
    select count(*)::integer as checked,
      coalesce(jsonb_agg('opinion on response ' || o.response_id || ': counts')
        filter (where o.counts <> (s.state = 'counted')), '[]') as wrong
    from answer_opinions o
    join signatures s on s.petition_id = o.petition_id and s.id = o.signature_id
    where o.user_id > ${after} and o.user_id <= ${to}`;
}
