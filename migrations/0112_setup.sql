-- The link by which a new instance is set up. A new table: locks nothing that grows.
create table site_setup (
  is_only boolean primary key default true check (is_only),
  id uuid not null,
  token_hash bytea not null,
  created_at timestamptz(3) not null,
  used_at timestamptz(3)
);
comment on table site_setup is
  'The one link by which a new instance gets its first administrator and its settings. Instances of before have none.';
