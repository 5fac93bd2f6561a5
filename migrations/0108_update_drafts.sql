-- What creators have typed of an update and not posted yet. A new table: locks nothing that grows.
create table update_drafts (
  petition_id uuid primary key references petitions (id) on delete cascade,
  title text not null,
  body text not null,
  saved_at timestamptz(3) not null default now()
);
comment on table update_drafts is
  'The update that the creator of a petition is writing; deleted when it is posted.';
