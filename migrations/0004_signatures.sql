-- A row is written once and read by page, so it carries no more indexes than these queries need:
-- the list of a petition, newest first (primary key; ids sort by time); has this user signed, and what
-- has this user signed (unique); one signature by its id, which only administrators ask for (brin:
-- ids arrive nearly in order, so a few pages are read and almost nothing is written).
create table signatures (
  id uuid not null,
  petition_id uuid not null,
  -- Null once the signer's account was erased.
  user_id uuid,
  -- Of the petition's text that was signed.
  version integer not null,
  is_anonymous boolean not null,
  comment text check (length(comment) <= 500),
  display_location text,
  created_at timestamptz(3) not null default now(),
  primary key (petition_id, id),
  constraint signatures_once unique (user_id, petition_id)
);
create index signatures_by_id on signatures using brin (id uuid_minmax_ops)
  with (pages_per_range = 16, autosummarize = on);

-- Each threshold is reached once in a petition's life, by one signature.
create table milestones (
  petition_id uuid not null references petitions on delete cascade,
  threshold integer not null,
  signature_id uuid not null,
  reached_at timestamptz(3) not null default now(),
  primary key (petition_id, threshold)
);
