import { createContext } from '../../src/context.ts';
import { Sessions } from '../../src/identity/sessions/sessions.ts';
import type { Pool } from '../../src/platform/db.ts';
import { newId } from '../../src/platform/ids.ts';
import { serviceConfig } from './config.ts';

export interface Signer {
  id: string;
  token: string;
}

/** Creates users with access tokens that no process has cached. */
export async function createSigners(
  databaseUrl: string,
  db: Pool,
  howMany: number,
): Promise<Signer[]> {
  const ids = await createUsers(db, howMany);
  await using ctx = await createContext(serviceConfig(databaseUrl), databaseUrl);
  const { signingKeys, tokens } = new Sessions(ctx);
  await signingKeys.start();
  const signers: Signer[] = [];
  for (const id of ids) signers.push({ id, token: await tokens.issueAccessToken(id, newId()) });
  return signers;
}

export async function createUsers(db: Pool, howMany: number): Promise<string[]> {
  const ids = Array.from({ length: howMany }, newId);
  // As the service fills them in for addresses of its own accounts, with another key.
  await db`
    insert into users (id, email, display_name, slug, email_verified_at, mailbox, mail_domain,
      has_canonical_address, has_disposable_address)
    select id, id || '@example.org', 'Signer ' || n, id::text, now(), sha256(uuid_send(id)),
      sha256('example.org'), true, false
    from unnest(${ids}::uuid[]) with ordinality as new(id, n)`;
  return ids;
}

let created = 0;

/** Creates an active petition. */
export const createPetition = async (db: Pool, creatorId: string): Promise<BenchPetition> =>
  (await createPetitions(db, [creatorId], 1))[0]!;

export interface BenchPetition {
  id: string;
  slug: string;
}

/**
 * Creates active petitions, for the service and, if its tables exist, for the usual way. Each creator has about as many,
 * since a row that counts those of a creator would be updated for each.
 */
export async function createPetitions(
  db: Pool,
  creatorIds: string[],
  howMany: number,
): Promise<BenchPetition[]> {
  const petitions = Array.from({ length: howMany }, (_, n) => ({
    id: newId(),
    creatorId: creatorIds[n % creatorIds.length]!,
    slug: `keep-the-river-path-open-at-night-${++created}`,
  }));
  const ids = petitions.map(({ id }) => id);
  await db`
    insert into petitions (id, slug, creator_id, title, description, status, published_at,
      category_id, tags, tag_keys, signature_goal, location_city, location_country)
    select new.id, new.slug, new.creator_id, 'Keep the river path open at night', ${description}, 'active', now(),
      category.id, '{River,Safety}', '{river,safety}', 1000000, 'Leeds', 'GB'
    from unnest(${ids}::uuid[], ${petitions.map(({ slug }) => slug)}::text[],
        ${petitions.map(({ creatorId }) => creatorId)}::uuid[]) new (id, slug, creator_id),
      (select id from categories order by slug limit 1) category`;
  await db`
    insert into petition_versions (petition_id, version, title, description)
    select id, version, title, description from petitions where id = any(${ids}::uuid[])`;
  await db`
    insert into decision_makers (id, petition_id, name, title, email)
    select uuid_v7(), id, 'Robin Marsh', 'Head of Parks', 'parks@example.org'
    from unnest(${ids}::uuid[]) as petition (id)`;
  if (await db.exists`select from pg_namespace where nspname = 'plain'`)
    await db`
      insert into plain.petitions (id, slug, title, description, status)
      select id, slug, title, description, status from petitions where id = any(${ids}::uuid[])`;
  return petitions;
}

// 800 characters, the usual length of a petition.
const description = `The path along the river is the safest way home for many of us: for nurses who end their shift at ten, for students who leave the library, for everybody who does not want to walk beside four lanes of traffic. Since the gates are locked at eight, we take the road, where two people were hurt this winter alone.

The council says that light along the path would cost too much. Other cities of our size have shown that it need not: lamps that wake when somebody comes near use a tenth of the power, and the bats are left in peace for most of the night. A survey of last spring found that nine of ten people who live near the path want it open.

We ask the council to keep the gates open until midnight from the first of October, to light the path from the bridge to the mill, and to tell us after a year how many have walked it.`;
