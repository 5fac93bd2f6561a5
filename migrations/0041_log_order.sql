-- The log has events in the order in which they are told. A transaction gets its number with the first row that it
-- locks or writes, and may wait for a petition afterwards: others with higher numbers tell of that petition before it.
-- So an event is of the newest transaction that has ended when it is told, where that is newer than its own. Readers
-- pass over nothing by that: it is never of an older one than its own, which they wait for, nor of one yet to come.
create function told_in() returns xid8 language plpgsql volatile as $$
begin
  -- With a snapshot of its own: that of the statement is of before it waited.
  return greatest(pg_current_xact_id(),
    (pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1)::text::xid8);
end $$;
alter table events alter column transaction set default told_in();
