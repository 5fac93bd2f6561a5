-- Preferences are switches by kind of notification, of which only those are stored that were set.
update users set notification_prefs = '{"in_app": {}, "email": {}}';
alter table users
  alter column notification_prefs set default '{"in_app": {}, "email": {}}',
  add constraint users_notification_prefs check (
    jsonb_typeof(notification_prefs -> 'in_app') is not distinct from 'object'
    and jsonb_typeof(notification_prefs -> 'email') is not distinct from 'object'
  );

-- What is told, once however many people it is told to.
create table notices (
  id uuid primary key,
  event_id uuid not null,
  type text not null,
  -- Of several unread notices of one group, a person sees one that says how many.
  group_id uuid,
  petition_id uuid,
  -- Title of the petition, name of the organization.
  about text not null,
  -- Title of the update, reason of a rejection.
  detail text,
  -- Ids by which clients link, as the API shows them.
  data jsonb not null,
  created_at timestamptz(3) not null,
  unique (event_id, type)
);
create index on notices (created_at);
create index notices_of_petition on notices (petition_id) where petition_id is not null;
create index notices_of_organization on notices ((data ->> 'org_id')) where data ? 'org_id';

-- What goes for good, as drafts and unsigned petitions of an erased account do, is named no more.
create function forget_petition_in_notices() returns trigger language plpgsql as $$
begin
  update notices set about = 'a petition that is gone', detail = null, data = data - 'slug'
  where petition_id = old.id;
  return null;
end $$;
create trigger petitions_forgotten_in_notices after delete on petitions
  for each row execute function forget_petition_in_notices();
create trigger petitions_deleted_in_notices after update of deleted_at on petitions
  for each row when (new.deleted_at is not null) execute function forget_petition_in_notices();

create index notices_of_update on notices ((data ->> 'update_id')) where data ? 'update_id';
create function forget_update_in_notices() returns trigger language plpgsql as $$
begin
  update notices set detail = null
  where data ->> 'update_id' = old.id::text and data ? 'update_id';
  return null;
end $$;
create trigger updates_forgotten_in_notices after delete on updates
  for each row execute function forget_update_in_notices();

create function forget_organization_in_notices() returns trigger language plpgsql as $$
begin
  update notices set about = 'an organization that is gone', data = data - 'slug'
  where data ->> 'org_id' = old.id::text and data ? 'org_id';
  return null;
end $$;
create trigger organizations_forgotten_in_notices after delete on organizations
  for each row execute function forget_organization_in_notices();

-- One row for everybody who was ever told anything. Whoever changes what is told to a person locks
-- this row first, in the order of user ids; so the sums are exact and nobody deadlocks.
create table notification_inboxes (
  user_id uuid primary key references users on delete cascade,
  total integer not null default 0,
  unread integer not null default 0,
  -- When the next mail to this person is to go out; while one is being sent, when that is given up.
  mail_due_at timestamptz,
  mailed_at timestamptz,
  -- Tries in a row that failed.
  mail_failures smallint not null default 0,
  check (unread between 0 and total)
) with (fillfactor = 80);
create index notification_mails_due on notification_inboxes (mail_due_at)
  where mail_due_at is not null;

-- The id of a notification to one person: the notice's with an end of its own, so that notifications
-- sort as what they tell has happened. newId() counts in the bytes before (RFC 9562, section 6.2).
create function notification_id(notice_id uuid) returns uuid language sql volatile as $$
  select encode(overlay(uuid_send(notice_id)
    placing substring(uuid_send(gen_random_uuid()) from 12) from 12), 'hex')::uuid
$$;

create table notifications (
  user_id uuid not null references notification_inboxes on delete cascade,
  -- Another one whenever something is folded into the notification, which so moves to the top.
  id uuid not null,
  -- The newest of those that are folded into it.
  notice_id uuid not null,
  group_id uuid,
  count integer not null default 1 check (count >= 1),
  created_at timestamptz(3) not null default now(),
  read_at timestamptz(3),
  primary key (user_id, id),
  constraint notifications_once unique (user_id, notice_id)
);
create index notifications_unread on notifications (user_id, id) where read_at is null;
create unique index notifications_folded on notifications (user_id, group_id)
  where read_at is null and group_id is not null;
-- Rows arrive in the order of time, so what is too old is found by a few pages.
create index notifications_by_age on notifications using brin (created_at);

-- What waits to be told by mail.
create table notification_mails (
  user_id uuid not null references notification_inboxes on delete cascade,
  notice_id uuid not null,
  primary key (user_id, notice_id)
);

-- Notices on their way to everybody who signed a petition, and how far each has come in the order of
-- the signatures' ids.
create table notification_fan_outs (
  notice_id uuid primary key references notices on delete cascade,
  petition_id uuid not null references petitions on delete cascade,
  -- Who did it, or was told already.
  except_ids uuid[] not null,
  after_id uuid not null default '00000000-0000-0000-0000-000000000000',
  stepped_at timestamptz not null default clock_timestamp()
);
create index on notification_fan_outs (petition_id);
