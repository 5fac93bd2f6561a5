-- The slug that a quarantined account had. The table has a row for each account that its owner did not decide about yet: adding a column
-- changes the catalog only, and the index is built in a moment.
alter table quarantined_accounts add column slug text;
create index quarantined_accounts_by_slug on quarantined_accounts (slug) where slug is not null;
comment on column quarantined_accounts.slug is
  'The slug of before, which nobody else gets meanwhile; null where its owner has had another one for longer.';
