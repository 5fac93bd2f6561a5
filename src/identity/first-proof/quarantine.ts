import type { Context } from '../../platform/context.ts';
import { isDeadlock, isMissingUser, retryOn, transaction, type Tx } from '../../platform/db.ts';
import type { Caller } from '../../platform/http/route.ts';
import { newId } from '../../platform/ids.ts';
import { addJob } from '../../platform/jobs.ts';
import type { Language } from '../../platform/pages/language.ts';
import { randomToken } from '../../platform/keys.ts';
import { pictureChanged } from '../../platform/picture-copies.ts';
import { notFound } from '../../platform/problems.ts';
import type { PersonalData, QuarantinedItem } from '../../platform/slice.ts';
import {
  addressAsTyped,
  adoptProfile,
  adoptSlug,
  createUser,
  deleteOneTimeTokens,
  deleteUser,
  emptyProfile,
  emptyUser,
  eraseUser,
  fillMailboxes,
  giveOneTimeTokens,
  unnamed,
  type UserRow,
} from '../accounts/accounts.ts';
import { accountSuspended } from '../sessions/sessions.ts';
import * as queries from './queries.ts';

export interface QuarantineDeps {
  /** Ends every session, API key, OAuth client, grant and webhook of a user, and has their access tokens refused for good. */
  endAccess: (userId: string, tx: Tx) => Promise<void>;
  /** Every slice that holds personal data. */
  holders: () => PersonalData[];
}

/** What is shown of each kind before the owner decides. */
const maxShown = 50;

/** Longer than other processes accept a token that was revoked, plus the time of a request. */
const lateActsDelayMs = 5000;
export const lateActsJob = 'end-late-acts';

/**
 * Takes an address from an account that somebody else may have opened, for a new account of who has proven it, which gets nothing
 * of it: whatever an account can hold stays behind, its slug too, by which who registered it would know what the owner signs. All access to
 * the earlier one ends, and what it published is hidden.
 * Returns undefined if it was proven or erased meanwhile.
 */
export const quarantine = (
  ctx: Context,
  deps: QuarantineDeps,
  earlier: UserRow,
  { displayName, language }: { displayName: string | undefined; language: Language },
): Promise<UserRow | undefined> =>
  quarantineFor(ctx, deps, earlier, {
    slug: earlier.slug,
    ownerOf: (tx) =>
      createUser(tx, ctx.keys, {
        id: newId(),
        email: addressAsTyped(earlier),
        passwordHash: null,
        displayName: displayName ?? unnamed(language),
        language,
        verified: true,
      }),
  });

interface Successor {
  ownerOf: (tx: Tx) => Promise<UserRow>;
  /** Given to the owner who keeps the account; null if they have their own. */
  slug?: string | null;
}

/** As `quarantine`, for the account that `ownerOf` returns once the address is free. */
export async function quarantineFor(
  ctx: Context,
  { endAccess, holders }: QuarantineDeps,
  earlier: UserRow,
  { ownerOf, slug = null }: Successor,
): Promise<UserRow | undefined> {
  const { id } = earlier;
  const work = async (tx: Tx) => {
    // Signatures of both are of one mailbox.
    await fillMailboxes(tx, ctx.keys, [id]);
    for (const { quarantine: part } of holders()) await part?.hide?.(tx, id);
    await endAccess(id, tx);
    if (!(await emptyUser(tx, earlier, placeholderOf(earlier)))) throw new Superseded();
    // Before the owner's account is created, which does not get this slug.
    await queries.insertQuarantined(tx, { ...earlier, slug });
    const owner = await ownerOf(tx);
    await queries.setOwner(tx, id, owner.id);
    await passTokensOn(tx, id, owner.id);
    await addJob(
      tx,
      lateActsJob,
      { user_id: id },
      { runAt: new Date(Date.now() + lateActsDelayMs) },
    );
    return owner;
  };
  const owner = await retryOn(isDeadlock, () => transaction(ctx.db, work)).catch(
    undefinedIfSuperseded,
  );
  if (owner) await afterChange(ctx, holders);
  return owner;
}

/** Rolls back a quarantine: the account was proven, or erased, meanwhile. */
class Superseded extends Error {}

function undefinedIfSuperseded(error: unknown): undefined {
  if (!(error instanceof Superseded)) throw error;
}

/** What nobody can have registered before: it is random. */
function placeholderOf({ language }: UserRow) {
  const secret = randomToken(16).toLowerCase().replaceAll('_', '-');
  return {
    email: `${newId()}.${secret}@quarantine.invalid`,
    slug: `earlier-${newId()}`,
    name: unnamed(language),
  };
}

/** Links that were mailed to the address before go on to work, for its owner. */
async function passTokensOn(tx: Tx, from: string, to: string): Promise<void> {
  await deleteOneTimeTokens(tx, 'end-access', from);
  await giveOneTimeTokens(tx, { from, to });
}

/**
 * Ends what was done with the earlier account after it was quarantined: processes accept a token for up to a second, and a login can have
 * begun before.
 */
export async function endLateActs(
  ctx: Context,
  { endAccess, holders }: QuarantineDeps,
  userId: string,
): Promise<void> {
  await retryOn(isDeadlock, () =>
    transaction(ctx.db, async (tx) => {
      const row = await queries.lockQuarantined(tx, userId);
      // Undefined once the owner has decided.
      if (!row) return;
      for (const { quarantine: part } of holders()) await part?.hide?.(tx, userId);
      await endAccess(userId, tx);
      await emptyProfile(tx, userId, unnamed(row.language));
      if (row.owner_id) await passTokensOn(tx, userId, row.owner_id);
    }),
  );
  await afterChange(ctx, holders);
}

/** An account that somebody opened with the caller's address before they proved it. */
export interface EarlierAccount {
  display_name: string;
  bio: string | null;
  avatar_url: string | null;
  created_at: Date;
  /** When it is deleted unless the caller keeps it. */
  expires_at: Date;
  items: QuarantinedItem[];
}

/** Returns what the caller can keep or delete; undefined if there is nothing. */
export async function findQuarantined(
  ctx: Context,
  holders: PersonalData[],
  { userId }: Pick<Caller, 'userId'>,
): Promise<EarlierAccount | undefined> {
  const row = await queries.findOfOwner(ctx.db, userId);
  if (!row) return undefined;
  const items: QuarantinedItem[] = [];
  for (const { quarantine: part } of holders) {
    if (part?.list) items.push(...(await part.list(ctx.db, row.user_id, maxShown)));
  }
  const { display_name, bio, avatar_url, created_at, expires_at } = row;
  return { display_name, bio, avatar_url, created_at, expires_at, items };
}

/** Whether the user still decides about an earlier account. */
export const hasQuarantined = async (ctx: Context, userId: string): Promise<boolean> =>
  (await queries.findOfOwner(ctx.db, userId)) !== undefined;

/** Returns whether the user is to be asked about an earlier account: once, by itself. */
export const showOnce = (ctx: Context, userId: string): Promise<boolean> =>
  queries.markShown(ctx.db, userId);

/**
 * Gives the caller all that the earlier account holds, and shows it again. Its access does not come back.
 * @throws {Problem} not-found if there is none; forbidden if it was suspended
 */
export async function keepQuarantined(
  ctx: Context,
  holders: PersonalData[],
  { userId: to }: Pick<Caller, 'userId'>,
): Promise<void> {
  await retryOn(isDeadlock, () =>
    transaction(ctx.db, async (tx) => {
      const row = await requireOfOwner(tx, to);
      if (row.suspended_at) throw accountSuspended();
      for (const { quarantine: part } of holders) {
        await part?.release?.(tx, { from: row.user_id, to });
      }
      await adoptProfile(tx, to, row);
      await deleteUser(tx, row.user_id);
      if (row.slug) await adoptSlug(tx, to, row.slug);
    }),
  );
  await afterChange(ctx, () => holders);
}

/** Deletes the earlier account with all that it published. @throws {Problem} not-found if there is none */
export async function discardQuarantined(
  ctx: Context,
  holders: PersonalData[],
  { userId }: Pick<Caller, 'userId'>,
): Promise<void> {
  await discardAccount(ctx, holders, async (tx) => {
    const row = await requireOfOwner(tx, userId);
    for (const { quarantine: part } of holders) await part?.disown?.(tx, row.user_id);
    return row;
  });
}

/** Deletes the accounts about which nobody decided in time. */
export async function discardExpired(ctx: Context, holders: PersonalData[]): Promise<void> {
  for (const id of await queries.findExpired(ctx.db, 100)) {
    await discardAccount(ctx, holders, (tx) => queries.lockQuarantined(tx, id));
  }
}

/** Deletes the account that `lock` returns, which nobody keeps meanwhile. */
async function discardAccount(
  ctx: Context,
  holders: PersonalData[],
  lock: (tx: Tx) => Promise<queries.QuarantinedRow | undefined>,
): Promise<void> {
  await retryOn(isLostRace, () =>
    transaction(ctx.db, async (tx) => {
      const row = await lock(tx);
      if (!row) return;
      for (const { quarantine: part } of holders) await part?.discard?.(tx, row.user_id);
      await eraseUser({ ...ctx, db: tx }, row.user_id, holders);
      await pictureChanged(tx, { from: row.avatar_url, to: null });
    }),
  );
  await afterChange(ctx, () => holders);
}

/** As of `eraseUser`, of which this is the transaction. */
const isLostRace = (error: unknown): boolean => isDeadlock(error) || isMissingUser(error);

async function requireOfOwner(tx: Tx, ownerId: string): Promise<queries.QuarantinedRow> {
  const row = await queries.lockOfOwner(tx, ownerId);
  if (!row) throw noEarlierAccount();
  return row;
}

const afterChange = (ctx: Context, holders: () => PersonalData[]): Promise<void> =>
  ctx.afterCommit(async () => {
    for (const holder of holders()) await holder.onErased?.();
  });

export const noEarlierAccount = () => notFound('earlier account');
