import { recordAdminAction } from '../../platform/audit.ts';
import type { Context } from '../../platform/context.ts';
import { pageById, type Page, type CreatedPageQuery } from '../../platform/cursor.ts';
import { transaction, type Tx } from '../../platform/db.ts';
import { emit } from '../../platform/events.ts';
import type { Caller } from '../../platform/http/route.ts';
import { newId } from '../../platform/ids.ts';
import { invalidValue } from '../../platform/problems.ts';
import * as queries from './queries.ts';
import type { Warning } from './schema.ts';

export { countWarnings, warningTexts } from './queries.ts';

/** Warns a user, who is notified by the event. Returns the warning's id, or undefined for an erased user. */
export async function warn(
  tx: Tx,
  warning: Omit<queries.NewWarning, 'id'>,
): Promise<string | undefined> {
  const id = newId();
  if (!(await queries.insertWarning(tx, { id, ...warning }))) return undefined;
  await emit(tx, {
    type: 'user.warned',
    petitionId: null,
    actor: { type: 'admin', id: warning.moderatorId },
    data: { warning_id: id, user_id: warning.userId },
  });
  return id;
}

/** Warns a user without a report, for a moderator. */
export async function warnUser(
  ctx: Context,
  caller: Caller,
  { user_id: userId, message }: { user_id: string; message: string },
): Promise<Warning> {
  return transaction(ctx.db, async (tx) => {
    const id = await warn(tx, { userId, moderatorId: caller.userId, reportId: null, message });
    if (!id) throw noSuchUser();
    await recordAdminAction(tx, {
      actorId: caller.userId,
      action: 'user.warn',
      targetType: 'user',
      targetId: userId,
      details: { warning_id: id },
    });
    return (await queries.findWarning(tx, id))!;
  });
}

const noSuchUser = () => invalidValue('user_id', 'There is no such user.');

export async function listWarnings(
  ctx: Context,
  { user_id: userId, ...page }: CreatedPageQuery & { user_id?: string },
): Promise<Page<Warning>> {
  return pageById(
    'warnings',
    page,
    (before, count) => queries.listWarnings(ctx.db, userId, before, count),
    (row) => row,
  );
}
