import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { recordAdminAction } from '../../platform/audit.ts';
import type { Context } from '../../platform/context.ts';
import { pageById, type Page, type PageQuery } from '../../platform/cursor.ts';
import { transaction } from '../../platform/db.ts';
import type { Caller } from '../../platform/http/route.ts';
import { newId } from '../../platform/ids.ts';
import { conflict, notFound, validationFailed } from '../../platform/problems.ts';
import * as queries from './shared-network-queries.ts';
import type { SharedNetwork } from './shared-network-queries.ts';

export type { SharedNetwork } from './shared-network-queries.ts';

const cacheGroup = 'shared-networks';
/** Shorter prefixes would cover whole countries. */
const minPrefixBits = { ipv4: 8, ipv6: 16 };

/** Limits by the first `prefix` bits of an address, longest prefix first. */
type Limits = { kind: 'ipv4' | 'ipv6'; prefix: number; byBits: Map<bigint, number> }[];

/**
 * Returns the hourly limit of signatures for this IP address, or undefined for the default limit. Other
 * processes see a change after a second, when their cache expires.
 */
export async function signingLimitOf(ctx: Context, ip: string): Promise<number | undefined> {
  const limits = await ctx.cache.read(cacheGroup, 'all', async () =>
    toLimits(await queries.findSharedNetworks(ctx.pools.main)),
  );
  if (limits.length === 0 || !ipaddr.isValid(ip)) return undefined;
  const address = ipaddr.process(ip);
  for (const { kind, prefix, byBits } of limits) {
    const limit = kind === address.kind() ? byBits.get(bitsOf(address, prefix)) : undefined;
    if (limit !== undefined) return limit;
  }
  return undefined;
}

function toLimits(networks: Pick<SharedNetwork, 'network' | 'limit'>[]): Limits {
  const limits = new Map<string, Limits[number]>();
  for (const { network, limit } of networks) {
    const [address, prefix] = ipaddr.parseCIDR(network);
    const kind = address.kind();
    const limitsOfPrefix = limits.getOrInsert(`${kind}/${prefix}`, {
      kind,
      prefix,
      byBits: new Map(),
    });
    limitsOfPrefix.byBits.set(bitsOf(address, prefix), limit);
  }
  return [...limits.values()].toSorted((a, b) => b.prefix - a.prefix);
}

/** Returns the first `prefix` bits of an address as a number. */
function bitsOf(address: ipaddr.IPv4 | ipaddr.IPv6, prefix: number): bigint {
  const bytes = address.toByteArray();
  const whole = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  return whole >> BigInt(bytes.length * 8 - prefix);
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
 * Sets a higher signing limit for the addresses of a network.
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
  ctx.cache.drop(cacheGroup);
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
  ctx.cache.drop(cacheGroup);
}

/** Returns the network as the database writes it, with the host bits cleared. */
function parseNetwork(text: string): string {
  // The parser accepts octal and shortened forms, which may mean another network than intended.
  const isPlainAddress = isIP(text.split('/', 1)[0]!) !== 0 && !text.includes('%');
  if (!isPlainAddress || !ipaddr.isValidCIDR(text)) {
    throw badNetwork('This must be a network in CIDR form, such as 192.0.2.0/24.');
  }
  const [address, prefix] = ipaddr.parseCIDR(text);
  if (prefix < minPrefixBits[address.kind()]) {
    throw badNetwork(
      `A network may be as wide as /${minPrefixBits.ipv4}, or /${minPrefixBits.ipv6} of IPv6.`,
    );
  }
  if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress()) {
    throw badNetwork('Give the IPv4 network itself.');
  }
  const first =
    address instanceof ipaddr.IPv4
      ? ipaddr.IPv4.networkAddressFromCIDR(text)
      : ipaddr.IPv6.networkAddressFromCIDR(text);
  return `${first.toString()}/${prefix}`;
}

const badNetwork = (message: string) =>
  validationFailed({ field: 'network', message, code: 'invalid_format' });
