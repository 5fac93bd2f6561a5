-- concurrently
-- For the list of one's sessions, and the end of the oldest when a new one begins. Reads the table twice, while others write it.
create index concurrently if not exists sessions_in_force on sessions (user_id, id) where ended_at is null;
