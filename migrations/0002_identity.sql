create table users (
  id uuid primary key,
  email text not null check (length(email) <= 254),
  -- argon2id in PHC form; null for accounts nobody logs in to, such as the creator of imports.
  password_hash text,
  display_name text not null check (length(display_name) between 1 and 100),
  slug text not null unique,
  bio text check (length(bio) <= 500),
  avatar_url text,
  role text not null default 'user' check (role in ('user', 'moderator', 'admin')),
  email_verified_at timestamptz(3),
  phone text,
  phone_verified_at timestamptz(3),
  notification_prefs jsonb not null default '{}',
  -- Listed petitions of the user, kept by a trigger of petitions.
  petition_count integer not null default 0,
  suspended_at timestamptz(3),
  created_at timestamptz(3) not null default now()
);
-- Addresses are compared without case.
create unique index users_email_key on users (lower(email));
-- Read twice a second by every process: moderators are few.
create index users_with_a_role on users (id, role) where role <> 'user';

-- Links in mails: stored as keyed hashes, gone when used.
create table one_time_tokens (
  token_hash bytea primary key,
  purpose text not null check (purpose in ('verify-email', 'reset-password')),
  user_id uuid not null references users on delete cascade,
  expires_at timestamptz not null
);
create index on one_time_tokens (user_id);
create index on one_time_tokens (expires_at);

create table phone_verifications (
  user_id uuid primary key references users on delete cascade,
  phone text not null,
  code_hash bytea,
  tries smallint not null default 0,
  expires_at timestamptz not null
);

-- A session is the family of refresh tokens that began with one login.
create table sessions (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  created_at timestamptz(3) not null default now(),
  ended_at timestamptz(3)
);
create index on sessions (user_id);

create table refresh_tokens (
  token_hash bytea primary key,
  session_id uuid not null references sessions on delete cascade,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index on refresh_tokens (session_id);
create index on refresh_tokens (expires_at);

-- Access tokens that count no longer although they have not expired: by token, session or user id.
-- Every process reads what changed twice a second.
create table withdrawn_credentials (
  id uuid primary key,
  reason text not null check (reason in ('ended', 'suspended', 'restored')),
  expires_at timestamptz not null,
  changed_at timestamptz not null default clock_timestamp()
);
create index on withdrawn_credentials (changed_at);
create index on withdrawn_credentials (expires_at);

-- Keys that sign tokens; the private part is encrypted with a key derived from SECRET.
create table signing_keys (
  kid text primary key,
  public_jwk jsonb not null,
  private_sealed bytea not null,
  created_at timestamptz not null default clock_timestamp()
);
