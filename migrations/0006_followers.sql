-- How far each follower of events has come: see src/platform/followers.ts.
create table event_followers (
  name text primary key,
  transaction xid8 not null,
  position bigint not null,
  updated_at timestamptz not null default now()
);
