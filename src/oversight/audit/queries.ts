import type { Db } from '../../platform/db.ts';
import type { AuditLine } from './schema.ts';

export interface AuditFilter {
  actorId?: string | undefined;
  action?: string | undefined;
  targetId?: string | undefined;
  /** Lower bound of ids, included. */
  fromId?: string | undefined;
  /** Upper bound of ids, excluded. */
  toId?: string | undefined;
}

/** Returns lines of the log, newest first: their ids are ordered by time. */
export async function listLines(
  db: Db,
  { actorId, action, targetId, fromId, toId }: AuditFilter,
  before: string | null,
  limit: number,
): Promise<AuditLine[]> {
  return db<AuditLine[]>`
    with l as materialized (
      select id, actor_id, action, target_type, target_id, details, created_at,
        case when target_type = 'petition' then target_id
          else (details ->> 'petition_id')::uuid end as petition_id
      from audit_log
      where true
        ${actorId ? db`and actor_id = ${actorId}` : db``}
        ${action ? db`and action = ${action}` : db``}
        ${targetId ? db`and target_id = ${targetId}` : db``}
        ${fromId ? db`and id >= ${fromId}` : db``}
        ${toId ? db`and id < ${toId}` : db``}
        ${before ? db`and id < ${before}` : db``}
      order by id desc
      limit ${limit}
    )
    select l.id, l.action, l.target_type, l.target_id, l.created_at,
      case when r.reason is null then l.details
        else l.details || jsonb_build_object('reason', r.reason) end as details,
      case when a.id is not null
        then json_build_object('id', a.id, 'display_name', a.display_name) end as actor,
      ${subject(db)} as subject
    from l
    left join audit_reasons r on r.act_id = l.id
    left join users a on a.id = l.actor_id
    order by l.id desc`;
}

/** SQL expression: the thing with a name that the line `l` is about, or null if it is gone. */
const subject = (db: Db) => db`
  case l.target_type
    when 'user' then (
      select json_build_object('type', 'user', 'id', id, 'name', display_name)
      from users where id = l.target_id)
    when 'organization' then (
      select json_build_object('type', 'organization', 'id', id, 'name', name)
      from organizations where id = l.target_id)
    when 'category' then (
      select json_build_object('type', 'category', 'id', id, 'name', name)
      from categories where id = l.target_id)
    else (
      select json_build_object('type', 'petition', 'id', id, 'name', title,
        'language', language)
      from petitions where id = l.petition_id)
  end`;

/** Returns the actions on a user, with the reasons that were written about them. */
export async function findActionsOnUser(db: Db, userId: string): Promise<readonly object[]> {
  return db`
    select l.action, l.target_type, l.target_id, r.reason, l.created_at
    from audit_log l left join audit_reasons r on r.act_id = l.id
    where l.target_id = ${userId}
    union all
    select l.action, l.target_type, l.target_id, r.reason, l.created_at
    from audit_reasons r join audit_log l on l.id = r.act_id
    where r.user_id = ${userId} and l.target_id is distinct from ${userId}
    order by created_at`;
}
