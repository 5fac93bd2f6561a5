-- concurrently
-- Finds the updates that an account wrote, for its export and erasure. Nearly empty at first: existing updates have no
-- author. Built without a lock.
create index concurrently if not exists updates_by_author on updates (author_id) where author_id is not null;
