import type { Context } from '../../platform/context.ts';
import { pageById, type Page } from '../../platform/cursor.ts';
import { transaction, type Tx } from '../../platform/db.ts';
import { emit, userActor } from '../../platform/events.ts';
import type { Caller } from '../../platform/http/route.ts';
import { newId } from '../../platform/ids.ts';
import { conflict, forbidden, invalidValue, notFound, Problem } from '../../platform/problems.ts';
import * as queries from './member-queries.ts';
import { adminsOnly, organizationNotFound, organizationForMembers } from './access.ts';
import { canRemove, canSetRole, isAdminRole, isFull, memberLimits } from './policy.ts';
import { lockOrganization } from './queries.ts';
import type {
  MemberInput,
  MemberListQuery,
  Membership,
  MembershipRef,
  Organization,
  Role,
  Tier,
} from './schema.ts';

/** Returns the members, newest first, to members and administrators of the service. */
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
 * Runs `work` with the caller's membership. The organization is locked, so that checked conditions hold
 * until the end.
 */
async function asMember<T>(
  ctx: Context,
  caller: Caller,
  ref: string,
  work: (tx: Tx, own: Membership, organization: Organization) => Promise<T>,
): Promise<T> {
  return transaction(ctx.db, async (tx) => {
    const organization = await lockOrganization(tx, ref);
    if (!organization) throw organizationNotFound();
    const own = await queries.findMembership(tx, organization.id, { userId: caller.userId });
    if (!own) throw forbidden('Only members of the organization may do this.');
    return work(tx, own, organization);
  });
}

/** Runs `work` as `asMember`, also with the membership that is named: another's or one's own. */
const onMember = <T>(
  ctx: Context,
  caller: Caller,
  { org_id, membership_id: id }: MembershipRef,
  work: (tx: Tx, own: Membership, other: Membership) => Promise<T>,
): Promise<T> =>
  asMember(ctx, caller, org_id, async (tx, own, organization) => {
    const other = await queries.findMembership(tx, organization.id, { id });
    if (!other) throw notFound('membership');
    return work(tx, own, other);
  });

/** Adds a member. @throws {Problem} payment-required if the tier's limit is reached */
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
    await queries.insertMembership(tx, { id, org_id: organization.id, user_id: userId, role });
    await emit(tx, {
      type: 'organization.member_added',
      petitionId: null,
      actor: userActor(caller),
      data: { org_id: organization.id, user_id: userId },
    });
    return (await queries.findMembership(tx, organization.id, { id }))!;
  });
}

/** Makes a member an admin, or an admin a member. */
export async function setRole(
  ctx: Context,
  caller: Caller,
  ref: MembershipRef,
  role: Role,
): Promise<Membership> {
  return onMember(ctx, caller, ref, async (tx, own, other) => {
    if (!canSetRole(own, other)) throw notManaged();
    await queries.setRole(tx, other.id, role);
    return { ...other, role };
  });
}

/** Ends a membership, another's or one's own. */
export async function removeMember(
  ctx: Context,
  caller: Caller,
  ref: MembershipRef,
): Promise<void> {
  await onMember(ctx, caller, ref, async (tx, own, other) => {
    if (!canRemove(own, other)) throw notManaged();
    await queries.deleteMembership(tx, other.id);
  });
}

/** Makes an admin the owner, and the owner an admin. */
export async function transferOwnership(
  ctx: Context,
  caller: Caller,
  ref: MembershipRef,
): Promise<Membership> {
  return onMember(ctx, caller, ref, async (tx, own, other) => {
    if (own.role !== 'owner') throw forbidden('Only the owner may hand the organization over.');
    if (other.role !== 'admin') {
      throw conflict('invalid_state', 'Ownership passes to an admin of the organization only.');
    }
    // In this order, since a constraint forbids two owners.
    await queries.setRole(tx, own.id, 'admin');
    await queries.setRole(tx, other.id, 'owner');
    return { ...other, role: 'owner' };
  });
}

const notManaged = () =>
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
