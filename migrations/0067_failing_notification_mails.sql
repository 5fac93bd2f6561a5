-- concurrently
-- For the age of the oldest notification mail. Reads the table twice, while others write it; failing mails are few.
create index concurrently if not exists notification_mails_failing
  on notification_inboxes (mail_failures, user_id) where mail_failures > 0;
