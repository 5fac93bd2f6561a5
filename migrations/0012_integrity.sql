-- What tells honest signatures from others, in as few bytes as can be: origin fills eight, country and
-- device four, and invalidated_by the other four where it is set. All are null in older rows.
alter table signatures
  -- Keyed hashes of the signer's address, of this petition only: the 40 high bits of its wider network
  -- (/24, or /48 of IPv6), the 24 low ones of the address in it (of IPv6 its /64). Never the address.
  add column origin bigint,
  -- Of the address, ISO 3166-1 alpha-2.
  add column country text,
  -- A hint from the User-Agent: phone, tablet, desktop, bot or unknown.
  add column device "char" check (device in ('p', 't', 'd', 'b', 'u')),
  -- The number of the rule that invalidated the signature. Null in a valid one.
  add column invalidated_by integer;

-- Holds invalid signatures only, so that others pay nothing for it. Lists of valid ones go by the primary
-- key and pass over those that are not.
create index signatures_invalid on signatures (petition_id, invalidated_by, id)
  where invalidated_by is not null;

alter table petitions
  -- Rows of signatures that are invalid; signature_count is without them.
  add column invalid_signature_count integer not null default 0
    check (invalid_signature_count >= 0),
  -- The origins and devices of its signatures were cleared, since it has long been closed.
  add column origins_forgotten boolean not null default false;
create index petitions_with_origins on petitions (least(closed_at, deleted_at))
  where not origins_forgotten and (closed_at is not null or deleted_at is not null);

-- The weight that is added may now be of many signatures together, each counted as 2^(days between it
-- and the newest of them).
drop function trend_after(double precision, integer, timestamptz);
create function trend_after(trend double precision, added double precision, at timestamptz)
returns double precision language sql stable as $$
  with day as (select extract(epoch from at)::double precision / 86400 as t),
  base as (select t, greatest(trend, t) as m from day),
  total as (select m, 2 ^ greatest(trend - m, -1000) + added * 2 ^ greatest(t - m, -1000) as s from base)
  select case when s < 1e-9 then 0 else m + ln(s) / ln(2) end from total
$$;

-- Milestones that do not hold because of invalid signatures: the count is below them, or they were
-- reached by one of those. A threshold whose milestone is here can be reached again.
create table voided_milestones (
  petition_id uuid not null references petitions on delete cascade,
  threshold integer not null,
  signature_id uuid not null,
  reached_at timestamptz(3) not null,
  primary key (petition_id, threshold, signature_id)
);

-- Each a rule by which signatures of a petition were invalidated, and how far its job has come.
create table invalidations (
  id uuid primary key,
  -- What signatures carry of it, since there may be many.
  number integer not null generated always as identity unique,
  petition_id uuid not null references petitions on delete cascade,
  -- Conditions, all of which a signature meets. Of a network the hash, as 10 hexadecimal digits, or of
  -- one address in it, as 16.
  network text check (network ~ '^[0-9a-f]{10}([0-9a-f]{6})?$'),
  country text,
  domain text,
  disposable boolean not null,
  signed_from timestamptz(3),
  signed_until timestamptz(3),
  -- Mail domains that domain and disposable stand for, as they were known when the rule was made.
  domains text[],
  reason text not null check (length(reason) between 1 and 1000),
  state text not null default 'applying'
    check (state in ('applying', 'applied', 'undoing', 'undone')),
  -- Valid signatures that met it when it was made; those that were invalidated, and restored, so far.
  matched integer not null,
  invalidated integer not null default 0,
  restored integer not null default 0,
  -- The last signature that its job has looked at, and that of the last signer who was told.
  looked_at uuid,
  told uuid,
  created_by uuid references users on delete set null,
  undone_by uuid references users on delete set null,
  created_at timestamptz(3) not null default now(),
  applied_at timestamptz(3),
  undone_at timestamptz(3),
  check (network is not null or country is not null or domains is not null
    or signed_from is not null or signed_until is not null)
);
create index invalidations_of_petition on invalidations (petition_id, id desc);
-- One after the other, so that counts and milestones have one story to tell.
create unique index invalidations_one_at_a_time on invalidations (petition_id)
  where state in ('applying', 'undoing');

-- Networks that many people share, such as a school's or a carrier's, with the signatures that each
-- address of them may give in an hour.
create table shared_networks (
  id uuid primary key,
  network cidr not null unique,
  note text not null check (length(note) between 1 and 200),
  hourly_limit integer not null check (hourly_limit between 1 and 100000),
  created_at timestamptz(3) not null default now()
);
