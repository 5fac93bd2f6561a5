import { recordAdminAction } from '../../platform/audit.ts';
import type { Context } from '../../platform/context.ts';
import { pageById, type Page, type PageQuery } from '../../platform/cursor.ts';
import { isUniqueViolation, transaction, type Db, type Tx } from '../../platform/db.ts';
import { revisionOf, type Precondition } from '../../platform/http/preconditions.ts';
import type { Caller } from '../../platform/http/route.ts';
import { newId } from '../../platform/ids.ts';
import { pictureChanged } from '../../platform/picture-copies.ts';
import { conflict, forbidden } from '../../platform/problems.ts';
import { slugCandidates, slugify } from '../../platform/slug.ts';
import {
  findRole,
  insertMembership,
  listOrganizationsOf,
  organizationsWithRole,
} from './member-queries.ts';
import {
  organizationNotFound,
  organizationForAdmins,
  organizationForMembers,
  getOrganizationRow,
} from './access.ts';
import { adminRoles, isAdminRole, memberLimits } from './policy.ts';
import * as queries from './queries.ts';
import type {
  Organization,
  OrganizationInput,
  OrganizationListQuery,
  OrganizationUpdate,
  Role,
  Subscription,
  SubscriptionUpdate,
} from './schema.ts';

export { addMember, listMembers, removeMember, setRole, transferOwnership } from './members.ts';
export { organizationForAdmins, getOrganizationRow } from './access.ts';
export { findRole as roleIn } from './member-queries.ts';
export { isAdminRole, canManage } from './policy.ts';
export { keepOrganization } from './queries.ts';
export { organizationCover, organizationLogo } from './images.ts';

/** Functions of petitions that organizations call. */
export interface OrganizationsDeps {
  /** Locks the petitions of an organization to be deleted: they are always locked before it. */
  lockPetitions: (tx: Tx, orgId: string) => Promise<void>;
  /** Called after petitions have lost their organization. */
  petitionsChanged: (ctx: Context) => void;
}

/** Returns whether the user is owner or admin of the organization. */
export async function isOrganizationAdmin(db: Db, orgId: string, userId: string): Promise<boolean> {
  return isAdminRole(await findRole(db, orgId, userId));
}

/** Returns organizations, newest first. */
export async function listOrganizations(
  ctx: Context,
  { verified_only: verifiedOnly = false, ...page }: OrganizationListQuery,
): Promise<Page<Organization>> {
  return pageById(
    'organizations',
    page,
    (before, count) => queries.listOrganizations(ctx.db, { verifiedOnly }, before, count),
    (organization) => organization,
  );
}

/** An organization and the caller's role in it. */
export interface OwnOrganization {
  organization: Organization;
  role: Role;
}

/** Returns the organizations of the caller, the last joined first. */
export async function ownOrganizations(
  ctx: Context,
  { userId }: Caller,
  query: PageQuery,
): Promise<Page<OwnOrganization>> {
  return pageById(
    'own-organizations',
    query,
    (before, count) => listOrganizationsOf(ctx.db, userId, before, count),
    ({ role, organization }) => ({ organization, role }),
  );
}

/** Returns an organization of the caller. @throws {Problem} not-found if the caller is no member */
export async function ownOrganization(
  ctx: Context,
  { userId }: Caller,
  ref: string,
): Promise<OwnOrganization> {
  const organization = await getOrganizationRow(ctx, ref);
  const role = await findRole(ctx.db, organization.id, userId);
  if (!role) throw organizationNotFound();
  return { organization, role };
}

/** Returns the ids of the organizations where the user is owner or admin. */
export const administeredOrganizations = (db: Db, userId: string): Promise<string[]> =>
  organizationsWithRole(db, userId, adminRoles);

/** Returns the existing organizations by id. */
export async function organizationsById(db: Db, ids: string[]): Promise<Map<string, Organization>> {
  if (ids.length === 0) return new Map();
  const organizations = await queries.findOrganizations(db, ids);
  return new Map(organizations.map((organization) => [organization.id, organization]));
}

/** Organizations that one account may own. */
const maxOwned = 20;

/**
 * Creates an organization with the caller as its owner.
 * @throws {Problem} conflict for a name that is in use, or too many organizations
 */
export async function createOrganization(
  ctx: Context,
  caller: Caller,
  input: OrganizationInput,
): Promise<Organization> {
  const id = newId();
  await rejectNameInUse(() =>
    transaction(ctx.db, async (tx) => {
      if ((await queries.countOwnedLocked(tx, caller.userId)) >= maxOwned) {
        const message = `You own ${maxOwned} organizations. An account may own no more.`;
        throw conflict('organization_limit_reached', message);
      }
      await insertWithFreeSlug(tx, {
        id,
        name: normalizeName(input.name),
        description: input.description ?? null,
        logo_url: input.logo_url ?? null,
        website: input.website ?? null,
      });
      const owner = { id: newId(), org_id: id, user_id: caller.userId, role: 'owner' as const };
      await insertMembership(tx, owner);
      await pictureChanged(tx, { to: input.logo_url });
    }),
  );
  return getOrganizationRow(ctx, id);
}

async function insertWithFreeSlug(tx: Tx, organization: queries.NewOrganization): Promise<void> {
  for (const slug of slugCandidates(slugify(organization.name, 'organization'))) {
    if (await queries.insertOrganization(tx, organization, slug)) return;
  }
  throw new Error('no free slug was found');
}

/** What its owner and admins can change of an organization. */
type EditableOrganization = Pick<
  Organization,
  'name' | 'description' | 'logo_url' | 'cover_url' | 'website'
>;
type OrganizationPrecondition = Precondition<EditableOrganization> | undefined;

/** Returns the revision of an organization: of all that its owner and admins can change. */
export const organizationRevision = (organization: EditableOrganization): string =>
  revisionOf([
    organization.name,
    organization.description,
    organization.logo_url,
    organization.cover_url,
    organization.website,
  ]);

/**
 * Changes the public profile of an organization; null clears a member. A new name or website ends its
 * verification, which was based on them.
 * @throws {Problem} as the precondition does; conflict for a name that is in use
 */
export async function updateOrganization(
  ctx: Context,
  caller: Caller,
  ref: string,
  { name, description, logo_url, cover_url, website }: OrganizationUpdate,
  precondition?: OrganizationPrecondition,
): Promise<Organization> {
  const { id } = await organizationForAdmins(ctx, caller, ref);
  const changes = { name: name && normalizeName(name), description, logo_url, cover_url, website };
  const organization = await rejectNameInUse(() =>
    transaction(ctx.db, async (tx) => {
      const before = await queries.lockOrganization(tx, id);
      if (!before) throw organizationNotFound();
      precondition?.(before);
      const isSame = (['name', 'website'] as const).every(
        (key) => changes[key] === undefined || changes[key] === before[key],
      );
      await pictureChanged(tx, { from: before.logo_url, to: logo_url });
      await pictureChanged(tx, { from: before.cover_url, to: cover_url });
      return queries.updateOrganization(tx, id, isSame ? changes : { ...changes, verified: false });
    }),
  );
  if (!organization) throw organizationNotFound();
  return organization;
}

/** Deletes an organization. Its petitions stay, without it. */
export async function deleteOrganization(
  ctx: Context,
  caller: Caller,
  ref: string,
  { lockPetitions, petitionsChanged }: OrganizationsDeps,
  precondition?: OrganizationPrecondition,
): Promise<void> {
  const { id } = await getOrganizationRow(ctx, ref);
  await requireOwner(ctx.db, id, caller);
  await transaction(ctx.db, async (tx) => {
    await lockPetitions(tx, id);
    const deleted = await queries.lockOrganization(tx, id);
    if (!deleted) throw organizationNotFound();
    await requireOwner(tx, id, caller);
    precondition?.(deleted);
    await queries.deleteOrganization(tx, id);
    await pictureChanged(tx, { from: deleted.logo_url, to: null });
    await pictureChanged(tx, { from: deleted.cover_url, to: null });
  });
  petitionsChanged(ctx);
}

async function requireOwner(db: Db, orgId: string, caller: Caller): Promise<void> {
  if ((await findRole(db, orgId, caller.userId)) !== 'owner') {
    throw forbidden('Only the owner of the organization may do this.');
  }
}

/** Returns the subscription to members and administrators of the service. */
export async function getSubscription(
  ctx: Context,
  caller: Caller,
  ref: string,
): Promise<Subscription> {
  const { id } = await organizationForMembers(ctx, caller, ref);
  const subscription = await queries.findSubscription(ctx.db, id);
  if (!subscription) throw organizationNotFound();
  const { tier, status, ...rest } = subscription;
  return { tier, status, member_limit: memberLimits[tier], ...rest };
}

/** Changes what only administrators of the service can set. A lower tier removes no members. */
export async function administerOrganization(
  ctx: Context,
  caller: Caller,
  ref: string,
  { tier, verified, subscription_status, current_period_end }: SubscriptionUpdate,
): Promise<Organization> {
  const { id } = await getOrganizationRow(ctx, ref);
  const changes = { tier, verified, subscription_status };
  const periodEnd =
    typeof current_period_end === 'string' ? new Date(current_period_end) : current_period_end;
  return transaction(ctx.db, async (tx) => {
    const organization = await queries.updateOrganization(tx, id, {
      ...changes,
      current_period_end: periodEnd,
    });
    if (!organization) throw organizationNotFound();
    await recordAdminAction(tx, {
      actorId: caller.userId,
      action: 'organization.update',
      targetType: 'organization',
      targetId: id,
      details: { ...changes, current_period_end },
    });
    return organization;
  });
}

/** Trims a name and collapses spaces within it. */
const normalizeName = (name: string) => name.trim().replaceAll(/\s+/g, ' ');

async function rejectNameInUse<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isUniqueViolation(error, 'organizations_name_key')) {
      throw conflict('name_in_use', 'There is an organization with this name already.');
    }
    throw error;
  }
}
