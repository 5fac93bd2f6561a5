-- concurrently
-- Reads and writes go on. Bounces find the deliveries to a mailbox.
create index concurrently if not exists decision_maker_links_mailbox on decision_maker_links (mailbox)
  where mailbox is not null;
alter table mail_suppressions validate constraint mail_suppressions_cause_check;
