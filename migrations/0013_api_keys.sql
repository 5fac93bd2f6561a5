-- Keys by which programs act for the user who made them. Of a key's text only a keyed hash is stored,
-- and the prefix by which people recognise it.
create table api_keys (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  -- For which the key acts, as long as its maker is owner or admin there.
  org_id uuid references organizations on delete cascade,
  name text not null check (length(name) between 1 and 100),
  -- The highest counts.
  scopes text[] not null check (cardinality(scopes) > 0 and scopes <@ '{read,read_write,full}'),
  prefix text not null,
  key_hash bytea not null,
  -- The key before the last rotation, and until when it counts.
  previous_hash bytea,
  previous_expires_at timestamptz(3),
  expires_at timestamptz(3),
  -- Written by the minute: see src/identity/api-keys/last-uses.ts.
  last_used_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  check ((previous_hash is null) = (previous_expires_at is null))
);
create unique index api_keys_by_hash on api_keys (key_hash);
create unique index api_keys_by_previous_hash on api_keys (previous_hash)
  where previous_hash is not null;
create index api_keys_of_user on api_keys (user_id, id desc);
create index api_keys_of_org on api_keys (org_id) where org_id is not null;
