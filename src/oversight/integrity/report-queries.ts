import type { Db } from '../../platform/db.ts';

/** The counts of a petition's row, and the times of its first and last signature. */
export interface Totals {
  valid: number;
  invalid: number;
  imported: number;
  held: number;
  first_at: Date | null;
  last_at: Date | null;
}

export async function findTotals(db: Db, petitionId: string): Promise<Totals | undefined> {
  return db.first<Totals>`
    select signature_count - imported_signature_count as valid,
      invalid_signature_count as invalid, imported_signature_count as imported,
      (select count(*)::integer from (
        select from signatures where petition_id = p.id and state = 'held' limit 1000) h) as held,
      (select created_at from signatures where petition_id = p.id order by id limit 1) as first_at,
      (select created_at from signatures where petition_id = p.id order by id desc limit 1)
        as last_at
    from petitions p where id = ${petitionId}`;
}

/** Returns the number of signatures, invalid ones included, by the start of buckets of `widthMs`, in order. */
export async function countByTime(
  db: Db,
  petitionId: string,
  widthMs: number,
): Promise<Map<number, number>> {
  const rows = await db<{ start: Date; count: number }[]>`
    select date_bin(${widthMs} * interval '1 millisecond', created_at, 'epoch') as start,
      count(*)::integer as count
    from signatures where petition_id = ${petitionId}
    group by start
    order by start`;
  return new Map(rows.map(({ start, count }) => [start.getTime(), count]));
}

export interface Part {
  kind: 'network' | 'country' | 'domain' | 'device' | 'unconfirmed' | 'alias' | 'elsewhere';
  /** Id of the network, country, domain, or letter of the device. Null for a domain whose accounts were all erased. */
  key: string | null;
  /** Whether the domain was disposable when somebody signed with it. */
  is_disposable: boolean;
  valid: number;
  invalid: number;
  first_at: Date;
  last_at: Date;
  /** The first and the last country code in this part. Those of a network seldom differ. */
  countries: string[];
}

/**
 * Counts the signatures of a petition by network, country, mail domain and device, in one pass. Returns the
 * largest parts of each kind. Reads `sampled` of 256 signatures, by the last byte of the id, which is random.
 * Mail domains are told apart by what signatures keep, and named by the accounts that exist.
 */
export async function countByPart(
  db: Db,
  petitionId: string,
  sampled: number,
  limit: number,
): Promise<Part[]> {
  return db<Part[]>`
    with signature as (
      select s.origin >> 24 as network, s.country, s.device,
        s.mail_domain as domain, s.is_disposable,
        split_part(lower(u.email), '@', 2) as domain_name, s.state = 'counted' as valid,
        s.created_at, case when not s.is_proven then true end as unconfirmed,
        case when u.email ~ '^[^@]+\\+' then true end as alias,
        case when split_part(s.place, '.', 1) <> s.country then true end as elsewhere
      from signatures s left join users u on u.id = s.user_id
      where s.petition_id = ${petitionId} and s.state <> 'held'
        ${sampled < 256 ? db`and get_byte(uuid_send(s.id), 15) < ${sampled}` : db``}
    ),
    part as (
      select
        case when grouping(network) = 0 then 'network' when grouping(country) = 0 then 'country'
          when grouping(domain) = 0 then 'domain' when grouping(device) = 0 then 'device'
          when grouping(unconfirmed) = 0 then 'unconfirmed' when grouping(alias) = 0 then 'alias'
          else 'elsewhere' end as kind,
        network, country, domain, device, unconfirmed, alias, elsewhere,
        count(*) filter (where valid)::integer as valid,
        count(*) filter (where not valid)::integer as invalid,
        min(created_at) as first_at, max(created_at) as last_at,
        min(signature.country) as first_country, max(signature.country) as last_country,
        min(signature.domain_name) as domain_name, bool_or(signature.is_disposable) as is_disposable
      from signature
      group by grouping sets ((network), (country), (domain), (device), (unconfirmed), (alias),
        (elsewhere))
    ),
    ranked as (
      select *, row_number() over (partition by kind order by valid + invalid desc) as rank
      from part
      where num_nonnulls(network, country, domain, device, unconfirmed, alias, elsewhere) > 0
    )
    select kind, valid, invalid, first_at, last_at,
      array_remove(array[first_country, nullif(last_country, first_country)], null) as countries,
      case kind when 'network' then lpad(to_hex(network & x'ffffffffff'::bigint), 10, '0')
        when 'country' then country when 'domain' then domain_name else device::text end as key,
      coalesce(is_disposable, false) as is_disposable
    from ranked
    where rank <= ${limit}
    order by kind, rank`;
}

/**
 * Returns the standard deviation of the pauses between the signatures of networks by their mean, for networks with at
 * least 20. `sampled` is as for `countByPart`.
 */
export async function cadenceOfNetworks(
  db: Db,
  petitionId: string,
  networks: readonly string[],
  sampled: number,
): Promise<Map<string, number>> {
  const rows = await db<{ network: string; cadence: number }[]>`
    with signature as (
      select lpad(to_hex((origin >> 24) & x'ffffffffff'::bigint), 10, '0') as network,
        extract(epoch from created_at - lag(created_at) over (
          partition by origin >> 24 order by created_at))::double precision as pause
      from signatures s
      where petition_id = ${petitionId} and origin >> 24 = any(${networks.map(shiftedOrigin)}::bigint[])
        ${sampled < 256 ? db`and get_byte(uuid_send(s.id), 15) < ${sampled}` : db``}
    )
    select network, stddev_samp(pause) / avg(pause) as cadence from signature
    group by network having count(*) >= 20 and avg(pause) > 0`;
  return new Map(rows.map(({ network, cadence }) => [network, cadence]));
}

/** The number of an origin shifted by 24 bits, as text. */
const shiftedOrigin = (network: string) => BigInt.asIntN(40, BigInt(`0x${network}`)).toString();
