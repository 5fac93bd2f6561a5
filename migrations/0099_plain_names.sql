-- Names that say what a function and a table are for. Changes the catalog only: the default of events.transaction follows
-- the function, so that the log is not locked, and the table is a small one of requests in progress. Processes of the
-- version before go on under the old names; a migration of a later version drops these.
alter function told_in() rename to event_transaction;
create or replace function event_transaction() returns xid8 language plpgsql volatile as $$
begin
  -- Volatile, so that it takes a snapshot of its own: the one of the statement is from before it waited for locks.
  return greatest(pg_current_xact_id(),
    (pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1)::text::xid8);
end $$;
create function told_in() returns xid8 language plpgsql volatile as $$
begin
  return event_transaction();
end $$;

alter table settled_ahead rename to idempotent_checks;
alter table idempotent_checks rename column is_settled to is_done;
alter index settled_ahead_pkey rename to idempotent_checks_pkey;
alter table idempotent_checks rename constraint settled_ahead_id_check to idempotent_checks_id_check;
create view settled_ahead as select id, begun_at, is_done as is_settled from idempotent_checks;
