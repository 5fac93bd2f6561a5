-- Links by which a petition is shared: one for each person and channel, and one in each channel for all who
-- share without an account. signatures.share_id refers to them, and to some that went with their account.
create table shares (
  id uuid primary key,
  petition_id uuid not null references petitions on delete cascade,
  -- Null for those without an account.
  user_id uuid references users on delete cascade,
  channel text not null
    check (channel in ('facebook', 'x', 'whatsapp', 'email', 'link', 'qr', 'other')),
  -- What a link says of it.
  ref text collate "C" not null unique,
  -- A person's: days in UTC on which it was shared, and the last of them. Others: how often.
  share_count integer not null default 1,
  last_shared_on date not null,
  visits integer not null default 0,
  -- Valid ones that came by it, as far as events have been followed.
  signatures integer not null default 0,
  created_at timestamptz(3) not null default now(),
  constraint shares_once unique nulls not distinct (petition_id, user_id, channel)
);
create index on shares (user_id);

-- How many users, but for hidden ones, share a petition so often: a rank is a sum of a few rows.
-- Made before sharers, so that it goes first where a petition goes: there is then nothing to count down.
create table sharer_levels (
  petition_id uuid not null references petitions on delete cascade,
  share_count integer not null,
  sharers integer not null,
  primary key (petition_id, share_count)
);

-- How often people shared a petition, for its leaderboard.
create table sharers (
  petition_id uuid not null references petitions on delete cascade,
  user_id uuid not null references users on delete cascade,
  share_count integer not null,
  -- When it came to that number: of those who share as often, the first stand first.
  since timestamptz(3) not null,
  -- Suspended.
  hidden boolean not null default false,
  primary key (user_id, petition_id)
);
create index sharers_by_rank on sharers (petition_id, hidden, share_count desc, since, user_id);

-- Counts grow, so the lower level comes first: all lock in one order.
create function count_sharer() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' and not old.hidden then
    update sharer_levels set sharers = sharers - 1
    where petition_id = old.petition_id and share_count = old.share_count;
  end if;
  if tg_op <> 'DELETE' and not new.hidden then
    insert into sharer_levels (petition_id, share_count, sharers)
    values (new.petition_id, new.share_count, 1)
    on conflict (petition_id, share_count) do update set sharers = sharer_levels.sharers + 1;
  end if;
  return null;
end $$;
create trigger sharers_counted after insert or update or delete on sharers
  for each row execute function count_sharer();

-- Hides a user in all leaderboards, or shows them again: one after the other, in the order of petitions, so
-- that two of these cannot wait for each other.
create function hide_sharer(sharer uuid, hide boolean) returns void language plpgsql as $$
declare
  shared uuid;
begin
  for shared in select petition_id from sharers where user_id = sharer order by petition_id loop
    update sharers set hidden = hide
    where user_id = sharer and petition_id = shared and hidden <> hide;
  end loop;
end $$;

create function hide_suspended_sharer() returns trigger language plpgsql as $$
begin
  perform hide_sharer(new.id, new.suspended_at is not null);
  return null;
end $$;
create trigger users_suspended_as_sharers after update of suspended_at on users
  for each row when ((old.suspended_at is null) <> (new.suspended_at is null))
  execute function hide_suspended_sharer();

-- Shares of a petition on each day in UTC; they stay when a sharer's account goes.
create table share_days (
  petition_id uuid not null references petitions on delete cascade,
  day date not null,
  by_users integer not null,
  by_others integer not null,
  primary key (petition_id, day)
);
