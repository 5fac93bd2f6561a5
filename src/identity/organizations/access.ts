import type { Context } from '../../platform/context.ts';
import type { Caller } from '../../platform/http/route.ts';
import { forbidden, notFound } from '../../platform/problems.ts';
import { findRole } from './member-queries.ts';
import { canReadMembers, isAdminRole } from './policy.ts';
import * as queries from './queries.ts';
import type { Organization } from './schema.ts';

/** Returns the organization with this slug or id. @throws {Problem} not-found */
export async function getOrganizationRow(ctx: Context, ref: string): Promise<Organization> {
  const organization = await queries.findOrganization(ctx.db, ref);
  if (!organization) throw organizationNotFound();
  return organization;
}

export const organizationNotFound = () => notFound('organization');

/** Returns the organization if the caller can read its members. @throws {Problem} forbidden */
export async function organizationForMembers(
  ctx: Context,
  caller: Caller,
  ref: string,
): Promise<Organization> {
  const organization = await getOrganizationRow(ctx, ref);
  const role = await findRole(ctx.db, organization.id, caller.userId);
  if (!canReadMembers(role, caller)) {
    throw forbidden('Only members of the organization may read this.');
  }
  return organization;
}

/** Returns the organization if the caller is its owner or admin. @throws {Problem} forbidden */
export async function organizationForAdmins(
  ctx: Context,
  caller: Caller,
  ref: string,
): Promise<Organization> {
  const organization = await getOrganizationRow(ctx, ref);
  if (!isAdminRole(await findRole(ctx.db, organization.id, caller.userId))) throw adminsOnly();
  return organization;
}

export const adminsOnly = () =>
  forbidden('Only the owner and admins of the organization may do this.');
