-- An address stands once on a petition, compared without case as addresses are everywhere.
delete from decision_makers later using decision_makers first
where later.petition_id = first.petition_id and lower(later.email) = lower(first.email)
  and later.id > first.id;
create unique index decision_makers_once on decision_makers (petition_id, lower(email));
-- Null once the account of the petition's creator, who knew the address, was erased.
alter table decision_makers alter email drop not null;

-- A link to the portal, made by each delivery.
create table decision_maker_links (
  id uuid primary key,
  -- Null once the decision maker was taken off the petition: the link is then known to have ended.
  decision_maker_id uuid references decision_makers on delete set null,
  -- Keyed hash of the token, which follows from the id and SECRET and is stored nowhere.
  token_hash bytea not null unique,
  -- What is attached to the mail.
  summary text not null check (summary in ('pdf', 'csv', 'none')),
  -- The creator's words in the mail; gone once it was sent.
  message text check (length(message) <= 2000),
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  -- Handed to the mail server, or refused by it for good.
  sent_at timestamptz(3),
  failed_at timestamptz(3),
  opened_at timestamptz(3),
  -- When a newer delivery ended it.
  replaced_at timestamptz(3),
  check (sent_at is null or failed_at is null),
  check (message is null or (sent_at is null and failed_at is null))
);
create index on decision_maker_links (decision_maker_id);
-- One link of a decision maker works at a time, whoever delivers at once.
create unique index decision_maker_links_current on decision_maker_links (decision_maker_id)
  where replaced_at is null;
-- Mails that have not gone out yet: few at any time.
create index decision_maker_links_pending on decision_maker_links (decision_maker_id)
  where sent_at is null and failed_at is null and replaced_at is null;

create table decision_maker_responses (
  id uuid primary key,
  petition_id uuid not null references petitions on delete cascade,
  -- Whoever has responded stays on the petition, and responds once.
  decision_maker_id uuid not null constraint decision_maker_responses_once unique
    references decision_makers,
  body text not null check (length(body) between 1 and 10000),
  status text check (status in ('acknowledged', 'supportive', 'opposed', 'neutral')),
  created_at timestamptz(3) not null default now(),
  published_at timestamptz(3)
);
create index on decision_maker_responses (petition_id, id desc);
-- Those that are published by themselves when their time has come.
create index decision_maker_responses_due on decision_maker_responses (created_at)
  where published_at is null;
