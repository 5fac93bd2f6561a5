-- Keyed hash of the reporter's network, until the report is resolved: few reports of one network weigh. Adds a column without
-- a default, which rewrites nothing.
alter table reports add column network bytea;
