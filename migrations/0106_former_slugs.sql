-- Addresses that petitions had as drafts. A new table: locks nothing that grows.
create table former_slugs (
  slug text primary key,
  petition_id uuid not null references petitions (id) on delete cascade,
  created_at timestamptz(3) not null default now()
);
create index on former_slugs (petition_id);
comment on table former_slugs is
  'Slugs that petitions had before their first publication, where their titles changed. They lead to the petition, and no other gets them.';
