-- Access codes are derived from the petition and this number, so that they can be replaced.
alter table petitions add column access_code_version integer not null default 0;
