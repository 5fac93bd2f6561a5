import type { Db, Query, Tx } from '../../platform/db.ts';
import type { DecisionMakerResponse, positions } from './schema.ts';

export interface ResponseRow {
  id: string;
  petition_id: string;
  /** Creator of the petition. */
  creator_id: string | null;
  decision_maker: DecisionMakerResponse['decision_maker'];
  body: string;
  status: (typeof positions)[number] | null;
  not_responsible: boolean;
  responsible: string | null;
  /** Null for responses before it was stored. */
  link_id: string | null;
  answered_from: string | null;
  vouched_by: DecisionMakerResponse['vouched_by'];
  created_at: Date;
  published_at: Date | null;
}

/** The domain of an address. */
const domainOf = (db: Db, email: Query) => db`nullif(split_part(lower(${email}), '@', 2), '')`;

/** A decision maker as responses show them. */
const makerObject = (db: Db) => db`
  json_build_object('id', m.id, 'name', m.name, 'title', m.title, 'verified', m.verified_at is not null)`;

/** Verified organizations, which are few, vouch for addresses at the host of their website. */
const vouching = (db: Db) => db`
  left join lateral (
    select json_build_object('id', o.id, 'name', o.name, 'slug', o.slug) as organization
    from organizations o
    where o.verified
      and lower(substring(o.website from '^https?://(?:www\\.)?([^/:?#]+)')) = origin.domain
    order by o.id
    limit 1
  ) voucher on true`;

const selectResponses = (db: Db) => db`
  select r.id, r.petition_id, p.creator_id, r.body, r.status, r.not_responsible, r.responsible,
    r.link_id, r.created_at, r.published_at,
    ${makerObject(db)} as decision_maker,
    origin.domain as answered_from, voucher.organization as vouched_by
  from decision_maker_responses r
  join decision_makers m on m.id = r.maker_id
  join petitions p on p.id = r.petition_id
  cross join lateral (select coalesce(r.answered_from, ${domainOf(db, db`m.email`)}) as domain) origin
  ${vouching(db)}`;

/** Returns what a response of the decision maker would show of them. */
export async function findRespondent(
  db: Db,
  makerId: string,
): Promise<Pick<ResponseRow, 'decision_maker' | 'answered_from' | 'vouched_by'> | undefined> {
  return db.first<Pick<ResponseRow, 'decision_maker' | 'answered_from' | 'vouched_by'>>`
    select ${makerObject(db)} as decision_maker, origin.domain as answered_from,
      voucher.organization as vouched_by
    from decision_makers m
    cross join lateral (select ${domainOf(db, db`m.email`)} as domain) origin
    ${vouching(db)}
    where m.id = ${makerId}`;
}

export async function findResponses(db: Db, ids: string[]): Promise<ResponseRow[]> {
  return db<ResponseRow[]>`${selectResponses(db)} where r.id = any(${ids}::uuid[])`;
}

/** Returns all responses of a decision maker, oldest first. */
export async function findResponsesOfMaker(db: Db, makerId: string): Promise<ResponseRow[]> {
  return db<ResponseRow[]>`
    ${selectResponses(db)} where r.maker_id = ${makerId} order by r.id`;
}

interface NewResponse {
  id: string;
  petitionId: string;
  makerId: string;
  linkId: string;
  body: string;
  status: ResponseRow['status'];
  notResponsible: boolean;
  responsible: string | null;
}

/** Stores a response. The transaction fails if there is one by the link already. */
export async function insertResponse(tx: Tx, response: NewResponse): Promise<void> {
  const { id, petitionId, makerId, linkId, body, status, notResponsible, responsible } = response;
  await tx`
    insert into decision_maker_responses
      (id, petition_id, maker_id, link_id, body, status, not_responsible, responsible,
       answered_from)
    select ${id}, ${petitionId}, id, ${linkId}, ${body}, ${status}, ${notResponsible}, ${responsible},
      ${domainOf(tx, tx`email`)}
    from decision_makers where id = ${makerId}`;
}

/** Which responses of a petition are read. */
export type ResponseScope = 'published' | 'submitted' | 'all';

const inScope = (db: Db, scope: ResponseScope) => {
  if (scope === 'all') return db``;
  return scope === 'published'
    ? db`and r.published_at is not null`
    : db`and r.published_at is null`;
};

/** Returns a page of responses to a petition, oldest first. */
export async function listResponses(
  db: Db,
  petitionId: string,
  scope: ResponseScope,
  after: string | null,
  limit: number,
): Promise<ResponseRow[]> {
  return db<ResponseRow[]>`
    ${selectResponses(db)}
    where r.petition_id = ${petitionId} ${inScope(db, scope)}
      ${after ? db`and r.id > ${after}` : db``}
    order by r.id
    limit ${limit}`;
}

/** Returns the newest responses to a petition, newest first. */
export async function newestResponses(
  db: Db,
  petitionId: string,
  scope: ResponseScope,
  limit: number,
): Promise<ResponseRow[]> {
  return db<ResponseRow[]>`
    ${selectResponses(db)}
    where r.petition_id = ${petitionId} ${inScope(db, scope)}
    order by r.id desc
    limit ${limit}`;
}

/** Returns false if it is published already. */
export async function publishResponse(tx: Tx, id: string): Promise<boolean> {
  return tx.changed`
    update decision_maker_responses set published_at = now()
    where id = ${id} and published_at is null`;
}

/** Publishes up to `limit` responses to published petitions that were given before a time. */
export async function publishResponsesBefore(
  tx: Tx,
  time: Date,
  limit: number,
): Promise<{ id: string; petition_id: string }[]> {
  return tx<{ id: string; petition_id: string }[]>`
    update decision_maker_responses set published_at = now()
    where id in (
      select r.id from decision_maker_responses r
      join petitions p on p.id = r.petition_id and p.deleted_at is null
        and p.status in ('active', 'closed', 'victory')
      where r.published_at is null and r.created_at <= ${time}
      order by r.created_at
      limit ${limit}
      for no key update of r skip locked)
    returning id, petition_id`;
}
