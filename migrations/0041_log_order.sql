-- Keeps the event log in the order in which events are stored. A transaction gets its number with the first row that it
-- locks or writes, and may wait for a petition afterwards: others with higher numbers store events of that petition first.
-- So an event has the number of the newest transaction that has ended when it is stored, if that is higher than its own.
-- Readers still miss nothing: it is never lower than its own, for which they wait, and never one in the future.
-- 0099 renames the function to event_transaction().
create function told_in() returns xid8 language plpgsql volatile as $$
begin
  -- With a snapshot of its own: that of the statement is of before it waited.
  return greatest(pg_current_xact_id(),
    (pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1)::text::xid8);
end $$;
alter table events alter column transaction set default told_in();
