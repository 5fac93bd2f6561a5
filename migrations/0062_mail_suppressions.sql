-- Mailboxes that get no mail of some kinds, by a keyed hash: it outlives the account. A new table: locks nothing that grows.
create table mail_suppressions (
  mailbox bytea not null,
  -- bounced: mail to it failed for good. unsubscribed: its owner wants no mail that strangers or lists cause.
  cause text not null check (cause in ('bounced', 'unsubscribed')),
  created_at timestamptz not null default now(),
  primary key (mailbox, cause)
);
