-- What the processes of an instance tell each other. A new table: locks nothing that grows.
create table instance (
  is_only boolean primary key default true check (is_only),
  version text not null,
  base_url text
);
comment on table instance is 'One row: what runs on this database.';
comment on column instance.version is 'The version of the software that migrated the database last.';
comment on column instance.base_url is
  'BASE_URL of the process that started last, for commands that are run without that setting.';
