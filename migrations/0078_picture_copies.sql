-- Copies of pictures of other hosts (src/campaigns/media/copies.ts): pages show these, so that no other host learns who reads
-- what. A new table: locks nothing that grows. A backfill asks for the copies of existing addresses.
create table picture_copies (
  -- SHA-256 of the address: addresses may be longer than an index entry should be.
  url_hash bytea primary key check (octet_length(url_hash) = 32),
  url text not null,
  -- Names the files, as in `media`.
  token text not null unique check (token ~ '^[0-9a-f]{32}$'),
  status text not null default 'wanted' check (status in ('wanted', 'ready', 'failed')),
  -- Why there is no copy, in words for people.
  failure text check ((failure is not null) = (status = 'failed')),
  -- [{size, width, height}], smallest first, as in `media`.
  variants jsonb not null default '[]',
  -- Attempts that failed and may succeed later.
  attempts integer not null default 0,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  check ((status = 'ready') = (variants <> '[]'))
);
