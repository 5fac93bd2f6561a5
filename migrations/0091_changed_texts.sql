-- The last change of a text that many had signed. Changes the catalog only, and rewrites no row: the check is not
-- validated, since all rows have nulls there.
alter table petitions
  add column text_changed_at timestamptz(3),
  -- Signatures counted when the text changed: 100 or more.
  add column text_changed_after integer,
  -- The version of the text that the change made.
  add column text_changed_version integer,
  -- When a moderator looked at the change. Null while it waits in the queue.
  add column change_reviewed_at timestamptz(3);
alter table petitions add constraint petitions_text_change
  check (num_nulls(text_changed_at, text_changed_after, text_changed_version) in (0, 3)) not valid;
