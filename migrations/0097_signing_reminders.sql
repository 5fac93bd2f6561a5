-- Reminds people once to confirm their signature, and counts what becomes of the forms. Nullable columns of a small table,
-- and a new one.
alter table pending_signatures
  -- When the first mail was accepted by the mail server.
  add column mailed_at timestamptz(3),
  -- When the reminder was due, from which on the link works for another day.
  add column reminded_at timestamptz(3),
  -- When the reminder was handed to the mail server: it is never sent again, even if the process dies before the answer.
  add column reminder_sent_at timestamptz(3);

-- How many signed a petition by mail: those who filled in the form, were sent the mail, and confirmed it.
create table signing_mail_counts (
  petition_id uuid primary key references petitions on delete cascade,
  asked integer not null default 0,
  mailed integer not null default 0,
  confirmed integer not null default 0
);
