-- Reports by people without an account, of reasons of signatures, and what the target said when it was reported.
-- Nullable columns and unchecked constraints: changes the catalog only, and reads no row.
alter table reports
  -- Keyed hash of the confirmed mailbox of a reporter without an account, until the report is decided.
  add column reporter_mailbox bytea,
  -- Whose content was reported; no reference, so that erasing an account locks no report.
  add column author_id uuid,
  -- Of a signature that was reported, by which its row is found.
  add column petition_id uuid,
  -- Title and text as they stood when it was reported. Goes with the account of the author, or 6 months after the decision.
  add column snapshot jsonb,
  drop constraint reports_target_type_check,
  drop constraint reports_reason_check,
  add constraint reports_target_type_check
    check (target_type in ('petition', 'comment', 'user', 'signature')) not valid,
  add constraint reports_reason_check check (reason in
    ('spam', 'harassment', 'hate_speech', 'misinformation', 'child_abuse', 'other')) not valid,
  add constraint reports_snapshot_check check (length(snapshot->>'text') <= 2000) not valid,
  add constraint reports_petition_check
    check ((petition_id is not null) = (target_type = 'signature')) not valid,
  add constraint reports_one_reporter check (reporter_id is null or reporter_mailbox is null) not valid;

-- Reports by people without an account, until they show that the address is theirs, by a link or a code.
create table pending_reports (
  id uuid primary key,
  email text not null check (length(email) <= 254),
  -- The report as the API takes it; empty once it is stored.
  input jsonb not null,
  -- As in reports, from the time when the form was sent.
  author_id uuid,
  petition_id uuid,
  snapshot jsonb,
  -- Keyed hash of the network that sent the form.
  network bytea,
  language text not null,
  -- Keyed hash of the browser that sent the form.
  browser_hash bytea not null,
  token_hash bytea not null unique,
  -- Codes that were tried.
  tries smallint not null default 0,
  -- The report after confirmation.
  report_id uuid,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null default now() + interval '24 hours'
);
create index on pending_reports (lower(email));
create index on pending_reports (author_id);
create index on pending_reports (expires_at);
