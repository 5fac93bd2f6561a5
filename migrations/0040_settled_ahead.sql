-- What requests with an Idempotency-Key have asked of others before their transaction, by key and body, so
-- that it is asked once though the request be sent again: a token is judged once. Without a WAL: after a
-- crash of PostgreSQL it is asked anew.
create unlogged table settled_ahead (
  id bytea primary key check (length(id) = 32),
  begun_at timestamptz not null default now(),
  is_settled boolean not null default false
);
