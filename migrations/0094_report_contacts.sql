-- Where people without an account learn what became of their report. A new table, and a nullable column of a small one.
create table report_contacts (
  report_id uuid primary key references reports on delete cascade,
  email text not null check (length(email) <= 254),
  language text not null,
  created_at timestamptz(3) not null default now()
);
create index on report_contacts (lower(email));

-- Whose report it is, if a reporter without an account complains.
alter table complaints add column report_id uuid;
