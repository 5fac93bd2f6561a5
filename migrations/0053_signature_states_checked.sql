-- Reads the table, but lets others write it meanwhile.
alter table signatures validate constraint signatures_state_check;
alter table signatures validate constraint signatures_invalid_check;
