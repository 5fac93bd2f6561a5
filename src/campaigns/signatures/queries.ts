import type { Db, Query, Tx } from '../../platform/db.ts';
import { insertEvents, type Actor } from '../../platform/events.ts';

/**
 * Selects one signature of a petition, by its signer or its id. A signer with a proven address also selects the
 * signature that an erased account of the mailbox left.
 */
export type SignatureSelector = { userId: string } | { id: string };

const idOfSigner = (db: Db, petitionId: string, userId: string) => db`
  select s.id from users u
  join signatures s on s.petition_id = ${petitionId} and (s.user_id = u.id
    or s.user_id is null and s.mailbox = mailbox_on(${petitionId}, u.mailbox)
      and u.email_verified_at is not null)
  where u.id = ${userId}
  order by s.user_id nulls last
  limit 1`;

/**
 * Removes a signature, in one statement that locks the petition first, as `insertGroup` does. Returns the
 * new count, or undefined if there is no such signature. The event of a withdrawn anonymous signature omits
 * the signer. A held or invalid signature emits signature.forgotten alone; if its signer withdraws it, its state is
 * stored. A withdrawal is stored; removing a signature by its id deletes an earlier withdrawal.
 *
 * Computes the new counts from the locked row: PostgreSQL evaluates the table's checks on an older row
 * version before it notices that there is a newer one.
 */
export async function deleteSignature(
  db: Db,
  petitionId: string,
  selector: SignatureSelector,
  actor: Actor,
): Promise<number | undefined> {
  return db.value<number | undefined>`
    with petition as materialized (
      select id, signature_count, invalid_signature_count, has_withdrawn_invalid, trend
      from petitions where id = ${petitionId} and deleted_at is null for no key update
    ),
    deleted as (
      delete from signatures s using petition
      where s.petition_id = petition.id and s.id = ${
        'id' in selector ? selector.id : db`(${idOfSigner(db, petitionId, selector.userId)})`
      }
      returning s.id, s.petition_id, s.version, s.user_id, s.mailbox, s.is_anonymous, s.created_at,
        s.place, s.source, s.share_id, s.state, s.invalidated_by
    ),
    marked as (
      insert into withdrawn_signatures (petition_id, mailbox, state, invalidated_by)
      select d.petition_id, coalesce(d.mailbox, mailbox_on(d.petition_id, u.mailbox)), d.state,
        d.invalidated_by
      from deleted d left join users u on u.id = d.user_id
      where d.state <> 'counted' and ${'userId' in selector}
      on conflict (petition_id, mailbox) do update
        set state = excluded.state, invalidated_by = excluded.invalidated_by
    ),
    withdrawal as (
      ${'userId' in selector ? storeWithdrawal(db, selector.userId) : deleteWithdrawal(db)}
    ),
    tallied as (
      update petitions p set
        signature_count = l.signature_count - (state = 'counted')::integer,
        invalid_signature_count = l.invalid_signature_count - (state = 'invalid')::integer,
        has_withdrawn_invalid = l.has_withdrawn_invalid or state <> 'counted',
        trend = case when state <> 'counted' then l.trend when l.signature_count = 1 then 0
          else trend_after(l.trend, -1, deleted.created_at) end
      from deleted join petition l on l.id = deleted.petition_id
      where p.id = l.id
      returning p.signature_count
    ),
    event as (
      ${insertEvents(
        db,
        db`select 'signature.removed', petition_id, ${actor.type},
          case when ${'id' in selector} or not is_anonymous then ${actor.id}::uuid end,
          jsonb_strip_nulls(jsonb_build_object('signature_id', id, 'version', version,
            'signature_count', signature_count, 'place', place, 'source', source,
            'share_id', share_id, 'signed_at', created_at))
        from deleted, tallied
        where state = 'counted'
        union all
        ${forgottenEvents(db, db`deleted where state <> 'counted'`)}`,
      )}
    )
    select signature_count from tallied`;
}

/** Stores that a user withdrew what `deleted` has. The lock waits for an account that is being erased. */
const storeWithdrawal = (db: Db, userId: string) => db`
  insert into signature_withdrawals (petition_id, user_id)
  select deleted.petition_id, u.id from deleted join users u on u.id = ${userId}
  for key share of u
  on conflict (petition_id, user_id) do update set withdrawn_at = excluded.withdrawn_at`;

/** Marks the signatures of an account as those of a proven address. */
export async function proveSignatures(tx: Tx, userId: string): Promise<void> {
  await tx`update signatures set is_proven = true where user_id = ${userId} and not is_proven`;
}

/** Deletes what an earlier withdrawal by the signer of the `deleted` signature has stored. */
const deleteWithdrawal = (db: Db) => db`
  delete from signature_withdrawals w using deleted
  where w.petition_id = deleted.petition_id and w.user_id = deleted.user_id`;

/** Selects signature.forgotten for each of the signatures, for `insertEvents`. */
export const forgottenEvents = (db: Db, signatures: Query) => db`
  select 'signature.forgotten', petition_id, 'system', null::uuid,
    jsonb_build_object('signature_id', id)
  from ${signatures}`;

interface FoundSignature {
  petition_id: string;
  user_id: string | null;
  state: 'counted' | 'held' | 'invalid';
  comment: string | null;
}

export const findSignature = (db: Db, id: string): Promise<FoundSignature | undefined> =>
  db.first<FoundSignature>`
    select petition_id, user_id, state, comment from signatures where id = ${id}`;

/** Empties the reason of a signature. Returns false if it has none. */
export const emptyReason = (
  db: Db,
  { petitionId, id }: { petitionId: string; id: string },
): Promise<boolean> =>
  db.changed`
    update signatures set comment = null
    where petition_id = ${petitionId} and id = ${id} and comment is not null`;

/** Changes the given columns of a user's own signature. Returns false if there is none. */
export async function updateOwnSignature(
  db: Db,
  petitionId: string,
  userId: string,
  { updates, comment }: { updates?: boolean; comment?: string | null },
): Promise<boolean> {
  return db.changed`
    update signatures set
      comment = case when ${comment !== undefined} then ${comment ?? null} else comment end,
      updates = coalesce(${updates ?? null}, updates),
      updates_changed_at = case when updates <> ${updates ?? null}::boolean then now()
        else updates_changed_at end
    where petition_id = ${petitionId} and user_id = ${userId}`;
}

export async function hasSigned(db: Db, petitionId: string, userId: string): Promise<boolean> {
  return db.exists`
    select from signatures where user_id = ${userId} and petition_id = ${petitionId}`;
}

/** Returns the number of valid signatures, without the imported count. */
export async function readValidSignatureCount(db: Db, petitionId: string): Promise<number> {
  const row = await db.first`
    select signature_count - imported_signature_count as count
    from petitions where id = ${petitionId}`;
  return row?.count ?? 0;
}

export async function findSignaturesOfUser(
  db: Db,
  userId: string,
): Promise<(Record<string, unknown> & { device: string | null })[]> {
  return db`
    select s.id, s.petition_id, p.title as petition_title, s.version, s.is_anonymous, s.comment,
      s.display_location, s.signer_name, s.updates, s.updates_changed_at, s.consent_version, s.privacy_version,
      s.created_at, s.state, s.is_proven,
      s.is_disposable, lpad(to_hex(s.origin), 16, '0') as address_hash, s.autonomous_system,
      s.country, s.device, s.place, s.source, s.share_id
    from signatures s join petitions p on p.id = s.petition_id
    where s.user_id = ${userId}
    order by s.id`;
}

/** Stores by mailbox which withdrawn signatures of these users earlier versions stored by account. */
export async function storeWithdrawnByMailbox(db: Db, userIds: readonly string[]): Promise<void> {
  await db`
    insert into withdrawn_signatures (petition_id, mailbox, state, invalidated_by)
    select w.petition_id, mailbox_on(w.petition_id, u.mailbox), 'invalid', w.invalidated_by
    from withdrawn_invalid_signatures w
    join invalidations i on i.number = w.invalidated_by and i.state in ('applying', 'applied')
    join users u on u.id = w.user_id
    where w.user_id = any(${userIds}::uuid[])
    on conflict do nothing`;
}

/**
 * Removes the signer, the name and the device from a user's signatures, with an event for each. What tells mailboxes and
 * networks apart stays until `forgetOldOrigins`.
 */
export async function forgetSigner(db: Db, userId: string): Promise<void> {
  await db`
    with forgotten as (
      update signatures s set user_id = null, signer_name = null, device = null,
        is_proven = s.is_proven or exists (
          select from users u where u.id = s.user_id and u.email_verified_at is not null)
      where user_id = ${userId}
      returning s.id, s.petition_id
    )
    ${insertEvents(db, forgottenEvents(db, db`forgotten`))}`;
}
