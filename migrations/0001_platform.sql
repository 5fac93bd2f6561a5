-- What happens, in the order in which it became true. Rows are written in the transaction that
-- causes them and never change. A reader goes by (transaction, position) and stops before the oldest
-- transaction still under way, so that nothing that commits late is ever passed over: see
-- src/platform/events.ts.
create table events (
  transaction xid8 not null default pg_current_xact_id(),
  position bigint generated always as identity,
  id uuid not null default gen_random_uuid(),
  type text not null,
  petition_id uuid,
  actor_type text not null
    check (actor_type in ('user', 'api_key', 'decision_maker', 'admin', 'system')),
  actor_id uuid,
  data jsonb not null default '{}',
  created_at timestamptz(3) not null default now(),
  primary key (transaction, position)
);

-- Workers say here that they live; a dead one's jobs are given to others (src/platform/jobs.ts).
create table job_workers (
  id text primary key,
  seen_at timestamptz not null default now()
);

-- Answers kept for 24 hours under the caller's Idempotency-Key. The key is stored as a keyed hash and
-- the answer encrypted with a key that only the caller's own key opens.
create table idempotency_keys (
  key_hash bytea primary key,
  request_hash bytea not null,
  answer bytea not null,
  created_at timestamptz not null default now()
);
create index on idempotency_keys (created_at);

-- Every act of a moderator or administrator. Nothing changes or removes a line, the database included.
create table audit_log (
  id uuid primary key,
  actor_id uuid,
  action text not null,
  target_type text not null,
  target_id uuid,
  details jsonb not null default '{}',
  created_at timestamptz(3) not null default now()
);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name;
end $$;
create trigger audit_log_is_append_only before update or delete or truncate on audit_log
  for each statement execute function refuse_change();
