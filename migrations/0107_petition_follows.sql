-- Who follows which petition, to be reminded before it closes, and fan-outs to them. A new table, and a column with a
-- constant default: no row is written, however many there are.
create table petition_follows (
  petition_id uuid not null references petitions on delete cascade,
  user_id uuid not null references users on delete cascade,
  created_at timestamptz(3) not null default now(),
  primary key (petition_id, user_id)
);
create index petition_follows_of_user on petition_follows (user_id);
comment on table petition_follows is 'Who is reminded before a petition closes, unless they have signed it by then.';

alter table notification_fan_outs
  add column audience text not null default 'signers' check (audience in ('signers', 'followers'));
comment on column notification_fan_outs.after_id is
  'The last signature whose signer was notified; for followers, the last of them.';
