import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { recordAct } from '../../platform/audit.ts';
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
/** Wider ones would lift the limit for whole countries. */
const widestPrefix = { ipv4: 8, ipv6: 16 };

/** Limits by the bits in which an address must agree, longest prefix first. */
type Limits = { kind: 'ipv4' | 'ipv6'; prefix: number; byBits: Map<bigint, number> }[];

/**
 * How many signatures an hour each address of this one's network may give, or undefined where the usual
 * number holds. Other processes know of a change after a second, as of all that is remembered.
 */
export async function signingLimitOf(ctx: Context, ip: string): Promise<number | undefined> {
  const limits = await ctx.cache.read(cacheGroup, 'all', async () =>
    toLimits(await queries.allSharedNetworks(ctx.pools.main)),
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
    const same = limits.getOrInsert(`${kind}/${prefix}`, { kind, prefix, byBits: new Map() });
    same.byBits.set(bitsOf(address, prefix), limit);
  }
  return [...limits.values()].toSorted((a, b) => b.prefix - a.prefix);
}

/** The first bits of an address, as one number. */
function bitsOf(address: ipaddr.IPv4 | ipaddr.IPv6, prefix: number): bigint {
  const bytes = address.toByteArray();
  const whole = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  return whole >> BigInt(bytes.length * 8 - prefix);
}

/** The networks that many people share, newest first. */
export const listSharedNetworks = (ctx: Context, query: PageQuery): Promise<Page<SharedNetwork>> =>
  pageById(
    'shared-networks',
    query,
    (before, count) => queries.pageOfSharedNetworks(ctx.db, before, count),
    (row) => row,
  );

/**
 * Lets the addresses of a network sign more often.
 * @throws {Problem} validation-failed where it is no network or a very wide one, conflict where it is
 *   known already
 */
export async function addSharedNetwork(
  ctx: Context,
  caller: Caller,
  input: { network: string; note: string; limit: number },
): Promise<SharedNetwork> {
  const network = tidyNetwork(input.network);
  const added = await transaction(ctx.db, async (tx) => {
    const row = await queries.insertSharedNetwork(tx, { ...input, id: newId(), network });
    if (!row) throw conflict('network_known', 'This network is in the list already.');
    await recordAct(tx, {
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

/** Puts the usual limit on the addresses of a network again. */
export async function removeSharedNetwork(ctx: Context, caller: Caller, id: string): Promise<void> {
  await transaction(ctx.db, async (tx) => {
    const network = await queries.deleteSharedNetwork(tx, id);
    if (!network) throw notFound('shared network');
    await recordAct(tx, {
      actorId: caller.userId,
      action: 'shared_network.remove',
      targetType: 'shared_network',
      targetId: id,
      details: { network },
    });
  });
  ctx.cache.drop(cacheGroup);
}

/** The network as the database writes it: without the bits of a host. */
function tidyNetwork(text: string): string {
  // The parser takes octal and shortened forms, which may mean another network than was meant.
  const plain = isIP(text.split('/', 1)[0]!) !== 0 && !text.includes('%');
  if (!plain || !ipaddr.isValidCIDR(text)) {
    throw badNetwork('This must be a network in CIDR form, such as 192.0.2.0/24.');
  }
  const [address, prefix] = ipaddr.parseCIDR(text);
  if (prefix < widestPrefix[address.kind()]) {
    throw badNetwork(
      `A network may be as wide as /${widestPrefix.ipv4}, or /${widestPrefix.ipv6} of IPv6.`,
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
