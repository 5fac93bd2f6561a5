import type { Caller } from '../../platform/http/route.ts';
import type { Membership, Role, Tier } from './schema.ts';

type Member = Pick<Membership, 'id' | 'role'>;

/** Members per organization, including its owner; null is without limit. */
export const memberLimits: Record<Tier, number | null> = {
  free: 5,
  pro: 50,
  enterprise: null,
};

export const isFull = ({ tier, member_count }: { tier: Tier; member_count: number }) =>
  member_count >= (memberLimits[tier] ?? Infinity);

/** Returns whether the role can act for the organization: change it, and add members. */
export const isAdminRole = (role: Role | undefined) => adminRoles.some((admin) => admin === role);
export const adminRoles = ['owner', 'admin'] as const satisfies Role[];

/** Returns whether the caller can read the members and the subscription. */
export const canReadMembers = (role: Role | undefined, caller: Caller) =>
  role !== undefined || caller.role === 'admin';

/** Returns whether one member manages another: owners manage all others, admins plain members. */
export const canManage = (own: Pick<Member, 'role'>, other: Pick<Member, 'role'>) =>
  (own.role === 'owner' && other.role !== 'owner') ||
  (own.role === 'admin' && other.role === 'member');

/** Members whom one manages; admins can also step down. */
export const canSetRole = (own: Member, other: Member) =>
  canManage(own, other) || (own.id === other.id && own.role === 'admin');

/** Members whom one manages; all but the owner can also leave. */
export const canRemove = (own: Member, other: Member) =>
  canManage(own, other) || (own.id === other.id && own.role !== 'owner');
