create table categories (
  id uuid primary key default gen_random_uuid(),
  name text not null check (length(name) between 1 and 100),
  slug text not null unique,
  created_at timestamptz(3) not null default now()
);
create unique index categories_name_key on categories (lower(name));

insert into categories (name, slug) values
  ('Animals', 'animals'),
  ('Arts and culture', 'arts-and-culture'),
  ('Consumer rights', 'consumer-rights'),
  ('Criminal justice', 'criminal-justice'),
  ('Economy and work', 'economy-and-work'),
  ('Education', 'education'),
  ('Environment', 'environment'),
  ('Food and farming', 'food-and-farming'),
  ('Health', 'health'),
  ('Human rights', 'human-rights'),
  ('Politics and government', 'politics-and-government'),
  ('Transport and cities', 'transport-and-cities');

-- How hot a petition is: log2 of the sum over its signatures of 2^(days since 1970 at signing). A
-- signature thus weighs half of one that is given a day later, and the order of petitions changes
-- only by signing, never by the passing of time alone. 0 stands for no signatures.
create function trend_after(trend double precision, added integer, at timestamptz)
returns double precision language sql stable as $$
  with day as (select extract(epoch from at)::double precision / 86400 as t),
  base as (select t, greatest(trend, t) as m from day),
  total as (select m, 2 ^ greatest(trend - m, -1000) + added * 2 ^ greatest(t - m, -1000) as s from base)
  select case when s < 1e-9 then 0 else m + ln(s) / ln(2) end from total
$$;

create table petitions (
  id uuid primary key,
  slug text not null unique,
  -- Null once the creator's account was erased.
  creator_id uuid references users on delete set null,
  title text not null check (length(title) between 5 and 200),
  description text not null check (length(description) between 50 and 50000),
  -- Of title and description; each signature remembers which it signed.
  version integer not null default 1,
  status text not null default 'draft'
    check (status in ('draft', 'under_review', 'active', 'closed', 'victory')),
  visibility text not null default 'public' check (visibility in ('public', 'private', 'unlisted')),
  signature_privacy text not null default 'public'
    check (signature_privacy in ('public', 'creator_only', 'count_only')),
  -- Rows in signatures, and those that an import brought as a number only. Changed in the statement
  -- that inserts or deletes the rows, so that it is exact at every moment.
  signature_count integer not null default 0 check (signature_count >= imported_signature_count),
  imported_signature_count integer not null default 0 check (imported_signature_count >= 0),
  signature_goal integer check (signature_goal >= 1),
  trend double precision not null default 0,
  category_id uuid references categories,
  tags text[] not null default '{}' check (cardinality(tags) <= 10),
  -- The tags in lower case, for filtering.
  tag_keys text[] not null default '{}',
  image_url text,
  location_city text,
  location_region text,
  location_country text,
  org_id uuid,
  victory_message text check (length(victory_message) <= 10000),
  created_at timestamptz(3) not null default now(),
  published_at timestamptz(3),
  closed_at timestamptz(3),
  deleted_at timestamptz(3),
  sort_at timestamptz(3) not null generated always as (coalesce(published_at, created_at)) stored,
  -- Shown in lists to everybody.
  listed boolean not null generated always as (
    visibility = 'public' and status in ('active', 'closed', 'victory') and deleted_at is null
  ) stored
) with (
  -- A hot petition's row is updated with each group of signatures: room on the page and early
  -- cleaning keep that cheap.
  fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000
);

create index petitions_recent on petitions (sort_at desc, id desc) where listed;
create index petitions_popular on petitions (signature_count desc, id desc) where listed;
create index petitions_trending on petitions (trend desc, id desc) where listed;
create index petitions_recent_by_status on petitions (status, sort_at desc, id desc) where listed;
create index petitions_recent_by_category on petitions (category_id, sort_at desc, id desc)
  where listed;
create index petitions_of_creator on petitions (creator_id, sort_at desc, id desc);
create index petitions_tags on petitions using gin (tag_keys) where listed;

create function count_listed_petitions() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' and old.listed then
    update users set petition_count = petition_count - 1 where id = old.creator_id;
  end if;
  if tg_op <> 'DELETE' and new.listed then
    update users set petition_count = petition_count + 1 where id = new.creator_id;
  end if;
  return null;
end $$;
-- Not fired by signing, which sets none of these columns.
create trigger petitions_counted_for_creator
  after insert or delete or update of status, visibility, deleted_at, creator_id on petitions
  for each row execute function count_listed_petitions();

-- What the text said: one row for each version that was ever published, and the draft's.
create table petition_versions (
  petition_id uuid not null references petitions on delete cascade,
  version integer not null,
  title text not null,
  description text not null,
  created_at timestamptz(3) not null default now(),
  primary key (petition_id, version)
);

create table decision_makers (
  id uuid primary key,
  petition_id uuid not null references petitions on delete cascade,
  name text not null check (length(name) between 1 and 200),
  title text check (length(title) <= 200),
  email text not null,
  created_at timestamptz(3) not null default now()
);
create index on decision_makers (petition_id);

-- Where an imported petition came from, so that importing again adds nothing.
create table petition_imports (
  source text not null,
  external_id text not null,
  petition_id uuid not null references petitions on delete cascade,
  primary key (source, external_id)
);
create index on petition_imports (petition_id);
