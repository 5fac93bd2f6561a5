-- Reads the table; does not block writes.
alter table petitions validate constraint petitions_description_size;
