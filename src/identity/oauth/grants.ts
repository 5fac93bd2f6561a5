import type { Context } from '../../platform/context.ts';
import { pageById, type Page, type PageQuery } from '../../platform/cursor.ts';
import { transaction, type Tx } from '../../platform/db.ts';
import type { Caller } from '../../platform/http/route.ts';
import { notFound } from '../../platform/problems.ts';
import type { PersonalData } from '../../platform/slice.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { deleteClientsOf, exportClients } from './client-queries.ts';
import * as queries from './queries.ts';
import type { OAuthGrant } from './schema.ts';
import { inOrder } from './scopes.ts';

/** Returns the caller's grants to applications. */
export const listGrants = (
  ctx: Context,
  caller: Caller,
  query: PageQuery,
): Promise<Page<OAuthGrant>> =>
  pageById(
    'oauth-grants',
    query,
    (before, count) => queries.listGrants(ctx.db, caller.userId, before, count),
    (row) => ({ ...row, scopes: inOrder(row.scopes) }),
  );

/** Withdraws a grant of the caller and revokes its tokens. */
export async function withdrawGrant(
  ctx: Context,
  sessions: Sessions,
  caller: Caller,
  id: string,
): Promise<void> {
  await transaction(ctx.db, async (tx) => {
    const ended = await queries.deleteGrant(tx, id, caller.userId);
    if (!ended) throw notFound('grant');
    await sessions.revokeAccess(tx, ended);
  });
  await ctx.afterCommit(() => sessions.revocations.refresh());
}

/** Deletes a user's applications and the user's grants to other applications. */
export async function deleteOAuthAccess(tx: Tx, sessions: Sessions, userId: string): Promise<void> {
  await sessions.revokeAccess(tx, await deleteClientsOf(tx, userId));
  await deleteGrants(tx, sessions, userId);
}

/** Deletes a user's grants to applications. Callers refresh `revocations` after the commit. */
export async function deleteGrants(
  tx: Tx,
  sessions: Sessions,
  userId: string,
  since?: Date,
): Promise<void> {
  await sessions.revokeAccess(tx, await queries.deleteGrantsOf(tx, userId, since));
}

/** Applications and grants are deleted with their user. */
export const personalData = (sessions: Sessions): PersonalData => ({
  name: 'oauth',
  export: async (db, userId) => ({
    clients: await exportClients(db, userId),
    grants: await queries.exportGrants(db, userId),
  }),
  erase: async (tx, userId) => {
    await deleteOAuthAccess(tx, sessions, userId);
    await sessions.revokeAccess(tx, [userId]);
  },
  onErased: () => sessions.revocations.refresh(),
});
