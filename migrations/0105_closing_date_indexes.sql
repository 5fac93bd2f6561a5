-- concurrently
-- Petitions that are due to be closed, and reminders that are due, for a worker that polls. Reads and writes go on. Of ten
-- million petitions, each build reads the table twice and takes minutes; the indexes hold only petitions that have a date
-- and have not ended. No column of theirs changes with a signature, so that signing writes neither.
create index concurrently if not exists petitions_to_close on petitions (closes_at)
  where closes_at is not null and status in ('active', 'under_review') and published_at is not null
    and deleted_at is null;

create index concurrently if not exists petitions_to_remind_of on petitions (closing_reminder_at)
  where closing_reminder_at is not null and status = 'active' and deleted_at is null;
