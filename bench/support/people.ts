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
  await using ctx = createContext(serviceConfig(databaseUrl), databaseUrl);
  const { signingKeys, tokens } = new Sessions(ctx);
  await signingKeys.start();
  const signers: Signer[] = [];
  for (const id of ids) signers.push({ id, token: await tokens.issueAccessToken(id, newId()) });
  return signers;
}

export async function createUsers(db: Pool, howMany: number): Promise<string[]> {
  const ids = Array.from({ length: howMany }, newId);
  await db`
    insert into users (id, email, display_name, slug, email_verified_at)
    select id, id || '@example.org', 'Signer ' || n, id::text, now()
    from unnest(${ids}::uuid[]) with ordinality as new(id, n)`;
  return ids;
}

/** Creates an active petition. Returns its slug and id. */
export async function createPetition(
  db: Pool,
  creatorId: string,
  n: number,
): Promise<{ id: string; slug: string }> {
  const [id, slug] = [newId(), `keep-the-river-path-open-at-night-${n}`];
  await db`
    insert into petitions (id, slug, creator_id, title, description, status, published_at,
      category_id, tags, tag_keys, signature_goal, location_city, location_country)
    select ${id}, ${slug}, ${creatorId}, ${`Keep the river path open at night, part ${n}`},
      ${description}, 'active', now(), id, '{River,Safety}', '{river,safety}', 1000000, 'Leeds', 'GB'
    from categories order by slug limit 1`;
  await db`
    insert into petition_versions (petition_id, version, title, description)
    select id, version, title, description from petitions where id = ${id}`;
  await db`
    insert into decision_makers (id, petition_id, name, title, email)
    values (${newId()}, ${id}, 'Robin Marsh', 'Head of Parks', 'parks@example.org')`;
  return { id, slug };
}

// 800 characters, the usual length of a petition.
const description = `The path along the river is the safest way home for many of us: for nurses who end their shift at ten, for students who leave the library, for everybody who does not want to walk beside four lanes of traffic. Since the gates are locked at eight, we take the road, where two people were hurt this winter alone.

The council says that light along the path would cost too much. Other cities of our size have shown that it need not: lamps that wake when somebody comes near use a tenth of the power, and the bats are left in peace for most of the night. A survey of last spring found that nine of ten people who live near the path want it open.

We ask the council to keep the gates open until midnight from the first of October, to light the path from the bridge to the mill, and to tell us after a year how many have walked it.`;
