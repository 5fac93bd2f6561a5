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
  Problem,
} from '../../platform/problems.ts';
import type { KeyCallers } from './key-callers.ts';
import { newKeyText, prefixOf, type Environment } from './key-text.ts';
import * as queries from './queries.ts';
import type { ApiKeyRow, Owner } from './queries.ts';
import type { ApiKey, ApiKeyInput, ApiKeyUpdate, ApiKeyWithSecret } from './schema.ts';

export type { KeyCallers } from './key-callers.ts';
export { deleteAllKeys, deleteKeysSince, namesOfKeys } from './queries.ts';

/** Keys per user. */
const maxKeys = 50;
/** How long a replaced key stays valid. */
const gracePeriodMs = 24 * 3_600_000;
/** Replaced keys in their grace period, per key. */
const maxReplaced = 50;

/** Returns a key as its owner sees it, with a last use that is not stored yet. */
const present = (row: ApiKeyRow, callers: KeyCallers): ApiKey => ({
  id: row.id,
  name: row.name,
  prefix: row.prefix,
  scopes: row.scopes,
  org_id: row.org_id,
  environment: row.environment,
  last_used_at: callers.lastUses.unwritten(row.id) ?? row.last_used_at,
  expires_at: row.expires_at,
  created_at: row.created_at,
});

/**
 * Creates a key for the caller, or for an organization of theirs.
 * @throws {Problem} not-implemented for a test key in production
 */
export async function createKey(
  ctx: Context,
  callers: KeyCallers,
  caller: Caller,
  input: ApiKeyInput,
): Promise<ApiKeyWithSecret> {
  const expiresAt = input.expires_at ? parseFutureTime(input.expires_at, ctx.now()) : null;
  const { environment = 'live' } = input;
  if (environment === 'test' && ctx.config.production) throw testModeOff();
  const { key, ...stored } = newKey(ctx, environment);
  const { userId } = caller;
  const orgId = organizationFor(caller, input);
  const row = await transaction(ctx.db, async (tx) => {
    if (orgId) requireAdmin(await queries.holdOrganization(tx, orgId, userId));
    if (!(await queries.lockUser(tx, userId))) throw unauthorized('This account no longer exists.');
    if ((await queries.countKeys(tx, userId)) >= maxKeys) throw tooManyKeys();
    return queries.insertKey(tx, {
      ...stored,
      id: newId(),
      user_id: userId,
      org_id: orgId,
      environment,
      name: input.name,
      scopes: normalizeScopes(input.scopes ?? []),
      expires_at: expiresAt,
    });
  });
  return { ...present(row, callers), key };
}

/** Returns the organization of a new key. Callers with an organization's key create only keys of it. */
function organizationFor(caller: Caller, { org_id: requested }: ApiKeyInput): string | null {
  const own = organizationOf(caller);
  if (own && requested && requested.toLowerCase() !== own) {
    throw forbidden('A key of an organization makes keys of that organization only.');
  }
  return own ?? requested ?? null;
}

const ownerOf = (caller: Caller): Owner => ({
  userId: caller.userId,
  onlyOrgId: organizationOf(caller),
});

/** Returns the caller's keys, newest first. Callers with an organization's key see only its keys. */
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

export async function getKey(
  ctx: Context,
  callers: KeyCallers,
  caller: Caller,
  id: string,
): Promise<ApiKey> {
  const row = await queries.findKey(ctx.db, ownerOf(caller), id);
  if (!row) throw keyNotFound();
  return present(row, callers);
}

/** Changes a key's name or scopes. */
export async function updateKey(
  ctx: Context,
  callers: KeyCallers,
  caller: Caller,
  id: string,
  { name, scopes }: ApiKeyUpdate,
): Promise<ApiKey> {
  const changes = { name, scopes: scopes && normalizeScopes(scopes) };
  const row = await queries.updateKey(ctx.db, ownerOf(caller), id, changes);
  if (!row) throw keyNotFound();
  await ctx.afterCommit(async () => callers.forget());
  return present(row, callers);
}

/**
 * Replaces the secret text of a key. The old one stays valid for 24 hours, even if the new one is replaced.
 * @throws {Problem} conflict if the key has expired, since the new one would be expired too, or if too many
 *   replaced ones are still valid
 */
export async function rotateKey(
  ctx: Context,
  callers: KeyCallers,
  caller: Caller,
  id: string,
): Promise<ApiKeyWithSecret> {
  const now = ctx.now();
  const graceEndsAt = new Date(now.getTime() + gracePeriodMs);
  const rotated = await transaction(ctx.db, async (tx) => {
    const old = await queries.lockKey(tx, ownerOf(caller), id);
    if (!old) throw keyNotFound();
    if (old.expires_at && old.expires_at <= now) throw expired();
    if ((await queries.countReplaced(tx, id, now)) >= maxReplaced) throw rotatedTooOften();
    const { key, ...stored } = newKey(ctx, old.environment);
    return { key, row: await queries.replaceKey(tx, id, stored, graceEndsAt) };
  });
  await ctx.afterCommit(async () => callers.forget());
  return { ...present(rotated.row, callers), key: rotated.key };
}

/** Deletes a key and all that it replaced. */
export async function deleteKey(
  ctx: Context,
  callers: KeyCallers,
  caller: Caller,
  id: string,
): Promise<void> {
  if (!(await queries.deleteKey(ctx.db, ownerOf(caller), id))) throw keyNotFound();
  await ctx.afterCommit(async () => callers.forget());
}

function newKey(ctx: Context, environment: Environment) {
  const key = newKeyText(environment);
  return { key, key_hash: ctx.keys.hash('api-key', key), prefix: prefixOf(key) };
}

/** Returns the scopes in order, each once; the lowest if none is given. */
function normalizeScopes(given: KeyLevel[]): KeyLevel[] {
  const scopes = keyLevels.filter((level) => given.includes(level));
  return scopes.length > 0 ? scopes : ['read'];
}

/** @throws {Problem} validation-failed if the organization is unknown; forbidden if not an admin of it */
function requireAdmin(organization: { role: string | null } | undefined): void {
  if (!organization) throw invalidValue('org_id', 'There is no such organization.');
  if (organization.role !== 'owner' && organization.role !== 'admin') {
    throw forbidden('Only owners and admins of an organization may make keys that act for it.');
  }
}

function parseFutureTime(text: string, now: Date): Date {
  const time = new Date(text);
  if (time > now && time.getUTCFullYear() <= 9999) return time;
  throw invalidValue('expires_at', 'This must be a time in the future, before the year 10000.');
}

const testModeOff = () =>
  new Problem('not-implemented', 'There are no test keys here. Create a live key.', {
    code: 'test_mode_off',
  });

const keyNotFound = () => notFound('API key');

const expired = () => conflict('key_expired', 'This API key has expired. Make a new one.');

const rotatedTooOften = () =>
  conflict(
    'rotation_limit_reached',
    `This API key was rotated ${maxReplaced} times in 24 hours. Delete it to end the old ones.`,
  );

const tooManyKeys = () =>
  conflict('key_limit_reached', `You have ${maxKeys} API keys. Delete one that you need no more.`);
