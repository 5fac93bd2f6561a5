-- Checked at every update of the row, which changes its counts with each group of signatures: the number of characters
-- takes the whole text, the number of bytes its header. The API checks the characters.
alter table petitions drop constraint petitions_description_check,
  add constraint petitions_description_size check (octet_length(description) between 50 and 200000) not valid;
