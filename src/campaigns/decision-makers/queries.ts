import type { Db, Tx } from '../../platform/db.ts';
import type { KeyedMail } from '../../platform/mail-keys.ts';
import type { summaryFormats } from './schema.ts';

export interface MakerRow {
  id: string;
  petition_id: string;
  name: string;
  title: string | null;
  /** Null once the account of the petition's creator was erased. */
  email: string | null;
  created_at: Date;
  verified_at: Date | null;
  /** The newest delivery has neither succeeded nor failed. */
  sending: boolean;
  /** The times of the newest delivery follow. */
  sent_at: Date | null;
  failed_at: Date | null;
  opened_at: Date | null;
  expires_at: Date | null;
  /** That delivery was responded to. */
  is_answered: boolean;
  /** The time of the newest response, by whichever link. */
  responded_at: Date | null;
}

/** SQL condition: the mail of the link `l` is not out yet. */
const isPending = (db: Db) => db`
  l.id is not null and l.sent_at is null and l.failed_at is null and l.replaced_at is null`;

/**
 * SQL condition: the link `l` was responded to. Responses from before links were stored with them are of the link that
 * was current then.
 */
const isAnswered = (db: Db) => db`
  exists (
    select from decision_maker_responses r
    where r.maker_id = l.decision_maker_id
      and (r.link_id = l.id or (r.link_id is null and r.created_at >= l.created_at)))`;

const selectMakers = (db: Db) => db`
  select m.id, m.petition_id, m.name, m.title, m.email, m.created_at, m.verified_at,
    (${isPending(db)}) as sending, l.sent_at, l.failed_at, l.opened_at, l.expires_at,
    ${isAnswered(db)} or (l.id is null and newest.created_at is not null) as is_answered,
    newest.created_at as responded_at
  from decision_makers m
  left join decision_maker_links l on l.decision_maker_id = m.id and l.replaced_at is null
  left join lateral (
    select created_at from decision_maker_responses
    where maker_id = m.id
    order by id desc
    limit 1
  ) newest on true`;

export async function findMaker(
  db: Db,
  petitionId: string,
  id: string,
): Promise<MakerRow | undefined> {
  return db.first<MakerRow>`
    ${selectMakers(db)} where m.id = ${id} and m.petition_id = ${petitionId}`;
}

/**
 * Returns a decision maker and locks the row, which serializes delivery, response and removal. Lock the petition first, as
 * its erasure does.
 */
export async function lockMaker(
  tx: Tx,
  petitionId: string,
  id: string,
): Promise<MakerRow | undefined> {
  await tx`select from decision_makers where id = ${id} for update`;
  return findMaker(tx, petitionId, id);
}

export async function listMakers(
  db: Db,
  petitionId: string,
  before: string | null,
  limit: number,
): Promise<MakerRow[]> {
  return db<MakerRow[]>`
    ${selectMakers(db)}
    where m.petition_id = ${petitionId} ${before ? db`and m.id < ${before}` : db``}
    order by m.id desc
    limit ${limit}`;
}

/** Returns the number of decision makers. Lock the petition before additions. */
export async function countMakers(tx: Tx, petitionId: string): Promise<number> {
  return tx.value<number>`
    select count(*)::integer from decision_makers where petition_id = ${petitionId}`;
}

export interface NewLink {
  id: string;
  makerId: string;
  tokenHash: Buffer;
  summary: (typeof summaryFormats)[number];
  message: string | null;
  expiresAt: Date;
}

/** Inserts a link and marks the current one as replaced. */
export async function replaceLink(tx: Tx, link: NewLink): Promise<void> {
  await tx`
    update decision_maker_links set replaced_at = now(), message = null
    where decision_maker_id = ${link.makerId} and replaced_at is null`;
  await tx`
    insert into decision_maker_links (id, decision_maker_id, token_hash, summary, message, expires_at)
    values (${link.id}, ${link.makerId}, ${link.tokenHash}, ${link.summary}, ${link.message},
      ${link.expiresAt})`;
}

export interface LinkRow {
  id: string;
  /** Null after the decision maker was removed, as the next three. */
  decision_maker_id: string | null;
  petition_id: string | null;
  name: string | null;
  title: string | null;
  summary: NewLink['summary'];
  created_at: Date;
  expires_at: Date;
  replaced_at: Date | null;
}

export async function findLink(db: Db, tokenHash: Buffer): Promise<LinkRow | undefined> {
  return db.first<LinkRow>`
    select l.id, l.decision_maker_id, m.petition_id, m.name, m.title, l.summary, l.created_at,
      l.expires_at, l.replaced_at
    from decision_maker_links l left join decision_makers m on m.id = l.decision_maker_id
    where l.token_hash = ${tokenHash}`;
}

export async function markOpened(db: Db, linkId: string): Promise<void> {
  await db`
    update decision_maker_links set opened_at = now() where id = ${linkId} and opened_at is null`;
}

export interface PendingDelivery {
  id: string;
  petition_id: string;
  name: string;
  title: string | null;
  email: string | null;
  summary: NewLink['summary'];
  message: string | null;
  created_at: Date;
  expires_at: Date;
}

/** Returns a delivery whose mail was not sent yet. */
export async function findPendingDelivery(
  db: Db,
  linkId: string,
): Promise<PendingDelivery | undefined> {
  return db.first<PendingDelivery>`
    select l.id, m.petition_id, m.name, m.title, m.email, l.summary, l.message, l.created_at,
      l.expires_at
    from decision_maker_links l join decision_makers m on m.id = l.decision_maker_id
    where l.id = ${linkId} and ${isPending(db)}`;
}

/** Stores to which mailbox a delivery is sent, so that a later bounce finds it. */
export async function storeMailbox(db: Db, linkId: string, mailbox: Buffer): Promise<void> {
  await db`update decision_maker_links set mailbox = ${mailbox} where id = ${linkId}`;
}

/**
 * Marks the current deliveries to a mailbox that may have been sent on a day as failed, unless they were opened. A mail
 * is sent within two days.
 */
export async function failDeliveries(tx: Tx, { mailbox, sentOn }: KeyedMail): Promise<void> {
  await tx`
    update decision_maker_links l set failed_at = now(), sent_at = null, message = null
    where mailbox = ${mailbox} and replaced_at is null and failed_at is null and opened_at is null
      and created_at between ${sentOn}::timestamptz - interval '3 days'
        and ${sentOn}::timestamptz + interval '2 days'
      and not ${isAnswered(tx)}`;
}

/** Stores the result of a delivery and erases the creator's message, which is no longer needed. */
export async function finishDelivery(
  db: Db,
  linkId: string,
  result: 'sent' | 'failed',
): Promise<void> {
  await db`
    update decision_maker_links l
    set ${result === 'sent' ? db`sent_at` : db`failed_at`} = now(), message = null
    where id = ${linkId} and ${isPending(db)}`;
}

export async function findDeliveriesOfCreator(
  db: Db,
  creatorId: string,
): Promise<readonly object[]> {
  return db`
    select m.petition_id, m.name, l.summary, l.message, l.created_at, l.sent_at, l.failed_at,
      l.opened_at, l.expires_at
    from petitions p
    join decision_makers m on m.petition_id = p.id
    join decision_maker_links l on l.decision_maker_id = m.id
    where p.creator_id = ${creatorId}
    order by l.id`;
}

/** Cancels the pending deliveries of a petition, which would carry the words of its former creator. */
export async function cancelDeliveriesOfPetition(tx: Tx, petitionId: string): Promise<void> {
  await tx`
    update decision_maker_links l set failed_at = now(), message = null
    from decision_makers m
    where l.decision_maker_id = m.id and m.petition_id = ${petitionId} and ${isPending(tx)}`;
}

/**
 * Cancels all pending deliveries of a creator who is being erased, and forgets the mailboxes of all. Works before and after the creator was
 * removed from the petitions.
 */
export async function cancelDeliveriesOfCreator(tx: Tx, creatorId: string): Promise<void> {
  await tx`
    update decision_maker_links l set failed_at = now(), message = null
    from decision_makers m join petitions p on p.id = m.petition_id
    where l.decision_maker_id = m.id and ${isPending(tx)}
      and (p.creator_id = ${creatorId} or p.creator_id is null)`;
  await tx`
    update decision_maker_links l set mailbox = null
    from decision_makers m join petitions p on p.id = m.petition_id
    where l.decision_maker_id = m.id and l.mailbox is not null and p.creator_id = ${creatorId}`;
}
