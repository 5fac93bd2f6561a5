import type { Db, Tx } from '../../platform/db.ts';
import type { Warning } from './schema.ts';

export interface NewWarning {
  id: string;
  userId: string;
  moderatorId: string;
  reportId: string | null;
  message: string;
}

/** Stores a warning. Returns false if there is no such user. */
export async function insertWarning(tx: Tx, warning: NewWarning): Promise<boolean> {
  const { id, userId, moderatorId, reportId, message } = warning;
  return tx.changed`
    insert into warnings (id, user_id, moderator_id, report_id, message)
    select ${id}, u.id, ${moderatorId}, ${reportId}, ${message}
    from users u where u.id = ${userId} for key share`;
}

const selectWarnings = (db: Db) => db`
  select w.id, w.user_id, json_build_object('id', u.id, 'display_name', u.display_name) as user,
    w.message, w.report_id, w.created_at,
    case when m.id is not null
      then json_build_object('id', m.id, 'display_name', m.display_name) end as moderator
  from warnings w
  join users u on u.id = w.user_id
  left join users m on m.id = w.moderator_id`;

export async function findWarning(db: Db, id: string): Promise<Warning | undefined> {
  return db.first<Warning>`${selectWarnings(db)} where w.id = ${id}`;
}

/** Returns a page of warnings of all users or of one, newest first. */
export async function listWarnings(
  db: Db,
  userId: string | undefined,
  before: string | null,
  limit: number,
): Promise<Warning[]> {
  return db<Warning[]>`
    ${selectWarnings(db)}
    where ${userId ? db`w.user_id = ${userId}` : db`true`}
      ${before ? db`and w.id < ${before}` : db``}
    order by w.id desc
    limit ${limit}`;
}

/** Returns the number of warnings by user, without users who have none. */
export async function countWarnings(db: Db, userIds: string[]): Promise<Map<string, number>> {
  const rows = await db<{ user_id: string; n: number }[]>`
    select user_id, count(*)::integer as n from warnings
    where user_id = any(${userIds}::uuid[]) group by user_id`;
  return new Map(rows.map(({ user_id, n }) => [user_id, n]));
}

export async function findWarningsOfUser(db: Db, userId: string): Promise<readonly object[]> {
  return db`
    select id, message, created_at from warnings where user_id = ${userId} order by id`;
}

export async function deleteWarningsOf(tx: Tx, userId: string): Promise<void> {
  await tx`delete from warnings where user_id = ${userId}`;
}

/** Returns the messages of warnings by id. */
export async function warningTexts(db: Db, ids: string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db<{ id: string; message: string }[]>`
    select id, message from warnings where id = any(${ids}::uuid[])`;
  return new Map(rows.map(({ id, message }) => [id, message]));
}
