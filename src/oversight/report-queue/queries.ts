import type { Db } from '../../platform/db.ts';
import { reportColumns } from '../reports/reports.ts';
import { textLength, type Report, type ReportAction, type TargetType } from '../reports/schema.ts';

/** A report with the fields of its target, which are null if the target was erased. */
export interface QueuedReport extends Report {
  action: ReportAction | null;
  resolved_by: string | null;
  open_reports: number;
  title: string | null;
  text: string | null;
  state: string | null;
  petition_id: string | null;
  author: { id: string; display_name: string; slug: string; suspended: boolean } | null;
}

/**
 * Joins the targets after the page was selected, so that its cost does not depend on the filter. PostgreSQL
 * memoizes the count of open reports per target.
 */
const selectWithTargets = (db: Db, picked: ReturnType<typeof db>) => db`
  with picked as materialized (${picked})
  select r.*, counted.open_reports, a.author,
    case r.target_type when 'user' then a.author->>'display_name' else p.title end as title,
    case r.target_type when 'petition' then left(p.description, ${textLength})
      when 'comment' then c.body else a.bio end as text,
    case r.target_type
      when 'petition' then case when p.deleted_at is null then p.status
        when p.id is not null then 'deleted' end
      when 'comment' then case when c.deleted_at is not null or p.deleted_at is not null
        then 'deleted' when c.is_hidden then 'hidden' when c.id is not null then 'shown' end
      else case when (a.author->>'suspended')::boolean then 'suspended'
        when a.author is not null then 'active' end
    end as state,
    p.id as petition_id
  from picked r
  left join comments c on r.target_type = 'comment' and c.id = r.target_id
  left join petitions p on p.id = case r.target_type when 'petition' then r.target_id
    when 'comment' then c.petition_id end
  left join lateral (
    select bio, json_build_object('id', id, 'display_name', display_name, 'slug', slug,
      'suspended', suspended_at is not null) as author
    from users where id = case r.target_type when 'petition' then p.creator_id
      when 'comment' then c.user_id else r.target_id end
  ) a on true
  cross join lateral (
    select count(*)::integer as open_reports from reports same
    where same.target_type = r.target_type and same.target_id = r.target_id
      and same.status = 'open'
  ) counted
  order by r.id`;

const allColumns = (db: Db) => db`${reportColumns(db)}, action, resolved_by`;

export interface QueueFilter {
  status: Report['status'];
  targetType: TargetType | undefined;
}

/** Returns a page of reports with this status, oldest first. */
export async function listReports(
  db: Db,
  { status, targetType }: QueueFilter,
  after: string | null,
  limit: number,
): Promise<QueuedReport[]> {
  return db<QueuedReport[]>`${selectWithTargets(
    db,
    db`
      select ${allColumns(db)} from reports
      where status = ${status}
        ${targetType ? db`and target_type = ${targetType}` : db``}
        ${after ? db`and id > ${after}` : db``}
      order by id limit ${limit}`,
  )}`;
}

export async function findReport(db: Db, id: string): Promise<QueuedReport | undefined> {
  return db.first<QueuedReport>`${selectWithTargets(
    db,
    db`select ${allColumns(db)} from reports where id = ${id}`,
  )}`;
}
