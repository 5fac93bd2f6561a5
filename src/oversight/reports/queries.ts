import type { Db, SqlValue, Tx } from '../../platform/db.ts';
import { retentionInterval } from '../../platform/retention.ts';
import {
  textLength,
  type Report,
  type ReportAction,
  type ReportInput,
  type ReportSnapshot,
  type TargetType,
} from './schema.ts';

export interface Target {
  type: TargetType;
  id: string;
}

export const columns = (db: Db) => db`
  id, target_type, target_id, reason, description, status, reporter_id, created_at, resolved_at`;

export async function findOpenReport(
  db: Db,
  reporterId: string,
  target: Target,
): Promise<Report | undefined> {
  return db.first<Report>`
    select ${columns(db)} from reports
    where reporter_id = ${reporterId} and ${isOnTarget(db, target)} and status = 'open'`;
}

export const isOnTarget = (db: Db, { type, id }: Target) =>
  db`target_type = ${type} and target_id = ${id}`;

/** Whose content a target is, and what it says. */
export interface TargetContent {
  author_id: string | null;
  /** Of a signature. */
  petition_id: string | null;
  snapshot: ReportSnapshot | null;
}

/** Reads what a target says; undefined if it is gone. */
export const findContent = (
  db: Db,
  { type, id }: Target,
  petitionId: string | null,
): Promise<TargetContent | undefined> => db.first<TargetContent>`
  select author_id, ${petitionId}::uuid as petition_id,
    jsonb_build_object('title', title, 'text', left(text, ${textLength})) as snapshot
  from (${contentOf[type](db, id, petitionId)}) content`;

const contentOf = {
  petition: (db, id) => db`
    select creator_id as author_id, title, description as text from petitions where id = ${id}`,
  comment: (db, id) => db`
    select c.user_id as author_id, p.title, c.body as text
    from comments c join petitions p on p.id = c.petition_id where c.id = ${id}`,
  user: (db, id) => db`
    select id as author_id, display_name as title, bio as text from users where id = ${id}`,
  signature: (db, id, petitionId) => db`
    select s.user_id as author_id, p.title, s.comment as text
    from signatures s join petitions p on p.id = s.petition_id
    where s.petition_id = ${petitionId} and s.id = ${id}`,
} satisfies Record<TargetType, (db: Db, id: string, petitionId: string | null) => SqlValue>;

/** Who reports: a user, a confirmed mailbox, or somebody unknown. */
export type Reporter =
  | { userId: string }
  | {
      userId: null;
      /** Keyed hash of the confirmed address. */
      mailbox: Buffer | null;
    };

export interface NewReport {
  id: string;
  reporter: Reporter;
  target: Target;
  content: TargetContent;
  reason: ReportInput['reason'];
  description: string | null;
  /** Keyed hash of the reporter's network; null if it is unknown. */
  network: Buffer | null;
}

/** Stores a report, or returns the open report that the user or the mailbox has on the same target. */
export async function insertReport(tx: Tx, report: NewReport): Promise<Report> {
  const { id, reporter, target, content, reason, description, network } = report;
  const mailbox = reporter.userId === null ? reporter.mailbox : null;
  const same = mailbox
    ? tx`(reporter_mailbox, target_type, target_id)
        where status = 'open' and reporter_mailbox is not null`
    : tx`(reporter_id, target_type, target_id) where status = 'open'`;
  return tx.one<Report>`
    insert into reports (id, target_type, target_id, reporter_id, reporter_mailbox, reason,
      description, network, author_id, petition_id, snapshot)
    values (${id}, ${target.type}, ${target.id}, ${reporter.userId}, ${mailbox}, ${reason},
      ${description}, ${network}, ${content.author_id}, ${content.petition_id},
      ${content.snapshot && tx.json(content.snapshot)})
    on conflict ${same} do update set reason = reports.reason
    returning ${columns(tx)}`;
}

/** Returns the open report without an address that this network sent on the target, if any. */
export const findOpenReportOfNetwork = (
  db: Db,
  target: Target,
  network: Buffer,
): Promise<Report | undefined> =>
  db.first<Report>`
    select ${columns(db)} from reports
    where ${isOnTarget(db, target)} and status = 'open' and reporter_id is null
      and reporter_mailbox is null and network = ${network}
    order by id limit 1`;

export const hasOtherOpenReport = (db: Db, target: Target, id: string): Promise<boolean> =>
  db.exists`
    select from reports where ${isOnTarget(db, target)} and status = 'open' and id <> ${id}`;

export const reportExists = (db: Db, id: string): Promise<boolean> =>
  db.exists`select from reports where id = ${id}`;

/** Reports of one network that weigh. */
const maxOfNetwork = 2;

interface Weighing {
  /** Later accounts do not weigh. */
  createdBefore: Date;
}

/**
 * The number of open reports on the target that weigh: by users with a verified address whose account is old
 * enough, and whose report on it was not dismissed before; two at most from one network. A part of a statement.
 */
export const weightOn = (
  db: Db,
  { type, id }: { type: SqlValue; id: SqlValue },
  { createdBefore }: Weighing,
) => db`(
  select coalesce(sum(case when network is null then n else least(n, ${maxOfNetwork}) end), 0)::integer
  from (
    select w.network, count(distinct w.reporter_id) as n
    from reports w
    join users u on u.id = w.reporter_id and u.email_verified_at is not null
      and u.suspended_at is null and u.created_at <= ${createdBefore}
    where w.target_type = ${type} and w.target_id = ${id} and w.status = 'open' and not exists (
      select from reports heard
      where heard.target_type = w.target_type and heard.target_id = w.target_id
        and heard.status = 'dismissed' and heard.reporter_id = w.reporter_id)
    group by w.network
  ) of_network)`;

export const countWeighing = (tx: Tx, target: Target, weighing: Weighing): Promise<number> =>
  tx.value<number>`select ${weightOn(tx, target, weighing)}`;

export interface Resolution {
  status: 'actioned' | 'dismissed';
  action: ReportAction | null;
  by: string;
}

/** Resolves the open reports on a target and returns their ids. */
export async function resolveReports(
  tx: Tx,
  target: Target,
  { status, action, by }: Resolution,
): Promise<string[]> {
  return tx.column<string>`
    update reports
    set status = ${status}, action = ${action}, resolved_by = ${by}, resolved_at = now(),
      network = null, reporter_mailbox = null
    where ${isOnTarget(tx, target)} and status = 'open'
    returning id`;
}

/** Opens resolved reports again, unless their reporter has another open one on the target. */
export async function reopenReports(tx: Tx, ids: string[]): Promise<void> {
  await tx`
    update reports r
    set status = 'open', action = null, resolved_by = null, resolved_at = null
    where id = any(${ids}::uuid[]) and status <> 'open' and not exists (
      select from reports other
      where other.reporter_id = r.reporter_id and other.target_type = r.target_type
        and other.target_id = r.target_id and other.status = 'open')`;
}

/** Returns the number of open reports by target, without targets that have none. */
export async function countOpen(
  db: Db,
  type: TargetType,
  ids: string[],
): Promise<Map<string, number>> {
  const rows = await db<{ target_id: string; n: number }[]>`
    select target_id, count(*)::integer as n from reports
    where target_type = ${type} and target_id = any(${ids}::uuid[]) and status = 'open'
    group by target_id`;
  return new Map(rows.map(({ target_id, n }) => [target_id, n]));
}

/**
 * Returns all reports of a user, and the open ones that their mailbox confirmed. None of a mailbox that is not verified:
 * somebody else may have created the account.
 */
export async function findReportsOfUser(db: Db, userId: string): Promise<readonly object[]> {
  return db`
    select ${columns(db)} from reports
    where reporter_id = ${userId} or (reporter_mailbox = ${mailboxOf(db, userId)} and status = 'open')
    order by id`;
}

const mailboxOf = (db: Db, userId: string) =>
  db`(select mailbox from users where id = ${userId} and email_verified_at is not null)`;

/**
 * Removes the reporter and the description from a user's reports, and what they wrote from reports about them.
 * Dismisses open reports about the user, and erases the descriptions of all reports about them.
 */
export async function eraseUser(tx: Tx, userId: string): Promise<void> {
  await tx`update reports set reporter_id = null, description = null, network = null
    where reporter_id = ${userId}`;
  await tx`
    update reports set reporter_mailbox = null, description = null, network = null
    where reporter_mailbox = ${mailboxOf(tx, userId)} and status = 'open'`;
  await tx`update reports set author_id = null, snapshot = null where author_id = ${userId}`;
  await tx`
    update reports set description = null, snapshot = null, network = null, reporter_mailbox = null,
      status = case status when 'open' then 'dismissed' else status end,
      resolved_at = coalesce(resolved_at, now())
    where ${isOnTarget(tx, { type: 'user', id: userId })}`;
}

/** Deletes what a target said when it was reported: it must not be shown any more. */
export async function forgetSnapshotsOf(tx: Tx, target: Target): Promise<void> {
  await tx`update reports set snapshot = null where ${isOnTarget(tx, target)}`;
}

/** Deletes what targets said when they were reported, 6 months after the decision. */
export async function forgetOldSnapshots(db: Db): Promise<void> {
  await db`
    update reports set snapshot = null
    where snapshot is not null and resolved_at < now() - ${retentionInterval('report_snapshots')}::interval`;
}
