import { recordAdminAction } from '../../platform/audit.ts';
import type { Context } from '../../platform/context.ts';
import { pageById, type Page, type PageQuery } from '../../platform/cursor.ts';
import { transaction } from '../../platform/db.ts';
import type { Caller } from '../../platform/http/route.ts';
import { newId } from '../../platform/ids.ts';
import { parseNetwork } from '../../platform/networks.ts';
import { conflict, notFound } from '../../platform/problems.ts';
import { originsOfNetwork, type NetworkOrigins } from './origins.ts';
import * as queries from './shared-network-queries.ts';
import type { SharedNetwork } from './shared-network-queries.ts';

export type { SharedNetwork } from './shared-network-queries.ts';

/** Returns the origins of the shared networks on a petition, at most some thousands. */
export async function findSharedOrigins(ctx: Context, petitionId: string): Promise<NetworkOrigins> {
  return ctx.cache.read('shared-origins', petitionId, async () => {
    const shared = await queries.findSharedNetworks(ctx.pools.main);
    const origins = shared.map(({ network }) => originsOfNetwork(ctx.keys, petitionId, network));
    return {
      networks: origins.flatMap(({ networks }) => networks),
      addresses: origins.flatMap(({ addresses }) => addresses),
      ids: origins.flatMap(({ ids }) => ids),
    };
  });
}

/** Returns a page of the networks that many people share, newest first. */
export const listSharedNetworks = (ctx: Context, query: PageQuery): Promise<Page<SharedNetwork>> =>
  pageById(
    'shared-networks',
    query,
    (before, count) => queries.listSharedNetworks(ctx.db, before, count),
    (row) => row,
  );

/**
 * Raises the limits that signers meet for the addresses of a network.
 * @throws {Problem} validation-failed for an invalid or too wide network, conflict if it exists already
 */
export async function addSharedNetwork(
  ctx: Context,
  caller: Caller,
  input: { network: string; note: string; limit: number },
): Promise<SharedNetwork> {
  const network = parseNetwork(input.network);
  const added = await transaction(ctx.db, async (tx) => {
    const row = await queries.insertSharedNetwork(tx, { ...input, id: newId(), network });
    if (!row) throw conflict('network_known', 'This network is in the list already.');
    await recordAdminAction(tx, {
      actorId: caller.userId,
      action: 'shared_network.add',
      targetType: 'shared_network',
      targetId: row.id,
      details: { network, limit: input.limit },
    });
    return row;
  });
  await ctx.sharedNetworks.refresh();
  return added;
}

/** Restores the default signing limit of a network. */
export async function removeSharedNetwork(ctx: Context, caller: Caller, id: string): Promise<void> {
  await transaction(ctx.db, async (tx) => {
    const network = await queries.deleteSharedNetwork(tx, id);
    if (!network) throw notFound('shared network');
    await recordAdminAction(tx, {
      actorId: caller.userId,
      action: 'shared_network.remove',
      targetType: 'shared_network',
      targetId: id,
      details: { network },
    });
  });
  await ctx.sharedNetworks.refresh();
}
