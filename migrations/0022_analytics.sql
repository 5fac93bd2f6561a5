-- Sums of signatures, kept by a follower of events (src/reach/analytics): what was withdrawn or found
-- invalid is taken away from the hour in which it was given. No foreign keys: an event may be followed
-- when its petition is gone, and rows that come to nothing are removed.
create table signature_hours (
  petition_id uuid not null,
  hour timestamptz(0) not null,
  count integer not null,
  primary key (petition_id, hour)
);

-- By the city, region or country that is known (src/platform/places.ts), for maps of the last week.
create table signature_place_hours (
  petition_id uuid not null,
  hour timestamptz(0) not null,
  place text not null,
  count integer not null,
  primary key (petition_id, hour, place)
);
-- For removing what is older.
create index on signature_place_hours (hour);

-- By region, such as GB.ENG, or country; '' where neither is known.
create table signature_region_days (
  petition_id uuid not null,
  day date not null,
  region text not null,
  count integer not null,
  primary key (petition_id, day, region)
);

create table signature_source_days (
  petition_id uuid not null,
  day date not null,
  source text not null,
  count integer not null,
  primary key (petition_id, day, source)
);

-- The same of all petitions together.
create table all_place_hours (
  hour timestamptz(0) not null,
  place text not null,
  count integer not null,
  primary key (hour, place)
);
create table all_country_days (
  day date not null,
  country text not null,
  count integer not null,
  primary key (day, country)
);

-- Whose sums were made anew from the rows: they hold everything told of the petition up to that event,
-- which the follower passes over. Of one petition, positions are in the order of commits, since whoever
-- tells of its signatures holds its row. Kept until the follower has come to that transaction.
create table rebuilt_sums (
  petition_id uuid primary key,
  position bigint not null,
  transaction xid8 not null
);

-- So that nothing is missed that happens before the first worker starts.
insert into event_followers (name, transaction, position)
values ('signature-sums', pg_snapshot_xmin(pg_current_snapshot()), 0);

-- Reads of a petition by others than its creator, by whence they came. A hundred sources a day, and the
-- rest together.
create table petition_views (
  petition_id uuid not null,
  day date not null,
  source text not null,
  views integer not null,
  primary key (petition_id, day, source)
);

create function forget_sums_of_petition() returns trigger language plpgsql as $$
begin
  delete from petition_views where petition_id = old.id;
  delete from rebuilt_sums where petition_id = old.id;
  return null;
end $$;
create trigger petitions_forgotten_in_sums after delete on petitions
  for each row execute function forget_sums_of_petition();
