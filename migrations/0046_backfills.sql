-- How far each backfill has come (src/platform/backfills.ts). A new table: no other one is locked, whatever its size.
create table backfills (
  name text primary key,
  -- Where the next step begins, as the backfill has it; null: at the start.
  cursor text,
  rows bigint not null default 0,
  total bigint,
  started_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  completed_at timestamptz
);
