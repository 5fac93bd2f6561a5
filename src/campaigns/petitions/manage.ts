import {
  organizationForAdmins,
  organizationsById,
  administeredOrganizations,
} from '../../identity/organizations/organizations.ts';
import type { Organization } from '../../identity/organizations/schema.ts';
import type { Context } from '../../platform/context.ts';
import {
  decodeCursor,
  encodeCursor,
  toPage,
  type Page,
  type PageQuery,
} from '../../platform/cursor.ts';
import type { Caller } from '../../platform/http/route.ts';
import { defaultLimit } from '../../platform/http/schema.ts';
import { listOrganizedBy, listPublishedFor } from './manage-queries.ts';
import type { PetitionStatus } from './lifecycle.ts';
import { keyKinds, readSorted } from './list.ts';
import {
  analyticsForbidden,
  isCreator,
  isOrganizer,
  permissionsFor,
  type PetitionPermissions,
} from './policy.ts';
import { presentPetition, presentSummary } from './present.ts';
import {
  requireEditablePetition,
  requireOrganizedPetition,
  requireVisiblePetition,
} from './read.ts';
import { findDecisionMakers } from './decision-maker-queries.ts';
import type { PetitionRow } from './queries.ts';
import type { Petition, PetitionSummary } from './schema.ts';

export { countOwnPetitions } from './queries.ts';

/** A petition in a dashboard list, with its organization. */
export interface ManagedPetitionEntry {
  petition: PetitionSummary;
  organization: Organization | null;
  /** Whether the caller created it. */
  isOwn: boolean;
  /** Whether the caller created it, or organizes it with its creator. */
  isOrganizer: boolean;
}

/** Returns a page of the caller's own petitions, newest first, bypassing the cache. */
export async function listOwnPetitions(
  ctx: Context,
  caller: Caller,
  { status, cursor, limit = defaultLimit }: { status?: PetitionStatus } & PageQuery,
): Promise<Page<ManagedPetitionEntry>> {
  const after = decodeCursor('recent', keyKinds.recent, cursor);
  const filter = { scope: { creatorId: caller.userId }, statuses: status && [status] };
  const { rows, cursorOf } = await readSorted(ctx.db, filter, 'recent', after, limit + 1);
  return present(ctx, caller, toPage(rows, limit, cursorOf, unchanged));
}

/** Returns a page of petitions that the caller organizes with their creators, newest first, bypassing the cache. */
export async function listOrganizedPetitions(
  ctx: Context,
  caller: Caller,
  { cursor, limit = defaultLimit }: PageQuery,
): Promise<Page<ManagedPetitionEntry>> {
  const [before] = decodeCursor('organized', ['uuid'], cursor) ?? [];
  const rows = await listOrganizedBy(ctx.db, caller.userId, before?.toString(), limit + 1);
  const cursorOf = ({ id }: PetitionRow) => encodeCursor('organized', [id]);
  return present(ctx, caller, toPage(rows, limit, cursorOf, unchanged));
}

/**
 * Returns a page of petitions that others published for organizations of which the caller is owner or
 * admin, newest first, bypassing the cache.
 */
export async function listPetitionsOfManagedOrganizations(
  ctx: Context,
  caller: Caller,
  query: PageQuery,
): Promise<Page<ManagedPetitionEntry>> {
  const orgIds = await administeredOrganizations(ctx.db, caller.userId);
  return readPublished(ctx, caller, { orgIds, excludedCreatorId: caller.userId }, query);
}

/** Returns a page of the published petitions of one organization, for its owner and admins. */
export async function listPetitionsOfOrganization(
  ctx: Context,
  caller: Caller,
  ref: string,
  query: PageQuery,
): Promise<Page<ManagedPetitionEntry>> {
  const { id } = await organizationForAdmins(ctx, caller, ref);
  return readPublished(ctx, caller, { orgIds: [id] }, query);
}

async function readPublished(
  ctx: Context,
  caller: Caller,
  selection: { orgIds: string[]; excludedCreatorId?: string },
  { cursor, limit = defaultLimit }: PageQuery,
): Promise<Page<ManagedPetitionEntry>> {
  const after = decodeCursor('published', keyKinds.recent, cursor);
  const rows = await listPublishedFor(ctx.db, selection, after, limit + 1);
  const cursorOf = (row: PetitionRow) =>
    encodeCursor('published', [row.sort_at.toISOString(), row.id]);
  return present(ctx, caller, toPage(rows, limit, cursorOf, unchanged));
}

const unchanged = (row: PetitionRow) => row;

async function present(
  ctx: Context,
  caller: Caller,
  { items, nextCursor }: Page<PetitionRow>,
): Promise<Page<ManagedPetitionEntry>> {
  const ids = new Set(items.map(({ org_id: id }) => id).filter((id) => id !== null));
  const organizations = await organizationsById(ctx.db, [...ids]);
  return {
    items: items.map((row): ManagedPetitionEntry => ({
      petition: presentSummary(ctx, row),
      organization: (row.org_id && organizations.get(row.org_id)) || null,
      isOwn: isCreator(row, caller),
      isOrganizer: isOrganizer(row, caller),
    })),
    nextCursor,
  };
}

export interface ManagedPetition {
  petition: Petition;
  /** What the caller may do. */
  permissions: PetitionPermissions;
}

/**
 * Returns a petition for the dashboard of a caller who organizes it or may read its analytics, bypassing the cache.
 * @throws {Problem} as `requireAnalysablePetition`
 */
export async function getManagedPetition(
  ctx: Context,
  caller: Caller,
  ref: string,
): Promise<ManagedPetition> {
  const managed = await presentManaged(ctx, caller, await requireVisiblePetition(ctx, caller, ref));
  const { canReadAnalytics, isOrganizer: isOneOfThem } = managed.permissions;
  if (!canReadAnalytics && !isOneOfThem) throw analyticsForbidden();
  return managed;
}

/** As `getManagedPetition`, for pages of organizers. @throws {Problem} as `requireOrganizedPetition` */
export const getOrganizedPetition = async (
  ctx: Context,
  caller: Caller,
  ref: string,
): Promise<ManagedPetition> =>
  presentManaged(ctx, caller, await requireOrganizedPetition(ctx, caller, ref));

/** As `getManagedPetition`, for pages of editors. @throws {Problem} as `requireEditablePetition` */
export const getEditablePetition = async (
  ctx: Context,
  caller: Caller,
  ref: string,
): Promise<ManagedPetition> =>
  presentManaged(ctx, caller, await requireEditablePetition(ctx, caller, ref));

async function presentManaged(
  ctx: Context,
  caller: Caller,
  row: PetitionRow,
): Promise<ManagedPetition> {
  const [permissions, makers] = await Promise.all([
    permissionsFor(ctx, row, caller),
    findDecisionMakers(ctx.db, row.id),
  ]);
  return { petition: presentPetition(ctx, row, makers, caller), permissions };
}
