import { originRange } from '../../campaigns/signatures/signatures.ts';
import type { Db } from '../../platform/db.ts';
import { notFound } from '../../platform/problems.ts';

/** The conditions of a rule on the signatures of a petition. A signature matches if it meets all of them. */
export interface Conditions {
  petitionId: string;
  network: string | null;
  country: string | null;
  /** Keyed hash of the mail domain of signers, in hexadecimal digits. */
  domainHash: string | null;
  /** Hashes of domains that are disposable now. Those that were when their signers signed match anyway. */
  disposableHashes: string[] | null;
  signedFrom: Date | null;
  signedUntil: Date | null;
  /** When the rule was created: later signatures do not match. Null for a preview. */
  createdAt: Date | null;
}

/** A condition on signature `s`. Reads no account, so that it holds for the signatures of erased ones too. */
const matches = (db: Db, rule: Conditions) => {
  const [first, last] = rule.network ? originRange(rule.network) : [];
  // In a subquery, which is evaluated once.
  const hashes = (domainHashes: string[]) => db`array(
    select mailbox_on(${rule.petitionId}, decode(domain, 'hex'))
    from unnest(${domainHashes}::text[]) as given (domain))`;
  return db`(true
    ${rule.createdAt ? db`and s.created_at <= ${rule.createdAt}` : db``}
    ${first ? db`and s.origin between ${first}::bigint and ${last!}::bigint` : db``}
    ${rule.country ? db`and s.country = ${rule.country}` : db``}
    ${rule.domainHash ? db`and s.mail_domain = any(${hashes([rule.domainHash])})` : db``}
    ${
      rule.disposableHashes
        ? db`and (s.is_disposable or s.mail_domain = any(${hashes(rule.disposableHashes)}))`
        : db``
    }
    ${rule.signedFrom ? db`and s.created_at >= ${rule.signedFrom}` : db``}
    ${rule.signedUntil ? db`and s.created_at < ${rule.signedUntil}` : db``})`;
};

const domainOf = (db: Db) => db`split_part(lower(u.email), '@', 2)`;

/** Returns the mail domains of a petition's signers whose accounts exist. */
export async function findMailDomains(db: Db, petitionId: string): Promise<string[]> {
  return db.column<string>`
    select distinct ${domainOf(db)} as domain
    from signatures s join users u on u.id = s.user_id
    where s.petition_id = ${petitionId}`;
}

export interface MatchSummary {
  matched: number;
  /** Count of the petition, and its valid signatures without imported ones. */
  signature_count: number;
  valid: number;
  /** Thresholds of milestones that would be voided. */
  milestones: number[];
  sample: {
    id: string;
    created_at: string;
    network: string | null;
    country: string | null;
    mail_domain: string | null;
  }[];
}

/** Returns what a rule would do to a petition now, in one pass over its signatures. */
export async function summarizeMatches(db: Db, rule: Conditions): Promise<MatchSummary> {
  const { petitionId } = rule;
  const row = await db.first<MatchSummary>`
    with matching as materialized (
      select s.id, s.user_id, s.created_at, s.origin, s.country from signatures s
      where s.petition_id = ${petitionId} and s.state = 'counted' and ${matches(db, rule)}
    ),
    total as (select count(*)::integer as matched from matching),
    newest as (
      select m.*, ${domainOf(db)} as domain
      from (select * from matching order by id desc limit 10) m
      left join users u on u.id = m.user_id
    )
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

/** Counts the valid signatures of a petition that match each of the rules, in one pass. */
export async function countMatches(
  db: Db,
  petitionId: string,
  rules: readonly Conditions[],
): Promise<number[]> {
  if (rules.length === 0) return [];
  const counts = rules.map(
    (rule, index) =>
      db`${index > 0 ? db`,` : db``} count(*) filter (where ${matches(db, rule)})::integer`,
  );
  const row = await db.one<{ counts: number[] }>`
    select array[${counts}] as counts from signatures s
    where s.petition_id = ${petitionId} and s.state = 'counted'`;
  return row.counts;
}

export interface MatchBatch {
  ids: string[];
  /** The last scanned signature, if any. */
  last: string | null;
  /** Whether no signatures follow. */
  ended: boolean;
}

/** Signatures that one statement scans, which bounds the time of rules with few matches. */
const scanLimit = 5_000;

/** Returns the next valid signatures that match a rule, at most `limit`, in the order of the primary key. */
export async function findMatches(
  db: Db,
  rule: Conditions,
  after: string | null,
  limit: number,
): Promise<MatchBatch> {
  const row = await db.one<MatchBatch>`
    with scanned as materialized (
      select id, origin, country, mail_domain, is_disposable, created_at, state from signatures
      where petition_id = ${rule.petitionId} ${after ? db`and id > ${after}` : db``}
      order by id
      limit ${scanLimit}
    ),
    matching as (
      select s.id from scanned s
      where s.state = 'counted' and ${matches(db, rule)}
      order by s.id
      limit ${limit}
    )
    select array(select id from matching order by id) as ids,
      (select id from scanned order by id desc limit 1) as last,
      (select count(*) from scanned) < ${scanLimit} as ended`;
  const { ids, last, ended } = row;
  // Signatures after a full batch were not scanned yet.
  return ids.length < limit ? { ids, last, ended } : { ids, last: ids.at(-1)!, ended: false };
}

export interface InvalidatedSignature {
  id: string;
  /** Number of another applied rule that the signature matches. */
  nextRule: number | null;
}

/** Returns the next signatures that a rule has invalidated, at most `limit`, with their next rule. */
export async function findInvalidated(
  db: Db,
  petitionId: string,
  rule: { number: number },
  others: (Conditions & { number: number })[],
  after: string | null,
  limit: number,
): Promise<InvalidatedSignature[]> {
  const nextRule = others.reduceRight(
    (rest, other) =>
      db`case when ${matches(db, other)} then ${other.number}::integer else ${rest} end`,
    db`null::integer`,
  );
  return db<InvalidatedSignature[]>`
    select s.id, ${nextRule} as "nextRule"
    from signatures s
    where s.petition_id = ${petitionId} and s.invalidated_by = ${rule.number}
      ${after ? db`and s.id > ${after}` : db``}
    order by s.id
    limit ${limit}`;
}
