-- Challenges whose solution was accepted, each until it has expired, so that none counts twice. Without a
-- WAL: a signature then waits for no second flush to disk. A crash of PostgreSQL empties it, and with it
-- what could be used again within the minutes for which a challenge counts.
create unlogged table used_challenges (
  nonce bytea primary key check (length(nonce) = 16),
  expires_at timestamptz not null
);
