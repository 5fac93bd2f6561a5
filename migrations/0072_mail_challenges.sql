-- Proofs that somebody reads a mailbox: a link and a code, by which people sign in or confirm what needs a password otherwise.
-- A new table: locks nothing that grows.
create table mail_challenges (
  id uuid primary key,
  email text not null check (length(email) <= 254),
  -- Keyed hash of the mailbox, by which the newest ones are found.
  mailbox bytea not null,
  token_hash bytea not null unique,
  -- The path to go to afterwards.
  redirect text,
  language text not null,
  -- Name and password hash of who registered on the page, for the account that the answer opens.
  registration jsonb,
  -- Keyed hash of the browser that asked; null by API.
  browser_hash bytea,
  -- False if too many mails went to the mailbox: then it can never be answered.
  is_mailed boolean not null,
  -- Codes that were tried.
  tries smallint not null default 0,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null default now() + interval '15 minutes',
  used_at timestamptz(3)
);
create index on mail_challenges (mailbox, id desc);
create index on mail_challenges (expires_at);
