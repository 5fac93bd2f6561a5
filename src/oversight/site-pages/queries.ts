import type { Db, Tx } from '../../platform/db.ts';
import type { SitePageInput, SitePageRef } from './schema.ts';

export interface VersionRow {
  version: number;
  /** Null where the software's own text was brought back. */
  title: string | null;
  body: string | null;
  created_at: Date;
}

/** A version without its text, and who made it. */
export interface VersionEntry extends Pick<VersionRow, 'version' | 'title' | 'created_at'> {
  created_by_name: string | null;
}

/** Returns the version in force, after which nobody else adds one until the transaction ends. */
export async function lockCurrent(tx: Tx, ref: SitePageRef): Promise<VersionRow | undefined> {
  await tx`lock table site_pages in share row exclusive mode`;
  return findCurrent(tx, ref);
}

export const findCurrent = (
  db: Db,
  { page, language }: SitePageRef,
): Promise<VersionRow | undefined> =>
  db.first<VersionRow>`
    select version, title, body, created_at from site_pages
    where page = ${page} and language = ${language}
    order by version desc
    limit 1`;

export const findVersion = (
  db: Db,
  { page, language }: SitePageRef,
  version: number,
): Promise<VersionRow | undefined> =>
  db.first<VersionRow>`
    select version, title, body, created_at from site_pages
    where page = ${page} and language = ${language} and version = ${version}`;

/** The newest first. */
export const findVersions = (
  db: Db,
  { page, language }: SitePageRef,
  limit: number,
): Promise<VersionEntry[]> =>
  db<VersionEntry[]>`
    select p.version, p.title, p.created_at, u.display_name as created_by_name
    from site_pages p left join users u on u.id = p.created_by
    where p.page = ${page} and p.language = ${language}
    order by p.version desc
    limit ${limit}`;

/** Adds the version; without a text, the software's own is in force again. */
export const insertVersion = async (
  tx: Tx,
  { page, language }: SitePageRef,
  { version, text, createdBy }: { version: number; text: SitePageInput | null; createdBy: string },
): Promise<VersionRow> =>
  (await tx.first<VersionRow>`
    insert into site_pages (page, language, version, title, body, created_by)
    values (${page}, ${language}, ${version}, ${text?.title ?? null}, ${text?.body ?? null}, ${createdBy})
    returning version, title, body, created_at`)!;
