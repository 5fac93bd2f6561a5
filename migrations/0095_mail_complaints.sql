-- Mailboxes whose owner complained about a mail, and the mailbox of each delivery to a decision maker. Changes two tables
-- that stay small (silenced mailboxes, deliveries) and reads neither: 0096 validates the check.
alter table mail_suppressions drop constraint mail_suppressions_cause_check;
alter table mail_suppressions add constraint mail_suppressions_cause_check
  -- complained: its owner reported a mail as spam.
  check (cause in ('bounced', 'complained', 'unsubscribed')) not valid;

-- Keyed hash of the mailbox to which the mail went; null for deliveries of before.
alter table decision_maker_links add column mailbox bytea;
