-- concurrently
-- For the moderators' list. Reads the table once, while others write it; held signatures are few.
create index concurrently if not exists signatures_held on signatures (petition_id, id) where state = 'held';
