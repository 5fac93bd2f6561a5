import type { Db, Tx } from '../../platform/db.ts';
import { retentionInterval } from '../../platform/retention.ts';

export interface DraftRow {
  id: string;
  content: Buffer;
}

interface DraftKey {
  id: string;
  tokenHash: Buffer;
}

export async function findDraft(
  db: Db,
  { id, tokenHash }: DraftKey,
): Promise<DraftRow | undefined> {
  return db.first<DraftRow>`
    select id, content from anonymous_drafts where id = ${id} and token_hash = ${tokenHash}`;
}

/** Returns the draft and locks it until the transaction ends. */
export async function lockDraft(
  tx: Tx,
  { id, tokenHash }: DraftKey,
): Promise<DraftRow | undefined> {
  return tx.first<DraftRow>`
    select id, content from anonymous_drafts where id = ${id} and token_hash = ${tokenHash}
    for update`;
}

/** The newest drafts of a browser first. */
export async function listDrafts(db: Db, tokenHash: Buffer): Promise<DraftRow[]> {
  return db<DraftRow[]>`
    select id, content from anonymous_drafts where token_hash = ${tokenHash}
    order by created_at desc, id desc limit 10`;
}

/** Returns false if there is a draft of this id already. */
export async function insertDraft(
  db: Db,
  { id, tokenHash, content }: DraftKey & { content: Buffer },
): Promise<boolean> {
  return db.changed`
    insert into anonymous_drafts (id, token_hash, content) values (${id}, ${tokenHash}, ${content})
    on conflict (id) do nothing`;
}

export async function updateDraft(tx: Tx, { id, content }: DraftRow): Promise<void> {
  await tx`update anonymous_drafts set content = ${content} where id = ${id}`;
}

/** Deletes a draft and returns it; concurrent calls wait, and find none. */
export async function takeDraft(
  tx: Tx,
  { id, tokenHash }: DraftKey,
): Promise<DraftRow | undefined> {
  return tx.first<DraftRow>`
    delete from anonymous_drafts where id = ${id} and token_hash = ${tokenHash}
    returning id, content`;
}

export async function deleteDraft(db: Db, { id, tokenHash }: DraftKey): Promise<void> {
  await db`delete from anonymous_drafts where id = ${id} and token_hash = ${tokenHash}`;
}

export async function deleteOldDrafts(db: Db): Promise<void> {
  await db`
    delete from anonymous_drafts where created_at < now() - ${retentionInterval('anonymous_drafts')}::interval`;
}
