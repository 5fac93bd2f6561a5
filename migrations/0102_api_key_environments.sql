-- Test keys beside live ones, on every instance. A column with a constant default: no row is written, however many there are.
alter table api_keys
  add column environment text not null default 'live' check (environment in ('live', 'test'));
comment on column api_keys.environment is
  'Live keys work everywhere, test keys outside production. Decides instead of the prefix, which older keys have by NODE_ENV.';
