import type { Db } from './db.ts';
import { version } from './version.ts';

/** What runs on a database. */
export interface Instance {
  /** Of the software that migrated it last. */
  version: string;
  /** Public address of the process that started last, if any did. */
  baseUrl: string | null;
}

/** Returns undefined for a database that was never migrated, or by a version that noted nothing. */
export async function readInstance(db: Db): Promise<Instance | undefined> {
  if (!(await hasTable(db))) return undefined;
  return db.first<Instance>`select version, base_url as "baseUrl" from instance`;
}

/** Notes that this version has migrated the database, if that has come so far. */
export async function noteVersion(db: Db): Promise<void> {
  if (!(await hasTable(db))) return;
  await db`
    insert into instance as old (version) values (${version})
    on conflict (is_only) do update set version = excluded.version
      where old.version <> excluded.version`;
}

/** Notes the public address of a process that starts. */
export async function noteAddress(db: Db, baseUrl: string): Promise<void> {
  await db`
    update instance set base_url = ${baseUrl} where base_url is distinct from ${baseUrl}`;
}

const hasTable = async (db: Db): Promise<boolean> =>
  db.value<boolean>`select to_regclass('instance') is not null`;
