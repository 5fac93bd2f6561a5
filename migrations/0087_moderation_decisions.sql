-- What moderators decided about people's content, and complaints about it. New tables: locks nothing that grows.
create table moderation_decisions (
  id uuid primary key,
  -- What was done, such as hide_comment.
  act text not null,
  target_type text not null,
  target_id uuid not null,
  petition_id uuid,
  -- Whom it concerns: null if nobody is told, or once the account was erased.
  user_id uuid,
  -- What the person is told, in the moderator's words. Erased with the account.
  reason text check (length(reason) between 1 and 2000),
  -- The reason of the report that led to it.
  rule text,
  -- The reports that it resolved. Their reporters are told.
  report_ids uuid[] not null default '{}',
  moderator_id uuid,
  created_at timestamptz(3) not null default now(),
  -- Until when people can complain.
  expires_at timestamptz(3) not null default now() + interval '6 months'
);
create index moderation_decisions_about_user on moderation_decisions (user_id, id);
create index moderation_decisions_by_moderator on moderation_decisions (moderator_id);

create table complaints (
  id uuid primary key,
  decision_id uuid not null references moderation_decisions,
  side text not null check (side in ('author', 'reporter')),
  -- Who complains: null once the account was erased, and so is the text.
  user_id uuid,
  text text check (length(text) between 1 and 2000),
  status text not null default 'open' check (status in ('open', 'upheld', 'reversed')),
  decided_by uuid,
  decision_reason text check (length(decision_reason) between 1 and 2000),
  -- Whether the moderator of the decision also decided about the complaint.
  same_moderator boolean not null default false,
  created_at timestamptz(3) not null,
  decided_at timestamptz(3),
  unique (decision_id, side),
  check ((status = 'open') = (decided_at is null))
);
create index complaints_by_status on complaints (status, id);
create index complaints_by_user on complaints (user_id, id);
create index complaints_decided_by on complaints (decided_by);

-- Mails decisions from now on, also those of before its first process starts.
insert into event_followers (name, transaction, position)
values ('decision-mails', pg_snapshot_xmin(pg_current_snapshot()), 0);
