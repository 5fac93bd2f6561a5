import type { Context } from '../../platform/context.ts';
import { pageById, type Page, type PageQuery } from '../../platform/cursor.ts';
import { transaction } from '../../platform/db.ts';
import {
  keyLevels,
  organizationOf,
  type Caller,
  type KeyLevel,
} from '../../platform/http/route.ts';
import { newId } from '../../platform/ids.ts';
import {
  conflict,
  forbidden,
  invalidValue,
  notFound,
  unauthorized,
} from '../../platform/problems.ts';
import type { KeyCallers } from './key-callers.ts';
import { environmentFor, environmentOf, newKeyText, prefixOf } from './key-text.ts';
import * as queries from './queries.ts';
import type { ApiKeyRow, Owner } from './queries.ts';
import type { ApiKey, ApiKeyInput, ApiKeyUpdate, ApiKeyWithSecret } from './schema.ts';

export type { KeyCallers } from './key-callers.ts';
export { deleteKeysOf } from './queries.ts';

/** Keys that one user may have. */
const mostKeys = 50;
/** For how long a key that was replaced still counts. */
const graceMilliseconds = 24 * 3_600_000;
/** Rotations of one key whose grace may be under way. */
const mostReplaced = 50;

/** A key as its maker sees it; of its last use, also what is not written yet. */
const present = (row: ApiKeyRow, callers: KeyCallers): ApiKey => ({
  id: row.id,
  name: row.name,
  prefix: row.prefix,
  scopes: row.scopes,
  org_id: row.org_id,
  environment: environmentOf(row.prefix)!,
  last_used_at: callers.lastUses.unwritten(row.id) ?? row.last_used_at,
  expires_at: row.expires_at,
  created_at: row.created_at,
});

/** Makes a key for the caller, or for an organization of theirs. */
export async function createKey(
  ctx: Context,
  callers: KeyCallers,
  caller: Caller,
  input: ApiKeyInput,
): Promise<ApiKeyWithSecret> {
  const expiresAt = input.expires_at ? inTheFuture(input.expires_at, ctx.now()) : null;
  const { key, ...stored } = newKey(ctx);
  const { userId } = caller;
  const orgId = organizationFor(caller, input);
  const row = await transaction(ctx.db, async (tx) => {
    if (orgId) requireAdmin(await queries.holdOrganization(tx, orgId, userId));
    if (!(await queries.lockMaker(tx, userId)))
      throw unauthorized('This account no longer exists.');
    if ((await queries.countKeys(tx, userId)) >= mostKeys) throw tooManyKeys();
    return queries.insertKey(tx, {
      id: newId(),
      userId,
      orgId,
      name: input.name,
      scopes: tidyScopes(input.scopes ?? []),
      expiresAt,
      ...stored,
    });
  });
  return { ...present(row, callers), key };
}

/** A key of an organization makes keys of that organization, so that none outlives what it may do. */
function organizationFor(caller: Caller, { org_id: asked }: ApiKeyInput): string | null {
  const own = organizationOf(caller);
  if (own && asked && asked.toLowerCase() !== own) {
    throw forbidden('A key of an organization makes keys of that organization only.');
  }
  return own ?? asked ?? null;
}

const ownerOf = (caller: Caller): Owner => ({
  userId: caller.userId,
  onlyOrgId: organizationOf(caller),
});

/** The caller's keys, newest first; a key of an organization sees those of the organization. */
export function listKeys(
  ctx: Context,
  callers: KeyCallers,
  caller: Caller,
  query: PageQuery,
): Promise<Page<ApiKey>> {
  return pageById(
    'api-keys',
    query,
    (before, count) => queries.listKeys(ctx.db, ownerOf(caller), before, count),
    (row) => present(row, callers),
  );
}

/** One of the caller's keys. */
export async function getKey(
  ctx: Context,
  callers: KeyCallers,
  caller: Caller,
  id: string,
): Promise<ApiKey> {
  const row = await queries.findKey(ctx.db, ownerOf(caller), id);
  if (!row) throw noKey();
  return present(row, callers);
}

/** Changes a key's name, or what it is good for. */
export async function updateKey(
  ctx: Context,
  callers: KeyCallers,
  caller: Caller,
  id: string,
  { name, scopes }: ApiKeyUpdate,
): Promise<ApiKey> {
  const changes = { name, scopes: scopes && tidyScopes(scopes) };
  const row = await queries.updateKey(ctx.db, ownerOf(caller), id, changes);
  if (!row) throw noKey();
  await ctx.afterCommit(async () => callers.forget());
  return present(row, callers);
}

/**
 * Replaces a key by a new one, under the same record. The old one counts for 24 hours more, whatever
 * replaces the new one meanwhile.
 * @throws {Problem} conflict where the key has expired, since the new one would be expired too, or where
 *   too many old ones still count
 */
export async function rotateKey(
  ctx: Context,
  callers: KeyCallers,
  caller: Caller,
  id: string,
): Promise<ApiKeyWithSecret> {
  const { key, ...stored } = newKey(ctx);
  const now = ctx.now();
  const graceEndsAt = new Date(now.getTime() + graceMilliseconds);
  const row = await transaction(ctx.db, async (tx) => {
    const old = await queries.lockKey(tx, ownerOf(caller), id);
    if (!old) throw noKey();
    if (old.expires_at && old.expires_at <= now) throw expired();
    if ((await queries.countReplaced(tx, id, now)) >= mostReplaced) throw rotatedTooOften();
    return queries.replaceKey(tx, id, { ...stored, graceEndsAt });
  });
  await ctx.afterCommit(async () => callers.forget());
  return { ...present(row, callers), key };
}

/** Ends a key for good, and with it all that it replaced. */
export async function deleteKey(
  ctx: Context,
  callers: KeyCallers,
  caller: Caller,
  id: string,
): Promise<void> {
  if (!(await queries.deleteKey(ctx.db, ownerOf(caller), id))) throw noKey();
  await ctx.afterCommit(async () => callers.forget());
}

function newKey(ctx: Context): { key: string; keyHash: Buffer; prefix: string } {
  const key = newKeyText(environmentFor(ctx.config));
  return { key, keyHash: ctx.keys.hash('api-key', key), prefix: prefixOf(key) };
}

/** The scopes in order, each once; where none is given, the lowest. */
function tidyScopes(given: KeyLevel[]): KeyLevel[] {
  const scopes = keyLevels.filter((level) => given.includes(level));
  return scopes.length > 0 ? scopes : ['read'];
}

/** @throws {Problem} validation-failed where the organization is unknown; forbidden to others */
function requireAdmin(organization: { role: string | null } | undefined): void {
  if (!organization) throw invalidValue('org_id', 'There is no such organization.');
  if (organization.role !== 'owner' && organization.role !== 'admin') {
    throw forbidden('Only owners and admins of an organization may make keys that act for it.');
  }
}

function inTheFuture(text: string, now: Date): Date {
  const time = new Date(text);
  if (time > now && time.getUTCFullYear() <= 9999) return time;
  throw invalidValue('expires_at', 'This must be a time in the future, before the year 10000.');
}

const noKey = () => notFound('API key');

const expired = () => conflict('key_expired', 'This API key has expired. Make a new one.');

const rotatedTooOften = () =>
  conflict(
    'rotation_limit_reached',
    `This API key was rotated ${mostReplaced} times in 24 hours. Delete it to end the old ones.`,
  );

const tooManyKeys = () =>
  conflict('key_limit_reached', `You have ${mostKeys} API keys. Delete one that you need no more.`);
