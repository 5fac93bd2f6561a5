import { mailDomainHash } from '../../identity/accounts/accounts.ts';
import { recordAdminAction } from '../../platform/audit.ts';
import type { Context } from '../../platform/context.ts';
import { isCountry } from '../../platform/countries.ts';
import { pageById, type Page, type PageQuery } from '../../platform/cursor.ts';
import { transaction } from '../../platform/db.ts';
import type { Caller } from '../../platform/http/route.ts';
import { canonicalDomain } from '../../platform/mail-addresses.ts';
import { newId } from '../../platform/ids.ts';
import { NetworkTable, parseNetwork } from '../../platform/networks.ts';
import { conflict, invalidValue, notFound } from '../../platform/problems.ts';
import { requireReadablePetition } from '../petitions/read.ts';
import * as queries from './queries.ts';
import type { SigningBlockRow } from './queries.ts';
import type { SigningBlock, SigningBlockInput } from './schema.ts';

const cacheGroup = 'signing-blocks';

export type BlockAction = SigningBlockRow['action'];

/** A block of the signers of a mail domain, for the statement that stores signatures. */
export interface DomainBlock {
  /** Null: on all petitions. */
  petition_id: string | null;
  /** Keyed hash of the domain, as accounts have it, in hexadecimal digits. */
  domain: string;
  action: BlockAction;
}

/** The blocks in force, in the form in which signing looks for them. */
interface BlockTable {
  networks: NetworkTable<SigningBlockRow>;
  /** Ids of networks in reports, and countries. */
  others: SigningBlockRow[];
  domains: DomainBlock[];
}

/** Other processes see a change after a second, when their cache expires. */
const blocksOf = (ctx: Context): Promise<BlockTable> =>
  ctx.cache.read(cacheGroup, 'all', async () => {
    const blocks = await queries.findBlocks(ctx.pools.main);
    const isCidr = ({ kind, value }: SigningBlockRow) => kind === 'network' && value.includes('/');
    const hashOf = (domain: string) => mailDomainHash(ctx.keys, domain).toString('hex');
    return {
      networks: new NetworkTable(blocks.filter(isCidr).map((block) => [block.value, block])),
      others: blocks.filter((block) => block.kind !== 'domain' && !isCidr(block)),
      domains: blocks
        .filter(({ kind }) => kind === 'domain')
        .map(({ petition_id, value, action }) => ({ petition_id, domain: hashOf(value), action })),
    };
  });

interface Signing {
  petitionId: string;
  ip: string;
  /** Hash of the address on this petition, 16 hexadecimal digits; null if there is none. */
  addressHash: string | null;
  country: string | null;
}

/** Returns what blocks of networks and countries do to a signature. Refusing goes before holding. */
export async function blockOfOrigin(
  ctx: Context,
  { petitionId, ip, addressHash, country }: Signing,
): Promise<BlockAction | null> {
  const { networks, others } = await blocksOf(ctx);
  const found = [
    ...networks.find(ip),
    ...others.filter(({ kind, value }) =>
      kind === 'country' ? value === country : addressHash?.startsWith(value),
    ),
  ].filter((block) => block.petition_id === null || block.petition_id === petitionId);
  return found.find(({ action }) => action === 'refuse')?.action ?? found[0]?.action ?? null;
}

/** Returns the blocks of mail domains that hold on one of these petitions. */
export async function findDomainBlocks(
  ctx: Context,
  petitionIds: readonly string[],
): Promise<DomainBlock[]> {
  const { domains } = await blocksOf(ctx);
  return domains.filter(({ petition_id: id }) => id === null || petitionIds.includes(id));
}

/** Returns a page of the blocks, newest first, ended ones included. */
export const listBlocks = (
  ctx: Context,
  { petition_id: petitionId = null, ...query }: PageQuery & { petition_id?: string | null },
): Promise<Page<SigningBlock>> =>
  pageById(
    'signing-blocks',
    query,
    (before, count) => queries.listBlocks(ctx.db, petitionId, before, count),
    (row) => row,
  );

/**
 * Refuses or holds signatures from now on, on one petition or on all.
 * @throws {Problem} validation-failed, not-found for the petition, conflict if the same is blocked already
 */
export async function addBlock(
  ctx: Context,
  caller: Caller,
  input: SigningBlockInput,
): Promise<SigningBlock> {
  const petition =
    input.petition_id === undefined
      ? undefined
      : await requireReadablePetition(ctx, caller, input.petition_id, undefined);
  const endsAt = input.ends_at === undefined ? null : new Date(input.ends_at);
  if (endsAt && !(endsAt > ctx.now())) throw invalidValue('ends_at', 'This must be in the future.');
  const added = await transaction(ctx.db, async (tx) => {
    const row = await queries.insertBlock(tx, {
      id: newId(),
      petition_id: petition?.id ?? null,
      kind: input.kind,
      value: valueOf(input),
      action: input.action,
      reason: input.reason.trim(),
      created_by: caller.userId,
      ends_at: endsAt,
    });
    if (!row) throw conflict('block_exists', 'This is blocked already. Remove that block first.');
    await recordAdminAction(tx, {
      ...auditEntry(row, caller),
      action: 'signing_block.add',
      reason: { text: row.reason, about: petition?.creator_id ?? null },
    });
    return row;
  });
  ctx.cache.drop(cacheGroup);
  return added;
}

export async function removeBlock(ctx: Context, caller: Caller, id: string): Promise<void> {
  await transaction(ctx.db, async (tx) => {
    const row = await queries.deleteBlock(tx, id);
    if (!row) throw notFound('signing block');
    await recordAdminAction(tx, { ...auditEntry(row, caller), action: 'signing_block.remove' });
  });
  ctx.cache.drop(cacheGroup);
}

const auditEntry = (row: SigningBlockRow, caller: Caller) => ({
  actorId: caller.userId,
  targetType: 'signing_block',
  targetId: row.id,
  details: {
    petition_id: row.petition_id,
    kind: row.kind,
    // A domain may identify a person. The block has it.
    ...(row.kind !== 'domain' && { value: row.value }),
    action: row.action,
    ends_at: row.ends_at?.toISOString() ?? null,
  },
});

const networkIdPattern = /^[0-9a-f]{10}([0-9a-f]{6})?$/;
const domainPattern = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z0-9-]{2,63}$/;

/** Returns the value of a block as it is stored. */
const valueOf = (input: SigningBlockInput): string =>
  readers[input.kind](input.value.trim(), input.petition_id);

const readers: Record<
  SigningBlockRow['kind'],
  (value: string, petitionId: string | undefined) => string
> = {
  network(value, petitionId) {
    if (!networkIdPattern.test(value)) return parseNetwork(value, 'value');
    if (petitionId !== undefined) return value;
    throw invalidValue('value', 'This id stands for a network on one petition only: name it.');
  },
  domain(value) {
    const domain = canonicalDomain(value.replace(/^@/, ''));
    if (domainPattern.test(domain)) return domain;
    throw invalidValue('value', 'This must be a domain, such as example.org.');
  },
  country(value) {
    const country = value.toUpperCase();
    if (isCountry(country)) return country;
    throw invalidValue('value', 'This is no country of ISO 3166-1.');
  },
};
