-- Accounts that somebody opened with an address that was proven elsewhere since. A new table: changes the catalog only, however
-- many users there are. Its foreign keys lock users against writes for a moment.
create table quarantined_accounts (
  user_id uuid primary key references users on delete cascade,
  owner_id uuid references users on delete set null,
  display_name text not null,
  bio text,
  avatar_url text,
  quarantined_at timestamptz(3) not null default now(),
  shown_at timestamptz(3)
);
create index quarantined_accounts_of_owner on quarantined_accounts (owner_id);
create index quarantined_accounts_by_time on quarantined_accounts (quarantined_at);
create index quarantined_accounts_by_avatar on quarantined_accounts (avatar_url)
  where avatar_url is not null;
comment on table quarantined_accounts is
  'Accounts whose address was proven for the first time by somebody else than who registered. They are hidden until the owner of the address keeps or deletes them.';
comment on column quarantined_accounts.user_id is
  'The account of before. Its address is a placeholder.';
comment on column quarantined_accounts.owner_id is
  'The account of who proved the address; null once that was erased.';
comment on column quarantined_accounts.display_name is
  'The profile of before, which the account itself shows no more.';
comment on column quarantined_accounts.quarantined_at is
  'Petitions of the account with this time in deleted_at were hidden with it.';
comment on column quarantined_accounts.shown_at is
  'When the owner was first asked what becomes of it; null if not yet.';
