import type { Tx } from '../../platform/db.ts';
import { insertEvents } from '../../platform/events.ts';
import type { ImportedPetition } from './import-rows.ts';

// An arbitrary key that no other advisory lock in this database uses.
const importLock = 7_240_114;

/**
 * Serializes batches of imports until the transaction ends. Two imports of one source then see each
 * other's rows, and imports of different sources cannot deadlock on slugs.
 */
export async function lockImports(tx: Tx): Promise<void> {
  await tx`select pg_advisory_xact_lock(${importLock})`;
}

/** Returns which of the ids were imported from this source before. */
export async function importedIds(tx: Tx, source: string, ids: string[]): Promise<Set<string>> {
  return new Set(
    await tx.column<string>`
    select external_id from petition_imports
    where source = ${source} and external_id = any(${ids}::text[])`,
  );
}

export interface PetitionToImport extends ImportedPetition {
  id: string;
  slug: string;
}

/**
 * Stores petitions with their first version, their source and an event. Returns the ids of the stored ones:
 * petitions whose slug is taken are skipped.
 *
 * Leaves closed_at null, since no source has it. Stores no other events and no `trend`: the times of its signatures are
 * unknown.
 */
export async function insertImported(
  tx: Tx,
  source: string,
  creatorId: string,
  petitions: PetitionToImport[],
): Promise<Set<string>> {
  return new Set(
    await tx.column<string>`
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
      returning id, imported_signature_count
    ),
    version as (
      insert into petition_versions (petition_id, version, title, description, created_at)
      select id, 1, title, description, "createdAt" from source_row join petition using (id)
    ),
    origin as (
      insert into petition_imports (source, external_id, petition_id)
      select ${source}::text, "externalId", id from source_row join petition using (id)
    ),
    event as (
      ${insertEvents(
        tx,
        tx`select 'petition.imported', id, 'system', null::uuid,
          jsonb_build_object('count', imported_signature_count)
        from petition`,
      )}
    )
    select id from petition`,
  );
}
