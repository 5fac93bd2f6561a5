import type { Db, Tx } from '../../platform/db.ts';
import type { Report, ReportAction, ReportInput, TargetType } from './schema.ts';

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

export interface NewReport {
  id: string;
  reporterId: string;
  target: Target;
  reason: ReportInput['reason'];
  description: string | null;
  /** Keyed hash of the reporter's network; null if it is unknown. */
  network: Buffer | null;
}

/** Stores a report, or returns the open report that the user has on the same target. */
export async function insertReport(tx: Tx, report: NewReport): Promise<Report> {
  const { id, reporterId, target, reason, description, network } = report;
  return tx.one<Report>`
    insert into reports (id, target_type, target_id, reporter_id, reason, description, network)
    values (${id}, ${target.type}, ${target.id}, ${reporterId}, ${reason}, ${description}, ${network})
    on conflict (reporter_id, target_type, target_id) where status = 'open'
      do update set reporter_id = excluded.reporter_id
    returning ${columns(tx)}`;
}

/** Reports of one network that weigh. */
const maxOfNetwork = 2;

/**
 * Returns the number of open reports on the target that weigh: by users with a verified address whose account has this
 * age, and whose report on it was not dismissed before; two at most from one network.
 */
export async function countWeighing(
  tx: Tx,
  target: Target,
  { minAgeHours }: { minAgeHours: number },
): Promise<number> {
  return tx.value<number>`
    select coalesce(sum(case when network is null then n else least(n, ${maxOfNetwork}) end), 0)::integer
    from (
      select r.network, count(distinct r.reporter_id) as n
      from reports r
      join users u on u.id = r.reporter_id and u.email_verified_at is not null
        and u.suspended_at is null and u.created_at <= now() - ${minAgeHours} * interval '1 hour'
      where ${isOnTarget(tx, target)} and r.status = 'open' and not exists (
        select from reports heard
        where heard.target_type = r.target_type and heard.target_id = r.target_id
          and heard.status = 'dismissed' and heard.reporter_id = r.reporter_id)
      group by r.network
    ) of_network`;
}

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
      network = null
    where ${isOnTarget(tx, target)} and status = 'open'
    returning id`;
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

/** Returns all reports of a user. */
export async function findReportsOfUser(db: Db, userId: string): Promise<readonly object[]> {
  return db`select ${columns(db)} from reports where reporter_id = ${userId} order by id`;
}

/**
 * Removes the reporter and the description from a user's reports. Dismisses open reports about the user, and
 * erases the descriptions of all reports about them.
 */
export async function eraseUser(tx: Tx, userId: string): Promise<void> {
  await tx`update reports set reporter_id = null, description = null, network = null
    where reporter_id = ${userId}`;
  await tx`
    update reports set description = null,
      status = case status when 'open' then 'dismissed' else status end,
      resolved_at = coalesce(resolved_at, now())
    where ${isOnTarget(tx, { type: 'user', id: userId })}`;
}
