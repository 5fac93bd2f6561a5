import type { Db, Tx } from '../../platform/db.ts';
import type { summaryFormats } from './schema.ts';

export interface MakerRow {
  id: string;
  petition_id: string;
  name: string;
  title: string | null;
  /** Null once the account of the petition's creator was erased. */
  email: string | null;
  created_at: Date;
  /** Of the newest delivery. */
  sent_at: Date | null;
  failed_at: Date | null;
  opened_at: Date | null;
  expires_at: Date | null;
  responded_at: Date | null;
}

const makers = (db: Db) => db`
  select m.id, m.petition_id, m.name, m.title, m.email, m.created_at, l.sent_at, l.failed_at,
    l.opened_at, l.expires_at, r.created_at as responded_at
  from decision_makers m
  left join decision_maker_links l on l.decision_maker_id = m.id and l.replaced_at is null
  left join decision_maker_responses r on r.decision_maker_id = m.id`;

/** A decision maker of that petition. */
export async function findMaker(
  db: Db,
  petitionId: string,
  id: string,
): Promise<MakerRow | undefined> {
  const [row] = await db<MakerRow[]>`
    ${makers(db)} where m.id = ${id} and m.petition_id = ${petitionId}`;
  return row;
}

/**
 * The same, locked: whoever delivers, responds or removes does it one after the other. The petition is
 * held first, as its removal locks it first.
 */
export async function lockMaker(
  tx: Tx,
  petitionId: string,
  id: string,
): Promise<MakerRow | undefined> {
  await tx`select from petitions where id = ${petitionId} for key share`;
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
    ${makers(db)}
    where m.petition_id = ${petitionId} ${before ? db`and m.id < ${before}` : db``}
    order by m.id desc
    limit ${limit}`;
}

/** How many decision makers the petition has, with nobody adding more until the transaction ends. */
export async function countMakersLocked(tx: Tx, petitionId: string): Promise<number> {
  await tx`select from petitions where id = ${petitionId} for no key update`;
  const [row] = await tx<[{ count: number }]>`
    select count(*)::integer as count from decision_makers where petition_id = ${petitionId}`;
  return row.count;
}

export interface NewLink {
  id: string;
  makerId: string;
  tokenHash: Buffer;
  summary: (typeof summaryFormats)[number];
  message: string | null;
  expiresAt: Date;
}

/** Ends the link that works now, if there is one, and makes another. */
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
  /** Null, as what follows of it, once the decision maker was taken off the petition. */
  decision_maker_id: string | null;
  petition_id: string | null;
  name: string | null;
  title: string | null;
  expires_at: Date;
  replaced_at: Date | null;
}

export async function findLink(db: Db, tokenHash: Buffer): Promise<LinkRow | undefined> {
  const [row] = await db<LinkRow[]>`
    select l.id, l.decision_maker_id, m.petition_id, m.name, m.title, l.expires_at, l.replaced_at
    from decision_maker_links l left join decision_makers m on m.id = l.decision_maker_id
    where l.token_hash = ${tokenHash}`;
  return row;
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

/** A delivery whose mail is still to go out. */
export async function findPending(db: Db, linkId: string): Promise<PendingDelivery | undefined> {
  const [row] = await db<PendingDelivery[]>`
    select l.id, m.petition_id, m.name, m.title, m.email, l.summary, l.message, l.created_at,
      l.expires_at
    from decision_maker_links l join decision_makers m on m.id = l.decision_maker_id
    where l.id = ${linkId} and ${isPending(db)}`;
  return row;
}

const isPending = (db: Db) => db`
  l.sent_at is null and l.failed_at is null and l.replaced_at is null`;

/** What became of the mail; its text is not needed any more. */
export async function endPending(db: Db, linkId: string, how: 'sent' | 'failed'): Promise<void> {
  await db`
    update decision_maker_links l
    set ${how === 'sent' ? db`sent_at` : db`failed_at`} = now(), message = null
    where id = ${linkId} and ${isPending(db)}`;
}

export async function deliveriesBy(db: Db, creatorId: string): Promise<readonly object[]> {
  return db`
    select m.petition_id, m.name, l.summary, l.message, l.created_at, l.sent_at, l.failed_at,
      l.opened_at, l.expires_at
    from petitions p
    join decision_makers m on m.petition_id = p.id
    join decision_maker_links l on l.decision_maker_id = m.id
    where p.creator_id = ${creatorId}
    order by l.id`;
}

/** Lets no mail go out any more for a creator who is being erased, before the petitions know or after. */
export async function endDeliveriesOf(tx: Tx, creatorId: string): Promise<void> {
  await tx`
    update decision_maker_links l set failed_at = now(), message = null
    from decision_makers m join petitions p on p.id = m.petition_id
    where l.decision_maker_id = m.id and ${isPending(tx)}
      and (p.creator_id = ${creatorId} or p.creator_id is null)`;
}
