-- People who organize a petition with its creator, and who wrote an update. New tables, and a column without a default:
-- changes the catalog only, however many updates there are. What refers to users follows in a migration of its own, so that none
-- holds the lock of one table while it waits for that of another.
create table petition_organizers (
  id uuid primary key,
  petition_id uuid not null references petitions on delete cascade,
  email text check (length(email) <= 320),
  user_id uuid,
  role text not null check (role in ('editor', 'author')),
  token_hash bytea unique,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3),
  accepted_at timestamptz(3),
  hand_over_offered_at timestamptz(3),
  check ((user_id is null) = (accepted_at is null)),
  check (email is not null or user_id is not null),
  check (hand_over_offered_at is null or user_id is not null)
);
create unique index petition_organizers_by_user on petition_organizers (petition_id, user_id)
  where user_id is not null;
create unique index petition_organizers_by_address on petition_organizers (petition_id, lower(email));
create index petition_organizers_by_email on petition_organizers (lower(email));
create unique index petition_organizers_offered on petition_organizers (petition_id)
  where hand_over_offered_at is not null;
create index petition_organizers_user_id_idx on petition_organizers (user_id, petition_id)
  where user_id is not null;
create index petition_organizers_expiring on petition_organizers (expires_at) where user_id is null;
comment on table petition_organizers is
  'People who organize a petition beside its creator, and those who were invited to.';
comment on column petition_organizers.email is 'The address to which the invitation was mailed; null once the account of that address was erased.';
comment on column petition_organizers.user_id is 'Who accepted the invitation; null while it waits.';
comment on column petition_organizers.role is
  'Editors change text, pictures and decision makers and write updates; authors write updates.';
comment on column petition_organizers.token_hash is
  'Keyed hash of the token in the mail, which is derived from the id and stored nowhere.';
comment on column petition_organizers.expires_at is
  'When the invitation ends if nobody accepts it. Null once it was accepted.';
comment on column petition_organizers.hand_over_offered_at is
  'When the creator offered them the petition; null if not. At most one on a petition.';

alter table updates
  add column author_id uuid,
  add column author_erased boolean not null default false;
comment on column updates.author_id is
  'Who posted it. Null for updates of before the column existed, which are by the creator, and once the account was erased.';
comment on column updates.author_erased is 'The account of its author was erased.';

-- Replaces update_drafts, which had one draft for a petition. Processes of the former version go on using that table, so a
-- later migration drops it.
create table update_drafts_by_author (
  petition_id uuid not null references petitions on delete cascade,
  user_id uuid not null,
  title text not null check (length(title) <= 200),
  body text not null check (length(body) <= 10000),
  saved_at timestamptz(3) not null default now(),
  primary key (petition_id, user_id)
);
create index update_drafts_by_author_user_id_idx on update_drafts_by_author (user_id);
comment on table update_drafts_by_author is
  'What organizers of petitions have typed of an update, and not posted yet.';
with moved as (delete from update_drafts returning *)
insert into update_drafts_by_author (petition_id, user_id, title, body, saved_at)
  select d.petition_id, p.creator_id, d.title, d.body, d.saved_at
  from moved d join petitions p on p.id = d.petition_id where p.creator_id is not null;
comment on table update_drafts is 'Not used any more: update_drafts_by_author replaced it.';
