import type { Db } from '../../platform/db.ts';

/** What a petition's row says of its signatures, and when the first and the last were given. */
export interface Totals {
  valid: number;
  invalid: number;
  imported: number;
  first_at: Date | null;
  last_at: Date | null;
}

export async function totalsOf(db: Db, petitionId: string): Promise<Totals | undefined> {
  const [row] = await db<Totals[]>`
    select signature_count - imported_signature_count as valid,
      invalid_signature_count as invalid, imported_signature_count as imported,
      (select created_at from signatures where petition_id = p.id order by id limit 1) as first_at,
      (select created_at from signatures where petition_id = p.id order by id desc limit 1)
        as last_at
    from petitions p where id = ${petitionId}`;
  return row;
}

/** Signatures, valid or not, by the start of their span of `width` milliseconds, in order. */
export async function countsByTime(
  db: Db,
  petitionId: string,
  width: number,
): Promise<Map<number, number>> {
  const rows = await db<{ start: Date; count: number }[]>`
    select date_bin(${width} * interval '1 millisecond', created_at, 'epoch') as start,
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
  /** Of a network: the first and the last of its countries by their codes, which seldom differ. */
  countries: string[];
}

/**
 * The signatures of a petition by network, country, mail domain and device, in one pass: the largest of
 * each. Of every 256 signatures `sampled` are looked at: the last byte of an id is random.
 */
export async function partsOf(
  db: Db,
  petitionId: string,
  sampled: number,
  largest: number,
): Promise<Part[]> {
  return db<Part[]>`
    with signature as (
      select s.origin >> 24 as network, s.country, s.device,
        split_part(lower(u.email), '@', 2) as domain, s.invalidated_by is null as valid,
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
    where rank <= ${largest}
    order by kind, rank`;
}
