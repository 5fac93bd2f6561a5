-- The date on which a petition closes by itself. Nullable columns without a default: changes the catalog only and rewrites
-- no row, however many petitions there are.
alter table petitions
  add column closes_at timestamptz(3),
  add column closing_reminder_at timestamptz(3);
comment on column petitions.closes_at is
  'From then on nobody can sign. The service closes the petition then. Null if its creator has set no date.';
comment on column petitions.closing_reminder_at is
  'When people are reminded of closes_at: a day before. Null if there is no date, or once they were reminded of it.';
