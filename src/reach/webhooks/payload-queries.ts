import type { Db } from '../../platform/db.ts';

export interface Payload {
  event_id: string;
  /** The event's position in the log; null for test events, which are not in it. */
  transaction: string | null;
  position: string | null;
  body: string;
  /** Users whom the body names. */
  named: string[];
}

export async function insertPayloads(db: Db, payloads: Payload[]): Promise<void> {
  await db`
    insert into webhook_payloads (event_id, transaction, position, body, named)
    select * from jsonb_to_recordset(${db.json(payloads)})
      as p (event_id uuid, transaction xid8, position bigint, body text, named uuid[])`;
}

/** A stored payload; `body` is null after an account that it named was erased. */
export type StoredPayload = Omit<Payload, 'body' | 'named'> & { body: string | null };

export async function findPayloads(db: Db, eventIds: string[]): Promise<StoredPayload[]> {
  return db<StoredPayload[]>`
    select event_id, transaction::text, position::text, body from webhook_payloads
    where event_id = any(${eventIds}::uuid[])`;
}

/** Stores a body that was composed again, unless another process was first; returns the stored one. */
export async function restoreBody(db: Db, payload: Payload): Promise<string> {
  const { event_id, body, named } = payload;
  const stored = await db.value<string | undefined>`
    update webhook_payloads set body = coalesce(body, ${body}),
      named = case when body is null then ${named}::uuid[] else named end
    where event_id = ${event_id}
    returning body`;
  return stored ?? body;
}

/** Deletes every body that names the user. It is composed again before it is sent again. */
export async function deleteBodiesNaming(db: Db, userId: string): Promise<void> {
  await db`
    update webhook_payloads set body = null, named = '{}' where named @> ${[userId]}::uuid[]`;
}

/** Returns the user of each user id and API key id that still exists. */
export async function findActorUsers(db: Db, ids: string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db<{ id: string; user_id: string }[]>`
    select id, id as user_id from users where id = any(${ids}::uuid[])
    union all
    select id, user_id from api_keys where id = any(${ids}::uuid[])`;
  return new Map(rows.map(({ id, user_id }) => [id, user_id]));
}

/** Returns those of the petitions that hide their signers from all, even from their creators. */
export async function findCountOnlyPetitions(db: Db, ids: string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  return new Set(
    await db.column<string>`
    select id from petitions
    where id = any(${ids}::uuid[]) and signature_privacy = 'count_only'`,
  );
}
