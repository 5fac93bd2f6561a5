import type { Db, Tx } from '../../platform/db.ts';
import { giveRows } from '../../platform/rows-of-accounts.ts';
import { profileOfUser } from '../accounts/accounts.ts';
import { columns } from './queries.ts';
import type { Membership, Organization, Role } from './schema.ts';

const memberships = (db: Db) => db`
  select m.id, m.org_id, m.role, m.created_at,
    ${profileOfUser(db)} as user
  from memberships m join users u on u.id = m.user_id`;

/** Selects a membership of an organization by its user or its id. */
export type MembershipSelector = { userId: string } | { id: string };

export async function findMembership(
  db: Db,
  orgId: string,
  selector: MembershipSelector,
): Promise<Membership | undefined> {
  return db.first<Membership>`
    ${memberships(db)}
    where m.org_id = ${orgId}
      and ${'id' in selector ? db`m.id = ${selector.id}` : db`m.user_id = ${selector.userId}`}`;
}

export async function findRole(db: Db, orgId: string, userId: string): Promise<Role | undefined> {
  return db.value<Role | undefined>`
    select role from memberships where org_id = ${orgId} and user_id = ${userId}`;
}

/** Returns memberships, newest first. */
export async function listMemberships(
  db: Db,
  orgId: string,
  role: Role | undefined,
  beforeId: string | null,
  limit: number,
): Promise<Membership[]> {
  return db<Membership[]>`
    ${memberships(db)}
    where m.org_id = ${orgId} ${role ? db`and m.role = ${role}` : db``}
      ${beforeId ? db`and m.id < ${beforeId}` : db``}
    order by m.id desc
    limit ${limit}`;
}

/** Keeps the user from being erased until the transaction ends. Returns false if missing or suspended. */
export async function holdUser(tx: Tx, id: string): Promise<boolean> {
  return tx.exists`
    select from users where id = ${id} and suspended_at is null for key share`;
}

export interface NewMembership extends Pick<Membership, 'id' | 'org_id' | 'role'> {
  user_id: string;
}

export async function insertMembership(tx: Tx, membership: NewMembership): Promise<void> {
  await tx`insert into memberships ${tx(membership)}`;
}

export async function setRole(tx: Tx, id: string, role: Role): Promise<void> {
  await tx`update memberships set role = ${role} where id = ${id}`;
}

export async function deleteMembership(tx: Tx, id: string): Promise<void> {
  await tx`delete from memberships where id = ${id}`;
}

/** Returns the organizations of a user, the last joined first. */
export async function listOrganizationsOf(
  db: Db,
  userId: string,
  beforeId: string | null,
  limit: number,
): Promise<{ id: string; role: Role; organization: Organization }[]> {
  const rows = await db<(Organization & { membership_id: string; role: Role })[]>`
    select ${columns(db)}, m.id as membership_id, m.role
    from memberships m join organizations o on o.id = m.org_id
    where m.user_id = ${userId} ${beforeId ? db`and m.id < ${beforeId}` : db``}
    order by m.id desc
    limit ${limit}`;
  return rows.map(({ membership_id: id, role, ...organization }) => ({ id, role, organization }));
}

export async function organizationsWithRole(
  db: Db,
  userId: string,
  roles: readonly Role[],
): Promise<string[]> {
  return db.column<string>`
    select org_id from memberships where user_id = ${userId} and role = any(${[...roles]})`;
}

export async function exportMemberships(db: Db, userId: string): Promise<readonly object[]> {
  return db`
    select m.id, m.org_id, o.name, o.slug, m.role, m.created_at
    from memberships m join organizations o on o.id = m.org_id
    where m.user_id = ${userId}
    order by m.id`;
}

/** Ends all memberships of a user. A trigger passes owned organizations to others, or deletes them. */
export async function endMemberships(tx: Tx, userId: string): Promise<void> {
  await tx`
    select from organizations
    where id in (select org_id from memberships where user_id = ${userId})
    order by id for no key update`;
  await tx`delete from memberships where user_id = ${userId}`;
}

/** Gives the memberships of one account to another. Of two in one organization, the one with the greater role stays. */
export async function giveMemberships(
  tx: Tx,
  { from, to }: { from: string; to: string },
): Promise<void> {
  await tx`
    select from organizations
    where id in (select org_id from memberships where user_id = ${from})
    order by id for no key update`;
  const rank = (name: string) =>
    tx`array_position(array['member', 'admin', 'owner'], ${tx(name)}.role)`;
  await tx`
    delete from memberships less using memberships more
    where less.user_id = ${to} and more.user_id = ${from} and less.org_id = more.org_id
      and ${rank('less')} < ${rank('more')}`;
  await giveRows(tx, { table: 'memberships', column: 'user_id', once: ['org_id'] }, { from, to });
}
