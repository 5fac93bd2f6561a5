-- Changes of an account's address: confirmed by the new one, undone from the old one for seven days, in which that stays
-- reserved. A new table: locks nothing that grows.
create table address_changes (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  old_email text not null,
  new_email text not null check (length(new_email) <= 254),
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null default now() + interval '24 hours',
  confirmed_at timestamptz(3),
  undone_at timestamptz(3)
);
create index on address_changes (user_id);
create index address_changes_reserved on address_changes (lower(old_email))
  where confirmed_at is not null and undone_at is null;
create index on address_changes (created_at);
