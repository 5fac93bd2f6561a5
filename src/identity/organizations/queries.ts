import type { Db, Tx } from '../../platform/db.ts';
import { isUuid } from '../../platform/ids.ts';
import type { subscriptionStatuses, Tier } from './schema.ts';

export interface OrganizationRow {
  id: string;
  name: string;
  slug: string;
  description: string | null;
  logo_url: string | null;
  cover_url: string | null;
  website: string | null;
  verified: boolean;
  tier: Tier;
  subscription_status: (typeof subscriptionStatuses)[number];
  current_period_end: Date | null;
  member_count: number;
  petition_count: number;
  created_at: Date;
}

const matches = (db: Db, ref: string) => (isUuid(ref) ? db`id = ${ref}` : db`slug = ${ref}`);

/** Finds an organization by slug or id. */
export async function findOrganization(db: Db, ref: string): Promise<OrganizationRow | undefined> {
  return db.first<OrganizationRow>`select * from organizations where ${matches(db, ref)}`;
}

export async function findOrganizations(db: Db, ids: string[]): Promise<OrganizationRow[]> {
  return db<OrganizationRow[]>`select * from organizations where id = any(${ids}::uuid[])`;
}

/** Returns the organization, locked against other changes of its memberships until the transaction ends. */
export async function lockOrganization(tx: Tx, ref: string): Promise<OrganizationRow | undefined> {
  return tx.first<OrganizationRow>`
    select * from organizations where ${matches(tx, ref)} for no key update`;
}

/** Keeps the organization from being deleted until the transaction ends. Returns false if there is none. */
export async function keepOrganization(tx: Tx, id: string): Promise<boolean> {
  return (await tx`select from organizations where id = ${id} for key share`).length > 0;
}

/** Returns organizations, newest first. */
export async function listOrganizations(
  db: Db,
  { verifiedOnly }: { verifiedOnly: boolean },
  beforeId: string | null,
  limit: number,
): Promise<OrganizationRow[]> {
  return db<OrganizationRow[]>`
    select * from organizations
    where ${verifiedOnly ? db`verified` : db`true`} ${beforeId ? db`and id < ${beforeId}` : db``}
    order by id desc
    limit ${limit}`;
}

export interface NewOrganization {
  id: string;
  name: string;
  description: string | null;
  logoUrl: string | null;
  website: string | null;
}

/** Returns false if the slug is taken. A taken name violates organizations_name_key. */
export async function insertOrganization(
  tx: Tx,
  { id, name, description, logoUrl, website }: NewOrganization,
  slug: string,
): Promise<boolean> {
  return tx.changed`
    insert into organizations (id, name, slug, description, logo_url, website)
    values (${id}, ${name}, ${slug}, ${description}, ${logoUrl}, ${website})
    on conflict (slug) do nothing
    returning id`;
}

export type OrganizationChanges = Partial<
  Omit<OrganizationRow, 'id' | 'slug' | 'member_count' | 'petition_count' | 'created_at'>
>;

/** Stores changes that are not undefined. Returns undefined if the organization does not exist. */
export async function updateOrganization(
  tx: Tx,
  id: string,
  changes: OrganizationChanges,
): Promise<OrganizationRow | undefined> {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  if (given.length === 0) return findOrganization(tx, id);
  return tx.first<OrganizationRow>`
    update organizations set ${tx(Object.fromEntries(given))} where id = ${id} returning *`;
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
    select ${db(column)} as url from organizations where ${db(column)} = any(${urls})`;
}
