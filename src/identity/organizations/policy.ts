import type { Caller } from '../../platform/http/route.ts';
import type { Membership, Role, Tier } from './schema.ts';

type Member = Pick<Membership, 'id' | 'role'>;

/** How many members an organization may have, its owner included; null is without limit. */
export const memberLimits: Record<Tier, number | null> = {
  free: 5,
  pro: 50,
  enterprise: null,
};

export const isFull = ({ tier, member_count }: { tier: Tier; member_count: number }) =>
  member_count >= (memberLimits[tier] ?? Infinity);

/** Whether a role lets people act for the organization: change it, and add members. */
export const isAdminRole = (role: Role | undefined) => adminRoles.some((one) => one === role);
export const adminRoles = ['owner', 'admin'] as const satisfies Role[];

/** Whether the caller may read who the members are, and the subscription. */
export const canReadMembers = (role: Role | undefined, caller: Caller) =>
  role !== undefined || caller.role === 'admin';

/** Admins rule members; admins are ruled by the owner alone, and the owner by nobody. */
export const rules = (own: Pick<Member, 'role'>, other: Pick<Member, 'role'>) =>
  (own.role === 'owner' && other.role !== 'owner') ||
  (own.role === 'admin' && other.role === 'member');

/** Besides those they rule, admins may step down. */
export const canSetRole = (own: Member, other: Member) =>
  rules(own, other) || (own.id === other.id && own.role === 'admin');

/** Besides those they rule, all but the owner may leave. */
export const canRemove = (own: Member, other: Member) =>
  rules(own, other) || (own.id === other.id && own.role !== 'owner');
