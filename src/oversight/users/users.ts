import { setRole } from '../../identity/accounts/accounts.ts';
import type { Sessions } from '../../identity/sessions/sessions.ts';
import { recordAdminAction } from '../../platform/audit.ts';
import type { Context } from '../../platform/context.ts';
import {
  decodeCursor,
  encodeCursor,
  pageById,
  toPage,
  type CreatedPageQuery,
  type Page,
  type PageQuery,
} from '../../platform/cursor.ts';
import { transaction } from '../../platform/db.ts';
import type { Caller, UserRole } from '../../platform/http/route.ts';
import { defaultLimit } from '../../platform/http/schema.ts';
import { invalidValue, notFound } from '../../platform/problems.ts';
import { countOpenReports } from '../reports/reports.ts';
import { countWarnings } from '../warnings/warnings.ts';
import { lockTargetUser } from './target-user.ts';
import * as queries from './queries.ts';
import type { ListedUser } from './queries.ts';
import type { AdminUser, UserListQuery } from './schema.ts';

export { requireTargetUser } from './target-user.ts';
export {
  restoreInTransaction,
  restoreUser,
  suspendUser,
  suspendInTransaction,
} from './suspension.ts';

/**
 * Returns a page of users, newest first; with a name, those who have its words; with the beginning of an address, those by
 * address.
 * @throws {Problem} validation-failed with both
 */
export async function listUsers(
  ctx: Context,
  { email, name, ...page }: UserListQuery,
): Promise<Page<AdminUser>> {
  if (email !== undefined && name !== undefined) {
    throw invalidValue('name', 'Search by name or by address, not by both.');
  }
  if (email !== undefined && (page.created_after ?? page.created_before) !== undefined) {
    throw invalidValue('email', 'Search by address or by time, not by both.');
  }
  const found = await (email === undefined
    ? listNewest(ctx, name, page)
    : listByEmail(ctx, email, page));
  return { ...found, items: await present(ctx, found.items) };
}

const listNewest = (ctx: Context, name: string | undefined, page: CreatedPageQuery) =>
  pageById(
    name === undefined ? 'users' : 'users-by-name',
    page,
    (before, count) =>
      name === undefined
        ? queries.listUsers(ctx.db, before, count)
        : queries.listUsersByName(ctx.db, name, before, count),
    unchanged,
  );

async function listByEmail(
  ctx: Context,
  prefix: string,
  { cursor, limit = defaultLimit }: PageQuery,
) {
  const after = decodeCursor('users-by-email', ['text'], cursor);
  const afterEmail = after && String(after[0]);
  const rows = await queries.listUsersByEmail(ctx.db, prefix, afterEmail, limit + 1);
  return toPage(rows, limit, (row) => encodeCursor('users-by-email', [row.email]), unchanged);
}

const unchanged = (row: ListedUser) => row;

/** @throws {Problem} not-found */
export async function getUser(ctx: Context, id: string): Promise<AdminUser> {
  const row = await queries.findListedUser(ctx.db, id);
  if (!row) throw notFound('user');
  const [user] = await present(ctx, [row]);
  return user!;
}

async function present(ctx: Context, rows: ListedUser[]): Promise<AdminUser[]> {
  const ids = rows.map(({ id }) => id);
  const warnings = await countWarnings(ctx.db, ids);
  const reports = await countOpenReports(ctx.db, 'user', ids);
  return rows.map(({ email_verified_at, phone_verified_at, ...row }) => ({
    ...row,
    email_verified: email_verified_at !== null,
    phone_verified: phone_verified_at !== null,
    warning_count: warnings.get(row.id) ?? 0,
    open_reports: reports.get(row.id) ?? 0,
  }));
}

/** Changes the role of a user, which takes effect on every process within a second. */
export async function changeRole(
  ctx: Context,
  sessions: Sessions,
  caller: Caller,
  userId: string,
  role: UserRole,
): Promise<AdminUser> {
  await transaction(ctx.db, async (tx) => {
    const user = await lockTargetUser(tx, caller, userId);
    if (user.role === role) return;
    await setRole(tx, userId, role);
    await recordAdminAction(tx, {
      actorId: caller.userId,
      action: 'user.role',
      targetType: 'user',
      targetId: userId,
      details: { from: user.role, to: role },
    });
  });
  await ctx.afterCommit(() => sessions.revocations.refresh());
  return getUser(ctx, userId);
}
