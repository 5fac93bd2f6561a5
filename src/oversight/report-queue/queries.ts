import type { Db } from '../../platform/db.ts';
import { reportColumns, weightOn } from '../reports/reports.ts';
import {
  maxHistory,
  textLength,
  type AdminReport,
  type Report,
  type ReportAction,
  type TargetType,
} from '../reports/schema.ts';

/** A report with the fields of its target, which are null if the target was erased. */
export interface QueuedReport extends Report {
  action: ReportAction | null;
  resolved_by: string | null;
  open_reports: number;
  weight: number;
  snapshot: AdminReport['snapshot'];
  target_history: { action: string; created_at: string }[] | null;
  author_history: AdminReport['author_history'];
  title: string | null;
  /** Of the petition. */
  language: string | null;
  text: string | null;
  state: string | null;
  petition_id: string | null;
  author: { id: string; display_name: string; slug: string; suspended: boolean } | null;
}

/**
 * Joins the targets after the page was selected, so that its cost does not depend on the filter. Counts and histories of each
 * target and author are read by their indexes: reports_on_target, reports_by_author, audit_log_by_target and
 * warnings_of_user.
 */
const selectWithTargets = (db: Db, picked: ReturnType<typeof db>, weighing: Weighing) => db`
  with picked as materialized (${picked})
  select r.id, r.target_type, r.target_id, r.reason, r.description, r.status, r.reporter_id, r.created_at,
    r.resolved_at, r.action, r.resolved_by, r.snapshot, counted.open_reports, a.author,
    ${weightOn(db, { type: db`r.target_type`, id: db`r.target_id` }, weighing)} as weight,
    decided.target_history, history.author_history,
    case r.target_type when 'user' then a.author->>'display_name' else p.title end as title,
    p.language,
    case r.target_type when 'petition' then left(p.description, ${textLength})
      when 'comment' then c.body when 'signature' then s.comment else a.bio end as text,
    case r.target_type
      when 'petition' then case when p.deleted_at is null then p.status
        when p.id is not null then 'deleted' end
      when 'comment' then case when c.deleted_at is not null or p.deleted_at is not null
        then 'deleted' when c.is_hidden then 'hidden' when c.id is not null then 'shown' end
      when 'signature' then case when p.deleted_at is not null then 'deleted'
        when s.comment is not null then 'shown' when s.id is not null then 'hidden' end
      else case when (a.author->>'suspended')::boolean then 'suspended'
        when a.author is not null then 'active' end
    end as state,
    p.id as petition_id
  from picked r
  left join comments c on r.target_type = 'comment' and c.id = r.target_id
  left join signatures s on r.target_type = 'signature' and s.petition_id = r.petition_id
    and s.id = r.target_id
  left join petitions p on p.id = case r.target_type when 'petition' then r.target_id
    when 'comment' then c.petition_id when 'signature' then r.petition_id end
  left join lateral (
    select bio, json_build_object('id', id, 'display_name', display_name, 'slug', slug,
      'suspended', suspended_at is not null) as author
    from users where id = case r.target_type when 'petition' then p.creator_id
      when 'comment' then c.user_id when 'signature' then s.user_id else r.target_id end
  ) a on true
  cross join lateral (
    select count(*)::integer as open_reports from reports same
    where same.target_type = r.target_type and same.target_id = r.target_id
      and same.status = 'open'
  ) counted
  left join lateral (
    select json_agg(json_build_object('action', action, 'created_at', at) order by at desc) as target_history
    from (
      select 'report.' || same.action as action, same.resolved_at as at
      from reports same
      where same.target_type = r.target_type and same.target_id = r.target_id
        and same.status in ('actioned', 'dismissed') and same.action is not null
        and same.resolved_at is distinct from r.resolved_at
      union
      select l.action, l.created_at from audit_log l
      where l.target_id = r.target_id and l.target_type = r.target_type
        and not starts_with(l.action, 'report.')
      order by at desc
      limit ${maxHistory}
    ) earlier
  ) decided on true
  left join lateral (
    select json_build_object(
      'warnings', (select count(*) from warnings w where w.user_id = (a.author->>'id')::uuid),
      'decided_reports', (
        select count(distinct (d.target_type, d.target_id, d.resolved_at)) from reports d
        where d.author_id = (a.author->>'id')::uuid and d.status in ('actioned', 'dismissed')
          and d.action is not null and d.resolved_at is distinct from r.resolved_at),
      'suspensions', (
        select count(*) from audit_log l where l.target_id = (a.author->>'id')::uuid
          and l.action in ('user.suspend', 'report.suspend_user'))) as author_history
    where a.author is not null
  ) history on true
  order by r.id`;

const allColumns = (db: Db) => db`${reportColumns(db)}, action, resolved_by, petition_id, snapshot`;

type Weighing = Parameters<typeof weightOn>[2];

export interface QueueFilter {
  status: Report['status'];
  targetType: TargetType | undefined;
}

/** Returns a page of reports with this status, oldest first. */
export async function listReports(
  db: Db,
  { status, targetType }: QueueFilter,
  { after, limit, weighing }: { after: string | null; limit: number; weighing: Weighing },
): Promise<QueuedReport[]> {
  return db<QueuedReport[]>`${selectWithTargets(
    db,
    db`
      select ${allColumns(db)} from reports
      where status = ${status}
        ${targetType ? db`and target_type = ${targetType}` : db``}
        ${after ? db`and id > ${after}` : db``}
      order by id limit ${limit}`,
    weighing,
  )}`;
}

export async function findReport(
  db: Db,
  id: string,
  weighing: Weighing,
): Promise<QueuedReport | undefined> {
  return db.first<QueuedReport>`${selectWithTargets(
    db,
    db`select ${allColumns(db)} from reports where id = ${id}`,
    weighing,
  )}`;
}
