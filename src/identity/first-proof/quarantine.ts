import type { Context } from '../../platform/context.ts';
import { isDeadlock, retryOn, transaction, type Tx } from '../../platform/db.ts';
import type { Caller } from '../../platform/http/route.ts';
import { newId } from '../../platform/ids.ts';
import type { Language } from '../../platform/pages/language.ts';
import { pictureChanged } from '../../platform/picture-copies.ts';
import { notFound } from '../../platform/problems.ts';
import type { PersonalData, QuarantinedItem } from '../../platform/slice.ts';
import {
  addressAsTyped,
  adoptProfile,
  createUser,
  deleteUser,
  emptyUser,
  eraseUser,
  fillMailboxes,
  unnamed,
  type UserRow,
} from '../accounts/accounts.ts';
import { accountSuspended } from '../sessions/sessions.ts';
import * as queries from './queries.ts';

export interface QuarantineDeps {
  /** Ends every session, API key, OAuth client, grant and webhook of a user. */
  endAccess: (userId: string, tx: Tx) => Promise<void>;
  /** Every slice that holds personal data. */
  holders: () => PersonalData[];
}

/** What is shown of each kind before the owner decides. */
const maxShown = 50;

/**
 * Takes an address from an account that somebody else may have opened, for a new account of who has proven it, which gets the slug
 * and nothing else: whatever an account can hold stays behind. All access to the earlier one ends, and what it published is hidden.
 * Returns undefined if it was proven or erased meanwhile.
 */
export async function quarantine(
  ctx: Context,
  { endAccess, holders }: QuarantineDeps,
  earlier: UserRow,
  { displayName, language }: { displayName: string | undefined; language: Language },
): Promise<UserRow | undefined> {
  const { id, slug } = earlier;
  const user = await retryOn(isDeadlock, () =>
    transaction(ctx.db, async (tx) => {
      // Signatures of both are of one mailbox.
      await fillMailboxes(tx, ctx.keys, [id]);
      for (const { quarantine: part } of holders()) await part?.hide?.(tx, id);
      await endAccess(id, tx);
      const placeholder = {
        email: `${id}@quarantine.invalid`,
        slug: `earlier-${id}`,
        name: unnamed(language),
      };
      if (!(await emptyUser(tx, earlier, placeholder))) return undefined;
      const owner = await createUser(tx, ctx.keys, {
        id: newId(),
        email: addressAsTyped(earlier),
        passwordHash: null,
        displayName: displayName ?? unnamed(language),
        language,
        slug,
        verified: true,
      });
      await queries.insertQuarantined(tx, earlier, owner.id);
      return owner;
    }),
  );
  await afterChange(ctx, holders);
  return user;
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
  const row = await queries.findOfOwner(ctx.db, userId);
  if (!row) throw noEarlierAccount();
  await transaction(ctx.db, async (tx) => {
    for (const { quarantine: part } of holders) await part?.disown?.(tx, row.user_id);
  });
  await discardAccount(ctx, holders, row);
}

/** Deletes the accounts about which nobody decided in time. */
export async function discardExpired(ctx: Context, holders: PersonalData[]): Promise<void> {
  for (const row of await queries.findExpired(ctx.db, 100)) {
    await discardAccount(ctx, holders, row);
  }
}

async function discardAccount(
  ctx: Context,
  holders: PersonalData[],
  { user_id: id, avatar_url: picture }: Pick<queries.QuarantinedRow, 'user_id' | 'avatar_url'>,
): Promise<void> {
  await retryOn(isDeadlock, () =>
    transaction(ctx.db, async (tx) => {
      for (const { quarantine: part } of holders) await part?.discard?.(tx, id);
    }),
  );
  await eraseUser(ctx, id, holders);
  await pictureChanged(ctx.db, { from: picture, to: null });
}

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
