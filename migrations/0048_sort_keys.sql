-- The orders "most signed" and "trending" follow the counts within 2 seconds (follower sort-keys). Their indexes on the
-- counts themselves made each signature write all indexes of a wide row: an update of an indexed column cannot be HOT.
alter table petitions
  add column sort_count integer not null default 0,
  add column sort_trend double precision not null default 0;

-- Before the keys are filled in, so that it misses no signature.
insert into event_followers (name, transaction, position)
values ('sort-keys', pg_snapshot_xmin(pg_current_snapshot()), 0)
on conflict (name) do nothing;

-- In small transactions: signers wait for the rows of one.
create procedure fill_sort_keys() language plpgsql as $$
declare last uuid := '00000000-0000-0000-0000-000000000000';
begin
  loop
    with batch as (
      select id from petitions where id > last order by id limit 500
    ), filled as (
      update petitions set sort_count = signature_count, sort_trend = trend
      where id in (select id from batch)
        and (sort_count, sort_trend) is distinct from (signature_count, trend)
    )
    select max(id::text)::uuid into last from batch;
    commit;
    exit when last is null;
  end loop;
end $$;

-- Imports and copies store a count at once.
create function set_sort_keys() returns trigger language plpgsql as $$
begin
  new.sort_count := new.signature_count;
  new.sort_trend := new.trend;
  return new;
end $$;
create trigger petitions_sort_keys_set before insert on petitions
  for each row when (new.signature_count > 0) execute function set_sort_keys();

-- Room on each page for the next version of a row.
alter table petitions set (fillfactor = 80);
