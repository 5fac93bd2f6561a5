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
    select l.id, l.action, l.target_type, l.target_id, l.created_at,
      case when r.reason is null then l.details
        else l.details || jsonb_build_object('reason', r.reason) end as details,
      case when a.id is not null
        then json_build_object('id', a.id, 'display_name', a.display_name) end as actor
    from audit_log l
    left join audit_reasons r on r.act_id = l.id
    left join users a on a.id = l.actor_id
    where true
      ${actorId ? db`and l.actor_id = ${actorId}` : db``}
      ${action ? db`and l.action = ${action}` : db``}
      ${targetId ? db`and l.target_id = ${targetId}` : db``}
      ${fromId ? db`and l.id >= ${fromId}` : db``}
      ${toId ? db`and l.id < ${toId}` : db``}
      ${before ? db`and l.id < ${before}` : db``}
    order by l.id desc
    limit ${limit}`;
}

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
