-- Keys of the service, sealed by SECRET (src/platform/sealed-keys.ts).
create table sealed_keys (
  name text primary key,
  sealed bytea not null,
  created_at timestamptz not null default now()
);
