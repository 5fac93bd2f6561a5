import type { Db } from '../../platform/db.ts';

/** The counts of a petition's row, and the times of its first and last signature. */
export interface Totals {
  valid: number;
  invalid: number;
  imported: number;
  first_at: Date | null;
  last_at: Date | null;
}

export async function findTotals(db: Db, petitionId: string): Promise<Totals | undefined> {
  return db.first<Totals>`
    select signature_count - imported_signature_count as valid,
      invalid_signature_count as invalid, imported_signature_count as imported,
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
  kind: 'network' | 'country' | 'domain' | 'device';
  /** Id of the network, country, domain, or letter of the device. */
  key: string;
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
        split_part(lower(u.email), '@', 2) as domain, s.state = 'counted' as valid,
        s.created_at
      from signatures s left join users u on u.id = s.user_id
      where s.petition_id = ${petitionId}
        ${sampled < 256 ? db`and get_byte(uuid_send(s.id), 15) < ${sampled}` : db``}
    ),
    part as (
      select
        case when grouping(network) = 0 then 'network' when grouping(country) = 0 then 'country'
          when grouping(domain) = 0 then 'domain' else 'device' end as kind,
        network, country, domain, device,
        count(*) filter (where valid)::integer as valid,
        count(*) filter (where not valid)::integer as invalid,
        min(created_at) as first_at, max(created_at) as last_at,
        min(signature.country) as first_country, max(signature.country) as last_country
      from signature
      group by grouping sets ((network), (country), (domain), (device))
    ),
    ranked as (
      select *, row_number() over (partition by kind order by valid + invalid desc) as rank
      from part
      where network is not null or country is not null or domain is not null
        or device is not null
    )
    select kind, valid, invalid, first_at, last_at,
      array_remove(array[first_country, nullif(last_country, first_country)], null) as countries,
      case kind when 'network' then lpad(to_hex(network & x'ffffffffff'::bigint), 10, '0')
        when 'country' then country when 'domain' then domain else device::text end as key
    from ranked
    where rank <= ${limit}
    order by kind, rank`;
}
