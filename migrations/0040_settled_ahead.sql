-- Checks that requests with an Idempotency-Key make at other services before their transaction, such as of a
-- CAPTCHA, by key and body: a repeated request makes them once. Without a WAL: after a crash of PostgreSQL they
-- are made again. 0099 renames the table to idempotent_checks.
create unlogged table settled_ahead (
  id bytea primary key check (length(id) = 32),
  begun_at timestamptz not null default now(),
  is_settled boolean not null default false
);
