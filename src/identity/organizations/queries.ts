import type { Db, Tx } from '../../platform/db.ts';
import { isUuid } from '../../platform/ids.ts';
import {
  Organization,
  type OrganizationUpdate,
  type Subscription,
  type SubscriptionUpdate,
} from './schema.ts';

const publicColumns = Object.keys(Organization.properties).map((name) => `o.${name}`);
/** The columns that everybody sees, of organizations as `o`. */
export const columns = (db: Db) => db(publicColumns);

const matches = (db: Db, ref: string) => (isUuid(ref) ? db`o.id = ${ref}` : db`o.slug = ${ref}`);

/** Finds an organization by slug or id. */
export async function findOrganization(db: Db, ref: string): Promise<Organization | undefined> {
  return db.first<Organization>`
    select ${columns(db)} from organizations o where ${matches(db, ref)}`;
}

export async function findOrganizations(db: Db, ids: string[]): Promise<Organization[]> {
  return db<Organization[]>`
    select ${columns(db)} from organizations o where o.id = any(${ids}::uuid[])`;
}

/** Returns the organization, locked against other changes of its memberships until the transaction ends. */
export async function lockOrganization(tx: Tx, ref: string): Promise<Organization | undefined> {
  return tx.first<Organization>`
    select ${columns(tx)} from organizations o where ${matches(tx, ref)} for no key update`;
}

/** Keeps the organization from being deleted until the transaction ends. Returns false if there is none. */
export async function keepOrganization(tx: Tx, id: string): Promise<boolean> {
  return tx.exists`select from organizations where id = ${id} for key share`;
}

/** Returns organizations, newest first. */
export async function listOrganizations(
  db: Db,
  { verifiedOnly }: { verifiedOnly: boolean },
  beforeId: string | null,
  limit: number,
): Promise<Organization[]> {
  return db<Organization[]>`
    select ${columns(db)} from organizations o
    where ${verifiedOnly ? db`o.verified` : db`true`}
      ${beforeId ? db`and o.id < ${beforeId}` : db``}
    order by o.id desc
    limit ${limit}`;
}

export type NewOrganization = Pick<
  Organization,
  'id' | 'name' | 'description' | 'logo_url' | 'website'
>;

/** Returns false if the slug is taken. A taken name violates organizations_name_key. */
export async function insertOrganization(
  tx: Tx,
  organization: NewOrganization,
  slug: string,
): Promise<boolean> {
  return tx.changed`
    insert into organizations ${tx({ ...organization, slug })} on conflict (slug) do nothing`;
}

export interface OrganizationChanges
  extends OrganizationUpdate, Omit<SubscriptionUpdate, 'current_period_end'> {
  current_period_end?: Date | null | undefined;
}

/** Stores changes that are not undefined. Returns undefined if the organization does not exist. */
export async function updateOrganization(
  tx: Tx,
  id: string,
  changes: OrganizationChanges,
): Promise<Organization | undefined> {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  if (given.length === 0) return findOrganization(tx, id);
  return tx.first<Organization>`
    update organizations o set ${tx(Object.fromEntries(given))} where o.id = ${id}
    returning ${columns(tx)}`;
}

export async function findSubscription(
  db: Db,
  id: string,
): Promise<Omit<Subscription, 'member_limit'> | undefined> {
  return db.first<Omit<Subscription, 'member_limit'>>`
    select tier, subscription_status as status, member_count, current_period_end
    from organizations where id = ${id}`;
}

export async function deleteOrganization(tx: Tx, id: string): Promise<void> {
  await tx`delete from organizations where id = ${id}`;
}

/** Returns those of the URLs that are the picture of an organization. */
export async function shownPictures(
  db: Db,
  column: 'logo_url' | 'cover_url',
  urls: string[],
): Promise<string[]> {
  return db.column<string>`
    select ${db(column)} as url from organizations
    where ${db(column)} = any(${urls}) and ${db(column)} is not null`;
}

/** Returns the next pictures of organizations, in order and each once. */
export async function listPictures(
  db: Db,
  column: 'logo_url' | 'cover_url',
  after: string,
  limit: number,
): Promise<string[]> {
  return db.column<string>`
    select distinct ${db(column)} as url from organizations where ${db(column)} > ${after}
    order by ${db(column)} limit ${limit}`;
}

/** Returns the number of organizations that a user owns. Until the transaction ends, others that count them wait. */
export async function countOwnedLocked(tx: Tx, userId: string): Promise<number> {
  await tx`select pg_advisory_xact_lock(hashtextextended('organizations ' || ${userId}, 0))`;
  return tx.value<number>`
    select count(*)::integer from memberships where user_id = ${userId} and role = 'owner'`;
}
