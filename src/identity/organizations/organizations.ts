import { recordAct } from '../../platform/audit.ts';
import type { Context } from '../../platform/context.ts';
import { pageById, type Page, type PageQuery } from '../../platform/cursor.ts';
import { isUniqueViolation, transaction, type Db, type Tx } from '../../platform/db.ts';
import type { Caller } from '../../platform/http/route.ts';
import { newId } from '../../platform/ids.ts';
import { conflict, forbidden } from '../../platform/problems.ts';
import { slugCandidates, slugify } from '../../platform/slug.ts';
import {
  findRole,
  insertMembership,
  listOrganizationsOf,
  organizationsWithRole,
} from './member-queries.ts';
import {
  noOrganization,
  organizationForAdmins,
  organizationForMembers,
  organizationNamed,
} from './naming.ts';
import { adminRoles, isAdminRole, memberLimits } from './policy.ts';
import * as queries from './queries.ts';
import type { OrganizationRow } from './queries.ts';
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
export { organizationForAdmins, organizationNamed } from './naming.ts';
export { findRole as roleIn } from './member-queries.ts';
export { isAdminRole, rules } from './policy.ts';
export { holdOrganization } from './queries.ts';
export { organizationCover, organizationLogo } from './images.ts';

/** What organizations need of petitions, which they do not know. */
export interface OrganizationsDeps {
  /** Locks the petitions of an organization that is about to go: they are locked before it. */
  holdPetitions: (tx: Tx, orgId: string) => Promise<void>;
  /** Called once petitions have lost their organization. */
  petitionsChanged: (ctx: Context) => void;
}

/** An organization as everybody sees it. */
export const presentOrganization = (row: OrganizationRow): Organization => ({
  id: row.id,
  name: row.name,
  slug: row.slug,
  description: row.description,
  logo_url: row.logo_url,
  cover_url: row.cover_url,
  website: row.website,
  verified: row.verified,
  tier: row.tier,
  member_count: row.member_count,
  petition_count: row.petition_count,
  created_at: row.created_at,
});

/** Whether the user may act for the organization: its owner and admins. */
export async function isOrganizationAdmin(db: Db, orgId: string, userId: string): Promise<boolean> {
  return isAdminRole(await findRole(db, orgId, userId));
}

/** Organizations, newest first. */
export async function listOrganizations(
  ctx: Context,
  { verified_only: verifiedOnly = false, ...page }: OrganizationListQuery,
): Promise<Page<Organization>> {
  return pageById(
    'organizations',
    page,
    (before, count) => queries.listOrganizations(ctx.db, { verifiedOnly }, before, count),
    presentOrganization,
  );
}

/** An organization, and what the caller is there. */
export interface OwnOrganization {
  organization: Organization;
  role: Role;
}

/** The organizations of which the caller is a member, the last that they joined first. */
export async function ownOrganizations(
  ctx: Context,
  { userId }: Caller,
  query: PageQuery,
): Promise<Page<OwnOrganization>> {
  return pageById(
    'own-organizations',
    query,
    (before, count) => listOrganizationsOf(ctx.db, userId, before, count),
    ({ role, organization }) => ({ organization: presentOrganization(organization), role }),
  );
}

/** The organization, to its members. @throws {Problem} not-found for others */
export async function ownOrganization(
  ctx: Context,
  { userId }: Caller,
  ref: string,
): Promise<OwnOrganization> {
  const organization = presentOrganization(await organizationNamed(ctx, ref));
  const role = await findRole(ctx.db, organization.id, userId);
  if (!role) throw noOrganization();
  return { organization, role };
}

/** The ids of all organizations for which the user may act. */
export const organizationsLedBy = (db: Db, userId: string): Promise<string[]> =>
  organizationsWithRole(db, userId, adminRoles);

/** Those of the organizations that there are, by id. */
export async function organizationsById(db: Db, ids: string[]): Promise<Map<string, Organization>> {
  if (ids.length === 0) return new Map();
  const rows = await queries.findOrganizations(db, ids);
  return new Map(rows.map((row) => [row.id, presentOrganization(row)]));
}

/** Founds an organization, of which the caller is the owner. */
export async function createOrganization(
  ctx: Context,
  caller: Caller,
  input: OrganizationInput,
): Promise<Organization> {
  const id = newId();
  await unlessNameInUse(() =>
    transaction(ctx.db, async (tx) => {
      await insertUnderFreeSlug(tx, {
        id,
        name: tidyName(input.name),
        description: input.description ?? null,
        logoUrl: input.logo_url ?? null,
        website: input.website ?? null,
      });
      await insertMembership(tx, { id: newId(), orgId: id, userId: caller.userId, role: 'owner' });
    }),
  );
  return presentOrganization(await organizationNamed(ctx, id));
}

async function insertUnderFreeSlug(tx: Tx, organization: queries.NewOrganization): Promise<void> {
  for (const slug of slugCandidates(slugify(organization.name, 'organization'))) {
    if (await queries.insertOrganization(tx, organization, slug)) return;
  }
  throw new Error('no free slug was found');
}

/**
 * Changes what the public sees of an organization; null clears a member. By another name or website it is
 * verified no more: who it is was made sure of by these.
 */
export async function updateOrganization(
  ctx: Context,
  caller: Caller,
  ref: string,
  { name, description, logo_url, cover_url, website }: OrganizationUpdate,
): Promise<Organization> {
  const { id } = await organizationForAdmins(ctx, caller, ref);
  const changes = { name: name && tidyName(name), description, logo_url, cover_url, website };
  const row = await unlessNameInUse(() =>
    transaction(ctx.db, async (tx) => {
      const before = await queries.lockOrganization(tx, id);
      const isSame = (['name', 'website'] as const).every(
        (one) => changes[one] === undefined || changes[one] === before?.[one],
      );
      return queries.updateOrganization(tx, id, isSame ? changes : { ...changes, verified: false });
    }),
  );
  if (!row) throw noOrganization();
  return presentOrganization(row);
}

/** Removes an organization; its petitions stay without it. */
export async function deleteOrganization(
  ctx: Context,
  caller: Caller,
  ref: string,
  { holdPetitions, petitionsChanged }: OrganizationsDeps,
): Promise<void> {
  const { id } = await organizationNamed(ctx, ref);
  await requireOwner(ctx.db, id, caller);
  await transaction(ctx.db, async (tx) => {
    await holdPetitions(tx, id);
    if (!(await queries.lockOrganization(tx, id))) throw noOrganization();
    await requireOwner(tx, id, caller);
    await queries.deleteOrganization(tx, id);
  });
  petitionsChanged(ctx);
}

async function requireOwner(db: Db, orgId: string, caller: Caller): Promise<void> {
  if ((await findRole(db, orgId, caller.userId)) !== 'owner') {
    throw forbidden('Only the owner of the organization may do this.');
  }
}

/** What the organization may do, and until when, to its members and administrators of the service. */
export async function getSubscription(
  ctx: Context,
  caller: Caller,
  ref: string,
): Promise<Subscription> {
  const organization = await organizationForMembers(ctx, caller, ref);
  return {
    tier: organization.tier,
    status: organization.subscription_status,
    member_limit: memberLimits[organization.tier],
    member_count: organization.member_count,
    current_period_end: organization.current_period_end,
  };
}

/** What an administrator of the service settles. A lower tier takes no members away. */
export async function administerOrganization(
  ctx: Context,
  caller: Caller,
  ref: string,
  { tier, verified, subscription_status, current_period_end }: SubscriptionUpdate,
): Promise<Organization> {
  const { id } = await organizationNamed(ctx, ref);
  const changes = { tier, verified, subscription_status };
  const periodEnd =
    typeof current_period_end === 'string' ? new Date(current_period_end) : current_period_end;
  return transaction(ctx.db, async (tx) => {
    const row = await queries.updateOrganization(tx, id, {
      ...changes,
      current_period_end: periodEnd,
    });
    if (!row) throw noOrganization();
    await recordAct(tx, {
      actorId: caller.userId,
      action: 'organization.update',
      targetType: 'organization',
      targetId: id,
      details: { ...changes, current_period_end },
    });
    return presentOrganization(row);
  });
}

/** Names are shown and compared without spaces around them, and with single ones within. */
const tidyName = (name: string) => name.trim().replaceAll(/\s+/g, ' ');

async function unlessNameInUse<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isUniqueViolation(error, 'organizations_name_key')) {
      throw conflict('name_in_use', 'There is an organization with this name already.');
    }
    throw error;
  }
}
