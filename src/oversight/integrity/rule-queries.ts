import { originRange } from '../../campaigns/signatures/signatures.ts';
import type { Db } from '../../platform/db.ts';
import { notFound } from '../../platform/problems.ts';

/** Conditions, all of which a signature meets that a rule is about. */
export interface Conditions {
  network: string | null;
  country: string | null;
  /** Mail domains of signers. */
  domains: string[] | null;
  signed_from: Date | null;
  signed_until: Date | null;
  /** When the rule was made: later signatures do not meet it. Null while it is only looked at. */
  created_at: Date | null;
}

/** Whether signature `s` of signer `u` meets the conditions. */
const meets = (db: Db, rule: Conditions) => {
  const [first, last] = rule.network ? originRange(rule.network) : [];
  return db`(true
    ${rule.created_at ? db`and s.created_at <= ${rule.created_at}` : db``}
    ${first ? db`and s.origin between ${first}::bigint and ${last!}::bigint` : db``}
    ${rule.country ? db`and s.country = ${rule.country}` : db``}
    ${rule.domains ? db`and ${domainOf(db)} = any(${rule.domains}::text[])` : db``}
    ${rule.signed_from ? db`and s.created_at >= ${rule.signed_from}` : db``}
    ${rule.signed_until ? db`and s.created_at < ${rule.signed_until}` : db``})`;
};

const domainOf = (db: Db) => db`split_part(lower(u.email), '@', 2)`;

/** The mail domains of those who signed a petition. */
export async function mailDomainsOf(db: Db, petitionId: string): Promise<string[]> {
  const rows = await db`
    select distinct ${domainOf(db)} as domain
    from signatures s join users u on u.id = s.user_id
    where s.petition_id = ${petitionId}`;
  return rows.map((row) => row.domain as string);
}

export interface MatchSummary {
  matched: number;
  /** Of the petition: signatures that count, and those of them that were given here. */
  signature_count: number;
  valid: number;
  /** Thresholds of milestones that would not hold without what matches. */
  milestones: number[];
  sample: {
    id: string;
    created_at: string;
    network: string | null;
    country: string | null;
    mail_domain: string | null;
  }[];
}

/** What a rule would do to a petition at this moment, in one pass over its signatures. */
export async function summarizeMatches(
  db: Db,
  petitionId: string,
  rule: Conditions,
): Promise<MatchSummary> {
  const [row] = await db<MatchSummary[]>`
    with matching as materialized (
      select s.id, s.created_at, s.origin, s.country, ${domainOf(db)} as domain
      from signatures s left join users u on u.id = s.user_id
      where s.petition_id = ${petitionId} and s.invalidated_by is null and ${meets(db, rule)}
    ),
    total as (select count(*)::integer as matched from matching),
    newest as (select * from matching order by id desc limit 10)
    select matched, p.signature_count,
      p.signature_count - p.imported_signature_count as valid,
      array(
        select threshold from milestones m
        where m.petition_id = p.id and (m.threshold > p.signature_count - matched
          or m.signature_id in (select id from matching))
        order by threshold
      ) as milestones,
      (select coalesce(json_agg(json_build_object('id', id, 'created_at', created_at,
          'network', lpad(to_hex((origin >> 24) & x'ffffffffff'::bigint), 10, '0'),
          'country', country, 'mail_domain', domain) order by id desc), '[]')
        from newest) as sample
    from petitions p, total
    where p.id = ${petitionId}`;
  if (!row) throw notFound('petition');
  return row;
}

export interface Found {
  ids: string[];
  /** The last signature that was looked at, if there was any. */
  last: string | null;
  /** There is nothing after it. */
  ended: boolean;
}

/**
 * Signatures that one statement looks at, so that a rule that few of them meet cannot run for long. Of
 * more than some thousands the planner would look up the signers by reading all users.
 */
const lookedAt = 5_000;

/** The next valid signatures that meet a rule, at most `limit`, in the order of the primary key. */
export async function findMatches(
  db: Db,
  petitionId: string,
  rule: Conditions,
  after: string | null,
  limit: number,
): Promise<Found> {
  const [row] = await db<Found[]>`
    with looked_at as materialized (
      select id, user_id, origin, country, created_at, invalidated_by from signatures
      where petition_id = ${petitionId} ${after ? db`and id > ${after}` : db``}
      order by id
      limit ${lookedAt}
    ),
    matching as (
      select s.id from looked_at s left join users u on u.id = s.user_id
      where s.invalidated_by is null and ${meets(db, rule)}
      order by s.id
      limit ${limit}
    )
    select array(select id from matching order by id) as ids,
      (select id from looked_at order by id desc limit 1) as last,
      (select count(*) from looked_at) < ${lookedAt} as ended`;
  const { ids, last, ended } = row!;
  // What comes after a full batch has yet to be looked at.
  return ids.length < limit ? { ids, last, ended } : { ids, last: ids.at(-1)!, ended: false };
}

export interface Held {
  id: string;
  /** Another rule that it meets, and that stands. */
  heir: number | null;
}

/** The next signatures that are invalid by a rule, at most `limit`, and by which they would stay so. */
export async function findHeld(
  db: Db,
  petitionId: string,
  rule: { number: number },
  others: (Conditions & { number: number })[],
  after: string | null,
  limit: number,
): Promise<Held[]> {
  const heir = others.reduceRight(
    (rest, other) =>
      db`case when ${meets(db, other)} then ${other.number}::integer else ${rest} end`,
    db`null::integer`,
  );
  return db<Held[]>`
    select s.id, ${heir} as heir
    from signatures s left join users u on u.id = s.user_id
    where s.petition_id = ${petitionId} and s.invalidated_by = ${rule.number}
      ${after ? db`and s.id > ${after}` : db``}
    order by s.id
    limit ${limit}`;
}
