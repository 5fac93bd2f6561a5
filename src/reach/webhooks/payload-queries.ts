import type { Db } from '../../platform/db.ts';

export interface Payload {
  eventId: string;
  /** The event's position in the log; null for test events, which are not in it. */
  transaction: string | null;
  position: string | null;
  body: string;
  named: string[];
}

export async function insertPayloads(db: Db, payloads: Payload[]): Promise<void> {
  const rows = payloads.map(({ eventId, transaction, position, body, named }) => ({
    event_id: eventId,
    transaction,
    position,
    body,
    named,
  }));
  await db`
    insert into webhook_payloads (event_id, transaction, position, body, named)
    select * from jsonb_to_recordset(${db.json(rows)})
      as p (event_id uuid, transaction xid8, position bigint, body text, named uuid[])`;
}

export interface KeptPayload {
  event_id: string;
  transaction: string | null;
  position: string | null;
  body: string | null;
}

export async function findPayloads(db: Db, eventIds: string[]): Promise<KeptPayload[]> {
  return db<KeptPayload[]>`
    select event_id, transaction::text, position::text, body from webhook_payloads
    where event_id = any(${eventIds}::uuid[])`;
}

/** Stores a body that was composed again, unless another process was first; returns the stored one. */
export async function restoreBody(db: Db, { eventId, body, named }: Payload): Promise<string> {
  const row = await db.first`
    update webhook_payloads set body = coalesce(body, ${body}),
      named = case when body is null then ${named}::uuid[] else named end
    where event_id = ${eventId}
    returning body`;
  return row?.body ?? body;
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
  const rows = await db`
    select id from petitions
    where id = any(${ids}::uuid[]) and signature_privacy = 'count_only'`;
  return new Set(rows.map(({ id }) => String(id)));
}
