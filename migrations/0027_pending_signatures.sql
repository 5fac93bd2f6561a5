-- Signatures of people without a login, until they show that the address is theirs: by the link that is
-- mailed there, or by the code in the same mail. Both follow from the id and SECRET; of the link a keyed
-- hash is stored, by which it is found.
create table pending_signatures (
  id uuid primary key,
  petition_id uuid not null,
  email text not null check (length(email) <= 254),
  display_name text not null check (length(display_name) between 1 and 100),
  -- What is signed with: comment, place and the like, as the API takes it.
  input jsonb not null,
  -- The code of a private petition was shown.
  has_code boolean not null,
  language text not null,
  -- Keyed hash of the browser that sent the form; null where none did.
  browser_hash bytea,
  token_hash bytea not null unique,
  -- Codes that were tried, right or wrong.
  tries smallint not null default 0,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null default now() + interval '24 hours'
);
create index on pending_signatures (lower(email));
create index on pending_signatures (expires_at);
