import { profileOfUser } from '../../identity/accounts/accounts.ts';
import type { PublicProfile } from '../../identity/accounts/schema.ts';
import type { CursorKeys } from '../../platform/cursor.ts';
import type { Db, Tx } from '../../platform/db.ts';
import type { Category } from '../categories/schema.ts';
import type { PetitionStatus } from './lifecycle.ts';
import type { signaturePrivacies, sorts, visibilities } from './schema.ts';

export interface PetitionRow {
  id: string;
  slug: string;
  creator_id: string | null;
  title: string;
  description: string;
  version: number;
  status: PetitionStatus;
  visibility: (typeof visibilities)[number];
  signature_privacy: (typeof signaturePrivacies)[number];
  signature_count: number;
  imported_signature_count: number;
  signature_goal: number | null;
  trend: number;
  tags: string[];
  image_url: string | null;
  location_city: string | null;
  location_region: string | null;
  location_country: string | null;
  /** ISO 639-1, where the creator has named it. */
  language: string | null;
  org_id: string | null;
  victory_message: string | null;
  created_at: Date;
  published_at: Date | null;
  closed_at: Date | null;
  deleted_at: Date | null;
  promoted_until: Date | null;
  sort_at: Date;
  status_since: Date;
  category: Category | null;
  creator: PublicProfile | null;
}

export const withOthers = (db: Db) => db`
  select p.*,
    case when c.id is not null then json_build_object('id', c.id, 'name', c.name, 'slug', c.slug)
      end as category,
    case when u.id is not null then ${profileOfUser(db)} end as creator
  from petitions p
  left join categories c on c.id = p.category_id
  left join users u on u.id = p.creator_id`;

export async function findPetition(db: Db, id: string): Promise<PetitionRow | undefined> {
  const [row] = await db<PetitionRow[]>`${withOthers(db)} where p.id = ${id}`;
  return row;
}

export async function findPetitions(db: Db, ids: string[]): Promise<PetitionRow[]> {
  return db<PetitionRow[]>`${withOthers(db)} where p.id = any(${ids}::uuid[])`;
}

/** Those of the petitions that everybody may see. */
export async function findListed(db: Db, ids: string[]): Promise<PetitionRow[]> {
  return db<PetitionRow[]>`${withOthers(db)} where p.id = any(${ids}::uuid[]) and p.listed`;
}

export async function findIdBySlug(db: Db, slug: string): Promise<string | undefined> {
  const [row] = await db`select id from petitions where slug = ${slug}`;
  return row?.id;
}

export interface PetitionFilter {
  /** Petitions that everybody may see, or all of one creator's. */
  of: 'everybody' | { creatorId: string };
  status?: PetitionStatus | undefined;
  categoryId?: string | undefined;
  creatorId?: string | undefined;
  orgId?: string | undefined;
  tagKeys?: string[] | undefined;
}

export type Sort = (typeof sorts)[number];

/** Which petitions `p` are in the list. */
export const inList = (db: Db, filter: PetitionFilter) => {
  const { of, status, categoryId, creatorId, orgId, tagKeys } = filter;
  return db`
    ${
      of === 'everybody'
        ? db`p.listed`
        : db`p.creator_id = ${of.creatorId} and p.deleted_at is null`
    }
    ${status ? db`and p.status = ${status}` : db``}
    ${categoryId ? db`and p.category_id = ${categoryId}` : db``}
    ${creatorId ? db`and p.creator_id = ${creatorId} and p.deleted_at is null` : db``}
    ${orgId ? db`and p.org_id = ${orgId}` : db``}
    ${tagKeys?.length ? db`and p.tag_keys @> ${tagKeys}` : db``}`;
};

/** One page, in the order of an index that holds the sort key and id, without those of some ids. */
export async function listPetitions(
  db: Db,
  filter: PetitionFilter,
  sort: Sort,
  after: CursorKeys | null,
  limit: number,
  apart: string[] = [],
): Promise<PetitionRow[]> {
  const key = { recent: db`p.sort_at`, popular: db`p.signature_count`, trending: db`p.trend` }[
    sort
  ];
  const type = { recent: db`timestamptz`, popular: db`integer`, trending: db`float8` }[sort];
  return db<PetitionRow[]>`
    ${withOthers(db)}
    where ${inList(db, filter)}
    ${apart.length > 0 ? db`and p.id <> all(${apart}::uuid[])` : db``}
    ${after ? db`and (${key}, p.id) < (${after[0]!}::${type}, ${after[1]!}::uuid)` : db``}
    order by ${key} desc, p.id desc
    limit ${limit}`;
}

export interface NewPetition {
  id: string;
  creatorId: string;
  title: string;
  description: string;
  visibility: PetitionRow['visibility'];
  signaturePrivacy: PetitionRow['signature_privacy'];
  signatureGoal: number | null;
  categoryId: string | null;
  tags: string[];
  tagKeys: string[];
  imageUrl: string | null;
  locationCity: string | null;
  locationRegion: string | null;
  locationCountry: string | null;
  language: string | null;
  orgId: string | null;
}

/** Stores a draft and its first version. False where the slug is taken. */
export async function insertPetition(
  tx: Tx,
  petition: NewPetition,
  slug: string,
): Promise<boolean> {
  const rows = await tx`
    insert into petitions (id, slug, creator_id, title, description, visibility, signature_privacy,
      signature_goal, category_id, tags, tag_keys, image_url, location_city, location_region,
      location_country, language, org_id)
    values (${petition.id}, ${slug}, ${petition.creatorId}, ${petition.title},
      ${petition.description}, ${petition.visibility}, ${petition.signaturePrivacy},
      ${petition.signatureGoal}, ${petition.categoryId}, ${petition.tags}, ${petition.tagKeys},
      ${petition.imageUrl}, ${petition.locationCity}, ${petition.locationRegion},
      ${petition.locationCountry}, ${petition.language}, ${petition.orgId})
    on conflict (slug) do nothing
    returning id`;
  if (rows.length === 0) return false;
  await tx`
    insert into petition_versions (petition_id, version, title, description)
    values (${petition.id}, 1, ${petition.title}, ${petition.description})`;
  return true;
}

export interface PetitionChanges {
  title?: string;
  description?: string;
  category_id?: string | null;
  tags?: string[];
  tag_keys?: string[];
  image_url?: string | null;
  language?: string | null;
  signature_goal?: number | null;
  visibility?: PetitionRow['visibility'];
  location_city?: string | null;
  location_region?: string | null;
  location_country?: string | null;
  signature_privacy?: PetitionRow['signature_privacy'];
  org_id?: string | null;
}

/** Whether they change what is signed. */
export const rewrites = ({ title, description }: PetitionChanges): boolean =>
  title !== undefined || description !== undefined;

/**
 * Writes changes to a petition that is still in the state and at the version that were read. False
 * where it is not, or where the goal has been overtaken by signatures. A changed text is kept as that
 * version, which is added, or a draft's that is written over: as it then stands in the petition, since a
 * draft's title may have been changed while its description was.
 */
export async function updatePetition(
  tx: Tx,
  petition: Pick<PetitionRow, 'id' | 'version' | 'status'>,
  version: number,
  changes: PetitionChanges,
): Promise<boolean> {
  const goal = changes.signature_goal ?? null;
  const changed = await tx`
    with changed as (
      update petitions set ${tx({ ...changes, version })}
      where id = ${petition.id} and version = ${petition.version}
        and status = ${petition.status} and deleted_at is null
        and (${goal}::integer is null or ${goal} >= signature_count)
      returning id, version, title, description
    ), kept as (
      insert into petition_versions (petition_id, version, title, description)
      select id, version, title, description from changed where ${rewrites(changes)}
      on conflict (petition_id, version) do update
        set title = excluded.title, description = excluded.description, created_at = now()
    )
    select from changed`;
  return changed.length === 1;
}

export async function setImage(tx: Tx, id: string, url: string): Promise<void> {
  await tx`update petitions set image_url = ${url} where id = ${id} and deleted_at is null`;
}

/** Of these addresses of pictures, those that a petition shows. */
export async function shownImages(tx: Tx, urls: string[]): Promise<string[]> {
  const rows = await tx`
    select distinct image_url as url from petitions
    where image_url = any(${urls}) and image_url is not null and deleted_at is null`;
  return rows.map(({ url }) => url);
}

/** How many petitions a creator has in each state. */
export async function ownPetitionCounts(
  db: Db,
  creatorId: string,
): Promise<Partial<Record<PetitionStatus, number>>> {
  const rows = await db<{ status: PetitionStatus; count: number }[]>`
    select status, count(*)::integer as count from petitions
    where creator_id = ${creatorId} and deleted_at is null
    group by status`;
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}

export async function softDelete(db: Db, id: string): Promise<void> {
  await db`update petitions set deleted_at = now() where id = ${id} and deleted_at is null`;
}

/** Petitions in one state, the longest in it first. */
export async function petitionsByStatus(
  db: Db,
  status: PetitionStatus,
  after: CursorKeys | null,
  limit: number,
): Promise<PetitionRow[]> {
  return db<PetitionRow[]>`
    ${withOthers(db)}
    where p.status = ${status} and p.deleted_at is null
      ${after ? db`and (p.status_since, p.id) > (${after[0]!}::timestamptz, ${after[1]!}::uuid)` : db``}
    order by p.status_since, p.id
    limit ${limit}`;
}

/** The petition's state, with its row locked until the transaction ends. */
export async function lockPetition(
  tx: Tx,
  id: string,
): Promise<Pick<PetitionRow, 'id' | 'status'> | undefined> {
  const [row] = await tx<Pick<PetitionRow, 'id' | 'status'>[]>`
    select id, status from petitions where id = ${id} and deleted_at is null for no key update`;
  return row;
}

export interface VersionRow {
  version: number;
  title: string;
  description: string;
  created_at: Date;
}

export async function listVersions(
  db: Db,
  petitionId: string,
  before: number | null,
  limit: number,
): Promise<VersionRow[]> {
  return db<VersionRow[]>`
    select version, title, description, created_at from petition_versions
    where petition_id = ${petitionId} ${before === null ? db`` : db`and version < ${before}`}
    order by version desc
    limit ${limit}`;
}

/** Locks the petitions of an organization, in the order in which signing locks them. */
export async function holdPetitionsOfOrganization(tx: Tx, orgId: string): Promise<void> {
  await tx`select from petitions where org_id = ${orgId} order by id for no key update`;
}
