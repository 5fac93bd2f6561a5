-- Applications that act for users (RFC 6749). The id is the client_id.
create table oauth_clients (
  id uuid primary key,
  owner_id uuid not null references users on delete cascade,
  name text not null check (length(name) between 1 and 100),
  redirect_uris text[] not null,
  -- Keyed hash. Null for public clients, which cannot keep a secret; they need somewhere to be sent
  -- back to, since the code flow is all that they can do.
  secret_hash bytea,
  scopes text[] not null check (cardinality(scopes) > 0),
  created_at timestamptz(3) not null default now(),
  check (secret_hash is not null or cardinality(redirect_uris) > 0)
);
create index oauth_clients_of_owner on oauth_clients (owner_id, id);

-- What a user has allowed an application, over all times that they were asked.
create table oauth_grants (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  client_id uuid not null references oauth_clients on delete cascade,
  scopes text[] not null,
  created_at timestamptz(3) not null default now(),
  last_used_at timestamptz(3),
  constraint oauth_grants_once unique (user_id, client_id)
);
create index oauth_grants_listed on oauth_grants (user_id, id);
create index on oauth_grants (client_id);

-- One code and the family of tokens that it gives. Whoever changes it locks its grant first.
create table oauth_authorizations (
  id uuid primary key,
  grant_id uuid not null references oauth_grants on delete cascade,
  code_hash bytea not null unique,
  redirect_uri text not null,
  -- S256 of the verifier (RFC 7636); null where a confidential client did without.
  code_challenge text,
  scopes text[] not null,
  exchanged_at timestamptz,
  -- Of the code; once that is exchanged, of the newest refresh token.
  expires_at timestamptz not null
);
create index on oauth_authorizations (grant_id);
create index on oauth_authorizations (expires_at);

-- Used ones are kept, so that one that comes back is known.
create table oauth_refresh_tokens (
  token_hash bytea primary key,
  authorization_id uuid not null references oauth_authorizations on delete cascade,
  used_at timestamptz
);
create index on oauth_refresh_tokens (authorization_id);
create index on oauth_refresh_tokens (used_at) where used_at is not null;
create unique index oauth_refresh_tokens_one_unused on oauth_refresh_tokens (authorization_id)
  where used_at is null;
