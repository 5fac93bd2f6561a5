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
  answered_from: string | null;
  vouched_by: DecisionMakerResponse['vouched_by'];
  created_at: Date;
  published_at: Date | null;
}

/** The domain of an address. */
const domainOf = (db: Db, email: Query) => db`nullif(split_part(lower(${email}), '@', 2), '')`;

/** Verified organizations, which are few, vouch for addresses at the host of their website. */
const selectResponses = (db: Db) => db`
  select r.id, r.petition_id, p.creator_id, r.body, r.status, r.created_at, r.published_at,
    json_build_object('id', m.id, 'name', m.name, 'title', m.title,
      'verified', m.verified_at is not null) as decision_maker,
    origin.domain as answered_from, voucher.organization as vouched_by
  from decision_maker_responses r
  join decision_makers m on m.id = r.decision_maker_id
  join petitions p on p.id = r.petition_id
  cross join lateral (select coalesce(r.answered_from, ${domainOf(db, db`m.email`)}) as domain) origin
  left join lateral (
    select json_build_object('id', o.id, 'name', o.name, 'slug', o.slug) as organization
    from organizations o
    where o.verified
      and lower(substring(o.website from '^https?://(?:www\\.)?([^/:?#]+)')) = origin.domain
    order by o.id
    limit 1
  ) voucher on true`;

export async function findResponses(db: Db, ids: string[]): Promise<ResponseRow[]> {
  return db<ResponseRow[]>`${selectResponses(db)} where r.id = any(${ids}::uuid[])`;
}

export async function findResponseOfMaker(
  db: Db,
  makerId: string,
): Promise<ResponseRow | undefined> {
  return db.first<ResponseRow>`
    ${selectResponses(db)} where r.decision_maker_id = ${makerId}`;
}

interface NewResponse {
  id: string;
  petitionId: string;
  makerId: string;
  body: string;
  status: ResponseRow['status'];
}

/** Stores a response. Returns false if the decision maker has responded already. */
export async function insertResponse(tx: Tx, response: NewResponse): Promise<boolean> {
  const { id, petitionId, makerId, body, status } = response;
  return tx.changed`
    insert into decision_maker_responses
      (id, petition_id, decision_maker_id, body, status, answered_from)
    select ${id}, ${petitionId}, id, ${body}, ${status}, ${domainOf(tx, tx`email`)}
    from decision_makers where id = ${makerId}
    on conflict (decision_maker_id) do nothing`;
}

/** Returns a page of responses to a petition, newest first. */
export async function listResponses(
  db: Db,
  petitionId: string,
  scope: 'published' | 'all',
  before: string | null,
  limit: number,
): Promise<ResponseRow[]> {
  return db<ResponseRow[]>`
    ${selectResponses(db)}
    where r.petition_id = ${petitionId}
      ${scope === 'published' ? db`and r.published_at is not null` : db``}
      ${before ? db`and r.id < ${before}` : db``}
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
