import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Pool } from '../../src/platform/db.ts';
import { newId } from '../../src/platform/ids.ts';
import { migrate, migrationNames } from '../../src/platform/migrate.ts';

const directory = new URL('../../migrations/', import.meta.url);

/** Migrates an empty database to the schema of an earlier version with that number of migrations. */
export async function applyFirst(howMany: number, databaseUrl: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'petitions-earlier-'));
  try {
    for (const name of (await migrationNames()).slice(0, howMany)) {
      await copyFile(new URL(name, directory), join(folder, name));
    }
    await migrate(databaseUrl, { directory: pathToFileURL(`${folder}/`) });
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Inserts an active petition with signatures and events, using only columns of the first six migrations. */
export async function storePetition(db: Pool, signatures: number): Promise<{ id: string }> {
  const [id, creatorId] = [newId(), newId()];
  const signers = Array.from({ length: signatures }, newId);
  await db`
    insert into users (id, email, display_name, slug, email_verified_at)
    select id, id || '@example.org', 'Signer', id::text, now()
    from unnest(${[creatorId, ...signers]}::uuid[]) as new(id)`;
  await db`
    insert into petitions (id, slug, creator_id, title, description, status, published_at)
    values (${id}, ${`petition-${id}`}, ${creatorId}, 'Keep the river path open at night',
      'The path along the river is the safest way home for many of us, so keep it lit.',
      'active', now())`;
  await db`
    insert into petition_versions (petition_id, version, title, description)
    select id, version, title, description from petitions where id = ${id}`;
  await db`
    insert into events (type, petition_id, actor_type, actor_id)
    select type, ${id}::uuid, 'user', ${creatorId}::uuid
    from unnest(array['petition.created', 'petition.published']) as new(type)`;
  const ids = signers.map(newId);
  await db.begin(async (tx) => {
    await tx`
      insert into signatures (id, petition_id, user_id, version, is_anonymous)
      select id, ${id}, user_id, 1, false
      from unnest(${ids}::uuid[], ${signers}::uuid[]) as new(id, user_id)`;
    await tx`update petitions set signature_count = ${signatures} where id = ${id}`;
    await tx`
      insert into events (type, petition_id, actor_type, actor_id, data)
      select 'signature.created', ${id}, 'user', user_id,
        jsonb_build_object('signature_id', signature_id, 'signature_count', n)
      from unnest(${ids}::uuid[], ${signers}::uuid[]) with ordinality
        as new(signature_id, user_id, n)
      order by n`;
  });
  return { id };
}
