-- Forms that were sent without a login, until their senders have logged in. A new table: locks nothing that grows.
create table kept_forms (
  -- Keyed hash of the token in the sender's cookie.
  token_hash bytea primary key,
  -- Name of the form's route.
  form text not null,
  -- Path, parameters and values, encrypted by a key of the token.
  content bytea not null,
  created_at timestamptz(3) not null default now()
);
create index on kept_forms (created_at);
