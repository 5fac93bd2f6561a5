-- What administrators set for the whole site in the browser. New tables: lock nothing that grows.
create table site_settings (
  name text primary key,
  value jsonb not null
);
comment on table site_settings is
  'Settings of the site that differ from what the service does by itself, one row each. Read by all processes twice a second.';

create table site_setting_changes (
  id uuid primary key,
  name text not null,
  before jsonb,
  after jsonb,
  changed_at timestamptz(3) not null default now(),
  changed_by uuid references users (id) on delete set null
);
comment on table site_setting_changes is
  'Every change of a setting of the site, so that each can be undone. A value that is null is what the service does by itself.';
create index site_setting_changes_newest on site_setting_changes (id desc);
create index site_setting_changes_by on site_setting_changes (changed_by) where changed_by is not null;

create table site_logos (
  hash text primary key,
  png bytea not null,
  width integer not null,
  height integer not null,
  created_at timestamptz(3) not null default now()
);
comment on table site_logos is
  'Logos of the site by the hash of their bytes: the one in force, and earlier ones, which a change that is undone brings back.';
