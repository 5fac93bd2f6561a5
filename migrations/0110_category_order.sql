-- The order of categories, and what merged ones lead to. Categories are few and the table does not grow.
alter table categories
  add column position integer check (position between 0 and 1000),
  add column merged_into uuid references categories (id),
  add check (merged_into <> id);
comment on column categories.position is 'Lists go by it, then by name; those without one come last.';
comment on column categories.merged_into is
  'The category that has its petitions now, never a merged one itself. Its id and slug lead to that one.';
