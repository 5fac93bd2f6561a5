-- A log that was restored to another server (pg_restore) has numbers of transactions that this one has yet to come to:
-- what is told here would stand before it, and followers that have come so far would see nothing of that. This numbers
-- the log anew, below all that is told from now on, and with it the places in it that are remembered. Events stay in
-- their order, and keep their ids. Asked for at each start (src/platform/migrate.ts); where nothing lies beyond, it
-- looks at an index and goes.
create function renumber_restored_log() returns void language plpgsql as $$
declare
  newest xid8 := greatest(
    (select transaction from events order by transaction desc limit 1),
    (select transaction from event_followers order by transaction desc limit 1));
  -- After the newest was looked up, since others may be telling of more meanwhile.
  next_here xid8 := pg_snapshot_xmax(pg_current_snapshot());
  last_restored bigint;
begin
  if newest is null or newest <= next_here then
    return;
  end if;
  -- Processes of a version that did not know of this may be at work.
  lock table event_followers, events in access exclusive mode;
  next_here := pg_snapshot_xmax(pg_current_snapshot());
  -- Positions go on from where they were: what has a higher one was told here since.
  last_restored := coalesce(
    (select max(position) from events where transaction > next_here), 9223372036854775807);
  create temporary table restored_log as
    select row_number() over (order by position > last_restored, transaction, position) as place, *
    from events;
  create index on restored_log (id);
  create index on restored_log (petition_id, position);
  analyze restored_log;

  update event_followers f set transaction = '1', position = coalesce((
    select max(l.place) from restored_log l
    where (l.transaction, l.position) <= (f.transaction, f.position)
      and (l.position <= last_restored or f.transaction <= next_here)), 0);
  -- Null where the event is not in the log any more.
  update webhook_payloads p set (transaction, position) = (
    select '1'::xid8, l.place from restored_log l where l.id = p.event_id)
  where p.transaction is not null;
  -- As if they had been made anew now: kept until the follower has passed all that is restored.
  update rebuilt_sums r set transaction = next_here, position = coalesce((
    select max(l.place) from restored_log l
    where l.petition_id = r.petition_id and l.position <= r.position), 0);

  truncate events;
  insert into events (transaction, position, id, type, petition_id, actor_type, actor_id, data,
    created_at)
  overriding system value
  select '1', place, id, type, petition_id, actor_type, actor_id, data, created_at
  from restored_log
  order by place;
  perform brin_summarize_new_values('events_by_id');
  drop table restored_log;
end $$;

select renumber_restored_log();
