import type { Pool } from '../../src/platform/db.ts';
import { print } from './report.ts';

export interface WorldSize {
  petitions: number;
  signatures: number;
  /** Signatures of one of the petitions. */
  onePetition: number;
  creators: number;
}

export const worldSize = (scale: number): WorldSize => ({
  petitions: Math.round(1_000_000 * scale),
  signatures: Math.round(5_000_000 * scale),
  onePetition: Math.round(3_000_000 * scale),
  creators: Math.round(50_000 * scale),
});

/**
 * Fills an empty database with petitions of three years and their signatures, the same in each run. Inserts rows in
 * their natural order, with all indexes, checks and references; without versions, events and decision makers, which no
 * list reads. There are as many users as the largest petition has signatures.
 */
export async function fillWorld(db: Pool, size: WorldSize): Promise<void> {
  const start = performance.now();
  await db.begin(async (tx) => {
    await tx`set local synchronous_commit = off`;
    await tx`set local work_mem = '256MB'`;
    await tx`select setseed(0.42)`;
    await tx.unsafe(functions);
    await tx.unsafe(plan(size));
    await tx.unsafe(users(size));
    await tx`alter table petitions disable trigger petitions_counted_for_creator`;
    await tx.unsafe(petitions);
    await tx`alter table petitions enable trigger petitions_counted_for_creator`;
    await tx.unsafe(signatures(size));
  });
  await db`vacuum (analyze) users`;
  await db`vacuum (analyze) petitions`;
  await db`vacuum (analyze) signatures`;
  const [made] = await db`
    select (select count(*)::integer from petitions) as petitions,
      (select count(*)::integer from signatures) as signatures,
      (select count(*)::integer from users) as users,
      (select max(signature_count) from petitions) as most,
      pg_size_pretty(pg_database_size(current_database())) as size`;
  const seconds = Math.round((performance.now() - start) / 1000);
  const [p, s, u, m] = [made!.petitions, made!.signatures, made!.users, made!.most].map((n) =>
    Number(n).toLocaleString('en'),
  );
  print(
    `Made ${p} petitions, ${s} signatures (${m} of one petition) and ${u} users in ${seconds} s: ${made!.size}.`,
  );
}

// A UUIDv7, like ids of the service, from a time and a key of the row.
const functions = `
  create function pg_temp.id_at(at timestamptz, name text) returns uuid language sql immutable as $$
    select overlay(overlay(md5(name) placing
      lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' from 1 for 13)
      placing '8' from 17 for 1)::uuid
  $$;
  create function pg_temp.user_id(n bigint) returns uuid language sql immutable as $$
    select pg_temp.id_at('2021-01-01'::timestamptz + n * interval '20 seconds', 'user ' || n)
  $$`;

/**
 * Petitions with their counts: by rank, like Zipf's law, so that the counts of all but the first add up exactly. A third
 * of them belong to one of the twelve categories.
 */
const plan = ({ petitions: many, signatures: total, onePetition, creators }: WorldSize) => `
  create temporary table plan on commit drop as
  with drawn as (
    select n, pg_temp.id_at(created_at, 'petition ' || n) as id, created_at,
      1 + floor(random() * ${creators})::bigint as creator,
      floor(case when random() < 0.3 then 0 else random() * 12 end)::integer as category,
      random() as chance, random() as seen, random() as tag, random() as lot
    from (
      select n, '2023-01-01'::timestamptz
        + (n + random()) * (interval '1095 days' / ${many}) as created_at
      from generate_series(1, ${many}) n
    ) times
  ),
  judged as (
    select *,
      case when chance < 0.05 then 'draft' when chance < 0.06 then 'under_review'
        when chance < 0.64 then 'active' when chance < 0.92 then 'closed' else 'victory' end as status,
      case when seen < 0.94 then 'public' when seen < 0.98 then 'unlisted' else 'private' end
        as visibility
    from drawn
  ),
  -- Drafts come last, since they have no signatures. The first petition can be signed.
  ranked as (
    select *, row_number() over (order by status in ('draft', 'under_review'),
      lot + case when status = 'active' and visibility = 'public' then 0 else 0.001 end) as rank
    from judged
  ),
  shared as (
    select *, sum(case when rank = 1 or status in ('draft', 'under_review') then 0
      else (rank + 2) ^ -0.7 end) over (order by rank) as share
    from ranked
  )
  select *, case when rank = 1 then ${onePetition}
    else round(${total - onePetition} * share / max(share) over ())
      - round(${total - onePetition} * coalesce(lag(share) over (order by rank), 0)
        / max(share) over ()) end::integer as signature_count
  from shared
  order by n`;

const users = ({ onePetition }: WorldSize) => `
  insert into users (id, email, display_name, slug, bio, petition_count, email_verified_at, created_at)
  select pg_temp.user_id(n), 'user' || n || '@example.org', 'Signer ' || n, 'signer-' || n,
    case when n % 5 = 0 then 'I live by the river and care for what becomes of it.' end,
    coalesce(listed.petitions, 0), now(), '2021-01-01'::timestamptz + n * interval '20 seconds'
  from generate_series(1, ${onePetition}) n
  left join (
    select creator, count(*)::integer as petitions from plan
    where visibility = 'public' and status in ('active', 'closed', 'victory') group by creator
  ) listed on listed.creator = n
  order by n`;

const sentences = [
  'The path along the river is the safest way home for many of us, and since the gates are locked at eight we take the road.',
  'Nine of ten people who answered the survey of last spring want it to stay as it is.',
  'The council says that it would cost too much; other cities of our size have shown that it need not.',
  'Two people were hurt there this winter alone, and nobody has told us what will change.',
  'Our school has taught here for sixty years, and every family in the valley knows somebody who learned to read in it.',
  'We do not ask for much: a date, a plan that everybody can read, and somebody who answers for it.',
  'The trees are older than the houses around them, and once they are gone no budget brings them back.',
  'Those who need the bus most are those who cannot drive, and they were never asked.',
  'In the last budget there was money for a second car park, which stands empty on most days.',
  'We ask the minister to publish the report and to hear those who live with what it decides.',
  'It takes one vote of the committee, and the committee meets before the summer.',
];

const petitions = `
  insert into petitions (id, slug, creator_id, title, description, status, visibility,
    signature_count, signature_goal, trend, category_id, tags, tag_keys, location_city,
    location_country, created_at, published_at, closed_at)
  select p.id, 'petition-number-' || n, pg_temp.user_id(creator),
    'Petition number ' || n || ': keep what is good and mend what is not',
    (select string_agg(s[1 + (n * k + k * k) % ${sentences.length}], ' ') from generate_series(1, 8) k),
    status, visibility, signature_count, case when n % 3 = 0 then 10000 end,
    case when signature_count = 0 then 0
      else extract(epoch from created_at) / 86400 + lot * 60 + ln(signature_count) / ln(2) end,
    c.ids[1 + category],
    array['Topic ' || floor(tag * 200), 'Place ' || n % 50], array['topic ' || floor(tag * 200), 'place ' || n % 50],
    'Leeds', 'GB', created_at,
    case when status not in ('draft', 'under_review') then created_at + lot * interval '3 days' end,
    case when status in ('closed', 'victory') then created_at + interval '90 days' end
  from plan p,
    (select array_agg(id order by slug) as ids from categories) c,
    (select array[${sentences.map((text) => `'${text}'`).join(', ')}] as s) text
  order by n`;

/** Signers of a petition are consecutive users from a random first one, so that none signs twice. */
const signatures = ({ onePetition }: WorldSize) => `
  insert into signatures
    (id, petition_id, user_id, version, is_anonymous, comment, display_location, created_at)
  select pg_temp.id_at(at, s || ' of petition ' || n), id,
    pg_temp.user_id(1 + (floor(tag * ${onePetition})::bigint + s) % ${onePetition}), 1,
    s % 10 = 0, case when s % 4 = 0 then 'I walk there every night, and so do my children.' end,
    case when s % 2 = 0 then 'Leeds, GB' end, at
  from plan, generate_series(1, signature_count) s,
    lateral (select created_at + interval '3 days' + s * (interval '60 days' / signature_count) as at) t
  order by n, s`;
