-- concurrently
-- Versions keep how many had signed before them: null for the first one and those of before. Changes the catalog only.
alter table petition_versions add column if not exists signatures_before integer;

-- Changes of texts that wait for a moderator. Reads and writes go on. The build reads the table twice. Signing sets none
-- of these columns, so its updates stay heap-only.
create index concurrently if not exists petitions_with_changed_text on petitions (text_changed_at, id)
  where text_changed_at is not null and change_reviewed_at is null and deleted_at is null;
