import type { Context } from '../../platform/context.ts';
import { pageById, type Page } from '../../platform/cursor.ts';
import { transaction, type Tx } from '../../platform/db.ts';
import { emit, userActor } from '../../platform/events.ts';
import type { Caller } from '../../platform/http/route.ts';
import { newId } from '../../platform/ids.ts';
import { conflict, forbidden, invalidValue, notFound, Problem } from '../../platform/problems.ts';
import * as queries from './member-queries.ts';
import { adminsOnly, noOrganization, organizationForMembers } from './organizations.ts';
import { canRemove, canSetRole, isAdminRole, isFull, memberLimits } from './policy.ts';
import { lockOrganization, type OrganizationRow } from './queries.ts';
import type { MemberInput, MemberListQuery, Membership, Role, Tier } from './schema.ts';

/** The members, newest first, to themselves and administrators of the service. */
export async function listMembers(
  ctx: Context,
  caller: Caller,
  ref: string,
  { role, ...page }: MemberListQuery,
): Promise<Page<Membership>> {
  const { id } = await organizationForMembers(ctx, caller, ref);
  return pageById(
    'members',
    page,
    (before, count) => queries.listMemberships(ctx.db, id, role, before, count),
    (row) => row,
  );
}

/**
 * Does the work as the member that the caller is, with the organization locked, so that what is judged
 * stays true until it is done.
 */
async function asMember<T>(
  ctx: Context,
  caller: Caller,
  ref: string,
  work: (tx: Tx, own: Membership, organization: OrganizationRow) => Promise<T>,
): Promise<T> {
  return transaction(ctx.db, async (tx) => {
    const organization = await lockOrganization(tx, ref);
    if (!organization) throw noOrganization();
    const own = await queries.findMembership(tx, organization.id, { userId: caller.userId });
    if (!own) throw forbidden('Only members of the organization may do this.');
    return work(tx, own, organization);
  });
}

/** A membership, as a call names it. */
export interface Named {
  org_id: string;
  membership_id: string;
}

/** The same, towards another member or oneself. */
const towardsMember = <T>(
  ctx: Context,
  caller: Caller,
  { org_id, membership_id: id }: Named,
  work: (tx: Tx, own: Membership, other: Membership) => Promise<T>,
): Promise<T> =>
  asMember(ctx, caller, org_id, async (tx, own, organization) => {
    const other = await queries.findMembership(tx, organization.id, { id });
    if (!other) throw notFound('membership');
    return work(tx, own, other);
  });

/** Makes somebody a member, as far as the tier goes. @throws {Problem} payment-required beyond it */
export async function addMember(
  ctx: Context,
  caller: Caller,
  ref: string,
  { user_id: userId, role }: MemberInput,
): Promise<Membership> {
  return asMember(ctx, caller, ref, async (tx, own, organization) => {
    if (!isAdminRole(own.role)) throw adminsOnly();
    if (!(await queries.holdUser(tx, userId))) throw noSuchUser();
    if (await queries.findRole(tx, organization.id, userId)) throw alreadyMember();
    if (isFull(organization)) throw limitReached(organization.tier);
    const id = newId();
    await queries.insertMembership(tx, { id, orgId: organization.id, userId, role });
    await emit(tx, {
      type: 'organization.member_added',
      petitionId: null,
      actor: userActor(caller),
      data: { org_id: organization.id, user_id: userId },
    });
    return (await queries.findMembership(tx, organization.id, { id }))!;
  });
}

/** Makes an admin of a member, or the other way round. */
export async function setRole(
  ctx: Context,
  caller: Caller,
  named: Named,
  role: Role,
): Promise<Membership> {
  return towardsMember(ctx, caller, named, async (tx, own, other) => {
    if (!canSetRole(own, other)) throw outOfReach();
    await queries.setRole(tx, other.id, role);
    return { ...other, role };
  });
}

/** Ends a membership: another's, or one's own. */
export async function removeMember(ctx: Context, caller: Caller, named: Named): Promise<void> {
  await towardsMember(ctx, caller, named, async (tx, own, other) => {
    if (!canRemove(own, other)) throw outOfReach();
    await queries.deleteMembership(tx, other.id);
  });
}

/** Makes an admin the owner, and the owner an admin. */
export async function transferOwnership(
  ctx: Context,
  caller: Caller,
  named: Named,
): Promise<Membership> {
  return towardsMember(ctx, caller, named, async (tx, own, other) => {
    if (own.role !== 'owner') throw forbidden('Only the owner may hand the organization over.');
    if (other.role !== 'admin') {
      throw conflict('invalid_state', 'Ownership passes to an admin of the organization only.');
    }
    // In this order, since there are never two owners.
    await queries.setRole(tx, own.id, 'admin');
    await queries.setRole(tx, other.id, 'owner');
    return { ...other, role: 'owner' };
  });
}

const outOfReach = () =>
  forbidden(
    'Admins may do this to members, the owner to admins too. The owner stays until they hand the organization over.',
  );

const noSuchUser = () =>
  invalidValue('user_id', 'There is no such user, or none who can be added.');

const alreadyMember = () => conflict('already_member', 'This user is a member already.');

const limitReached = (tier: Tier) =>
  new Problem('payment-required', `The tier ${tier} has room for ${memberLimits[tier]} members.`, {
    code: 'member_limit_reached',
  });
