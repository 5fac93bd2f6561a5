alter table petitions
  -- Since when it has been in its state, so that what waits longest comes first in a moderator's queue.
  -- Rows from before have the time of this migration, and their ids tell their order.
  add column status_since timestamptz(3) not null default now(),
  -- It is under review for no other reason than that its creator was suspended.
  add column hidden_with_creator boolean not null default false,
  add check (not hidden_with_creator or status = 'under_review');
create index petitions_by_status on petitions (status, status_since, id) where deleted_at is null;

alter table comments
  -- It is hidden for no other reason than that its author was suspended.
  add column hidden_with_author boolean not null default false,
  add check (not hidden_with_author or is_hidden);

-- Addresses by their first letters: comparisons with a range need the order of bytes.
create index users_by_email on users ((lower(email) collate "C"));

create table reports (
  id uuid primary key,
  target_type text not null check (target_type in ('petition', 'comment', 'user')),
  -- The target may be gone: a report outlives it.
  target_id uuid not null,
  -- Null once the account of the reporter was erased.
  reporter_id uuid references users on delete set null,
  reason text not null
    check (reason in ('spam', 'harassment', 'hate_speech', 'misinformation', 'other')),
  description text check (length(description) <= 1000),
  status text not null default 'open' check (status in ('open', 'actioned', 'dismissed')),
  -- What a moderator decided by a report; null where the target was judged in another way.
  action text
    check (action in ('dismiss', 'hide_content', 'suspend_user', 'warn_user', 'remove_petition')),
  resolved_by uuid,
  created_at timestamptz(3) not null default now(),
  resolved_at timestamptz(3),
  check ((status = 'open') = (resolved_at is null)),
  check (status <> 'open' or (action is null and resolved_by is null))
);
-- While a person's report of a thing is open, there is no second one, however often it is sent.
create unique index reports_once on reports (reporter_id, target_type, target_id)
  where status = 'open';
create index reports_of_user on reports (reporter_id, id);
create index reports_on_target on reports (target_type, target_id, status);
-- The moderators' queue: all, and of one kind of target.
create index reports_by_status on reports (status, id);
create index reports_by_status_and_type on reports (status, target_type, id);

create table warnings (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  -- Who warned; no reference, so that erasing a moderator need not look here.
  moderator_id uuid not null,
  report_id uuid references reports,
  message text not null check (length(message) between 1 and 2000),
  created_at timestamptz(3) not null default now()
);
create index warnings_of_user on warnings (user_id, id);

-- Why something was done, in the words of who did it. Words may name a person, and the audit log keeps
-- its lines for ever: so they stand beside it, and go with the account of the person they are about.
create table audit_reasons (
  act_id uuid primary key,
  user_id uuid,
  reason text not null check (length(reason) between 1 and 2000)
);
create index audit_reasons_about_user on audit_reasons (user_id);

create index audit_log_by_actor on audit_log (actor_id, id);
create index audit_log_by_target on audit_log (target_id, id);
create index audit_log_by_action on audit_log (action, id);

-- Signatures that were given on each day (UTC), kept by a follower of events, so that nobody counts
-- millions of rows for the figures that administrators look at.
create table signature_days (
  day date primary key,
  given integer not null
);
