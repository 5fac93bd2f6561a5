import type { Tx } from '../../platform/db.ts';
import type { ImportedPetition } from './import-rows.ts';

// Any number that nothing else in this database uses as an advisory lock.
const importLock = 7_240_114;

/**
 * Lets one batch be stored at a time. Two imports of one source then see what the other has stored,
 * and two of different sources cannot wait for each other's slugs in a circle.
 */
export async function lockImports(tx: Tx): Promise<void> {
  await tx`select pg_advisory_xact_lock(${importLock})`;
}

/** Those of the ids that were imported from this source already. */
export async function importedIds(tx: Tx, source: string, ids: string[]): Promise<Set<string>> {
  const rows = await tx`
    select external_id from petition_imports
    where source = ${source} and external_id = any(${ids}::text[])`;
  return new Set(rows.map((row) => row.external_id as string));
}

export interface PetitionToImport extends ImportedPetition {
  id: string;
  slug: string;
}

/**
 * Stores petitions with their first version and where they came from. Gives the ids of those that
 * were stored: a petition whose slug is taken is not.
 *
 * When a petition closed is in no source, so closed_at stays null. Neither events nor `trend` are
 * written: nothing happens now, and when the signatures were given is not known.
 */
export async function insertImported(
  tx: Tx,
  source: string,
  creatorId: string,
  petitions: PetitionToImport[],
): Promise<Set<string>> {
  const rows = await tx`
    with source_row as (
      select * from jsonb_to_recordset(${tx.json(petitions)}) as r (id uuid, slug text,
        "externalId" text, title text, description text, "createdAt" timestamptz, count integer,
        goal integer, status text)
    ),
    petition as (
      insert into petitions (id, slug, creator_id, title, description, status, signature_count,
        imported_signature_count, signature_goal, created_at, published_at)
      select id, slug, ${creatorId}::uuid, title, description, status, count, count, goal,
        "createdAt", "createdAt"
      from source_row
      on conflict (slug) do nothing
      returning id
    ),
    version as (
      insert into petition_versions (petition_id, version, title, description, created_at)
      select id, 1, title, description, "createdAt" from source_row join petition using (id)
    ),
    origin as (
      insert into petition_imports (source, external_id, petition_id)
      select ${source}::text, "externalId", id from source_row join petition using (id)
    )
    select id from petition`;
  return new Set(rows.map((row) => row.id as string));
}
