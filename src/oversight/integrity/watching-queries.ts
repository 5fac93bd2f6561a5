import type { Db, Tx } from '../../platform/db.ts';
import { firstIdOf } from '../../platform/ids.ts';
import type { AlertKind } from './schema.ts';

/** Claims the next step for this process, if it is due. Returns until when the signatures were read. */
export async function claimStep(
  db: Db,
  now: Date,
  { intervalMs, leaseMs }: { intervalMs: number; leaseMs: number },
): Promise<Date | undefined> {
  return db.value<Date | undefined>`
    update integrity_watch set claimed_until = ${new Date(now.getTime() + leaseMs)}
    where claimed_until <= ${now} and read_until <= ${new Date(now.getTime() - intervalMs)}
    returning read_until`;
}

export async function releaseStep(db: Db, now: Date): Promise<void> {
  await db`update integrity_watch set claimed_until = ${now}`;
}

/**
 * Counts the signatures of a span by petition and minute. The ids of signatures begin with the time, so that the
 * BRIN index of the ids finds them: 35,000 new ones among 5,000,000 took 40 ms.
 */
export async function countMinutes(tx: Tx, from: Date, until: Date): Promise<void> {
  await tx`
    with added as (
      select petition_id, date_trunc('minute', created_at, 'UTC') as minute, count(*)::integer as n
      from signatures
      where id >= ${firstIdOf(from)} and id < ${firstIdOf(until)} and state = 'counted'
      group by 1, 2
    )
    insert into signature_minutes as m (petition_id, minute, signatures)
    select petition_id, minute, n from added
    on conflict (petition_id, minute) do update set signatures = m.signatures + excluded.signatures`;
  await tx`update integrity_watch set read_until = ${until}`;
}

export async function forgetMinutes(db: Db, before: Date): Promise<void> {
  await db`delete from signature_minutes where minute < ${before}`;
}

/** Returns the petitions with most signatures since a time, at least `minCount`, largest first. */
export async function findBusyPetitions(
  db: Db,
  since: Date,
  minCount: number,
  limit: number,
): Promise<string[]> {
  return db.column<string>`
    select petition_id from signature_minutes where minute >= ${since}
    group by petition_id having sum(signatures) >= ${minCount}
    order by sum(signatures) desc
    limit ${limit}`;
}

/** Returns the number of signatures of a petition by the start of the minute, in order. */
export async function readMinutes(
  db: Db,
  petitionId: string,
  since: Date,
): Promise<Map<number, number>> {
  const rows = await db<{ minute: Date; signatures: number }[]>`
    select minute, signatures from signature_minutes
    where petition_id = ${petitionId} and minute >= ${since} order by minute`;
  return new Map(rows.map(({ minute, signatures }) => [minute.getTime(), signatures]));
}

export interface WindowPart {
  /** stated: a country that the signer named, other than that of the IP address. */
  kind: 'total' | 'network' | 'domain' | 'stated';
  key: string | null;
  recent: number;
  earlier: number;
  /** First signature in the window. */
  since: Date | null;
  is_disposable: boolean | null;
}

interface Window {
  petitionId: string;
  /** Start of the window. */
  since: Date;
  /** Start of the time with which it is compared. */
  earlierSince: Date;
  /** Signatures read of each of the two. */
  limit: number;
  /** Origins of shared networks, which are left out: shifted by 24 bits, and whole. */
  sharedNetworks: string[];
  sharedAddresses: string[];
}

/**
 * Counts the newest signatures of a petition by network, mail domain, and stated country, beside those before. Reads a
 * bounded number by the primary key: 40,000 took 60 ms.
 */
export async function countWindow(db: Db, window: Window): Promise<WindowPart[]> {
  const { petitionId, since, earlierSince, limit } = window;
  return db<WindowPart[]>`
    with newest as materialized (
      select origin, mail_domain, is_disposable, country, place, created_at,
        row_number() over (order by id desc) <= ${limit} and id >= ${firstIdOf(since)} as is_recent
      from (
        select * from signatures
        where petition_id = ${petitionId} and id >= ${firstIdOf(earlierSince)} and state = 'counted'
        order by id desc
        limit ${2 * limit}
      ) s
      where origin is null or (origin >> 24) <> all(${window.sharedNetworks}::bigint[])
        and origin <> all(${window.sharedAddresses}::bigint[])
    ),
    signature as (
      select is_recent, origin >> 24 as network, encode(mail_domain, 'hex') as domain, is_disposable,
        case when split_part(place, '.', 1) <> country then split_part(place, '.', 1) end as stated,
        created_at
      from newest
    ),
    part as (
      select case when grouping(network) = 0 then 'network' when grouping(domain) = 0 then 'domain'
          when grouping(stated) = 0 then 'stated' else 'total' end as kind,
        network, domain, stated,
        count(*) filter (where is_recent)::integer as recent,
        count(*) filter (where not is_recent)::integer as earlier,
        min(created_at) filter (where is_recent) as since,
        bool_or(is_disposable) as is_disposable
      from signature
      group by grouping sets ((), (network), (domain), (stated))
    )
    select kind, case kind when 'network' then lpad(to_hex(network & x'ffffffffff'::bigint), 10, '0')
        when 'domain' then domain else stated end as key,
      recent, earlier, since, is_disposable
    from part
    where recent > 0 and (kind = 'total' or num_nonnulls(network, domain, stated) > 0)`;
}

/** Returns a mail domain by the hash that signatures of a petition have, if an account with it exists. */
export async function findDomainName(
  db: Db,
  petitionId: string,
  since: Date,
  domain: string,
): Promise<string | undefined> {
  return db.value<string | undefined>`
    select split_part(lower(u.email), '@', 2) from signatures s join users u on u.id = s.user_id
    where s.petition_id = ${petitionId} and s.id >= ${firstIdOf(since)}
      and s.mail_domain = decode(${domain}, 'hex')
    limit 1`;
}

export interface TaggedAddresses {
  domain: string;
  count: number;
  /** Signatures that were looked at. */
  of: number;
  since: Date;
}

/** Counts by domain the newest signatures, at most `limit`, whose addresses have a tag, as in name+tag@example.org. */
export async function countTagged(
  db: Db,
  petitionId: string,
  since: Date,
  limit: number,
): Promise<TaggedAddresses[]> {
  return db<TaggedAddresses[]>`
    with newest as materialized (
      select s.created_at, u.email from (
        select user_id, created_at from signatures
        where petition_id = ${petitionId} and id >= ${firstIdOf(since)} and state = 'counted'
        order by id desc
        limit ${limit}
      ) s join users u on u.id = s.user_id
    )
    select split_part(lower(email), '@', 2) as domain, count(*)::integer as count,
      (select count(*)::integer from newest) as of, min(created_at) as since
    from newest where email ~ '^[^@]+\\+'
    group by 1`;
}

export interface AlertRow {
  id: string;
  petition_id: string;
  kind: AlertKind;
  value: string;
  since: Date;
  last_at: Date;
  signatures: number;
  usual: number;
}

/** Returns the alerts of a petition since a time, newest cause first. */
export async function findAlerts(db: Db, petitionId: string, since: Date): Promise<AlertRow[]> {
  return db<AlertRow[]>`
    select * from integrity_alerts where petition_id = ${petitionId} and last_at >= ${since}
    order by id desc
    limit 100`;
}

export async function insertAlert(tx: Tx, alert: AlertRow): Promise<void> {
  await tx`insert into integrity_alerts ${tx(alert)}`;
}

/** Stores that the cause of an alert goes on. */
export async function prolongAlert(
  tx: Tx,
  id: string,
  { last_at: lastAt, signatures, usual }: Pick<AlertRow, 'last_at' | 'signatures' | 'usual'>,
): Promise<void> {
  await tx`
    update integrity_alerts set last_at = ${lastAt},
      usual = case when ${signatures}::integer > signatures then ${usual} else usual end,
      signatures = greatest(signatures, ${signatures})
    where id = ${id}`;
}

export async function deleteOldAlerts(db: Db, before: Date): Promise<void> {
  await db`delete from integrity_alerts where last_at < ${before}`;
}
