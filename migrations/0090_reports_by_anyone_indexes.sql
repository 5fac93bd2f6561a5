-- concurrently
-- Reads and writes go on. Each build reads the table twice.
create unique index concurrently if not exists reports_once_by_mailbox
  on reports (reporter_mailbox, target_type, target_id)
  where status = 'open' and reporter_mailbox is not null;

create index concurrently if not exists reports_by_author
  on reports (author_id, status) where author_id is not null;

create index concurrently if not exists reports_with_old_snapshots
  on reports (resolved_at) where snapshot is not null;
