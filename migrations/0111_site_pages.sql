-- Pages of the site that administrators write. A new table; signatures get a comment alone, which rewrites nothing.
create table site_pages (
  page text not null,
  language text not null,
  version integer not null,
  title text,
  body text,
  created_at timestamptz(3) not null default now(),
  created_by uuid references users (id) on delete set null,
  primary key (page, language, version),
  check ((title is null) = (body is null))
);
comment on table site_pages is
  'Every version of the pages of the site that administrators wrote. A version without title and body brought back the software''s own text.';
create index site_pages_by on site_pages (created_by) where created_by is not null;

comment on column signatures.privacy_version is
  'Version of the page on privacy that the form named; null by API, and where the software''s own text was in force.';
