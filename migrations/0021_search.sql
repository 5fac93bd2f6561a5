-- Of the text; where nobody has named it, search tells it by the text.
alter table petitions add column language text check (language ~ '^[a-z]{2}$');

-- What search looks at: one row for each petition that everybody can see, written beside petitions, so
-- that signing touches none of it. Lexemes are made by src/reach/search/analysis.ts, not by PostgreSQL's
-- parser and dictionaries: those differ with locale and version, and a query must be cut as texts were.
create table search_documents (
  -- No foreign key, which would lock petitions: their writers and those of documents never wait for each
  -- other.
  petition_id uuid primary key,
  -- Words and stems of title (A) and tags (B), and the lexemes of filters.
  title tsvector not null,
  -- Words of title, tags and description, their stems without positions, and the lexemes of filters.
  document tsvector not null,
  -- How well known: floor(2 * log2(1 + signatures)), so that it changes with each growth by 41%.
  prior smallint not null,
  language text,
  status text not null,
  category_id uuid,
  country text,
  tag_keys text[] not null,
  -- One of 64, by chance: what is counted among these is an estimate for all.
  sampled boolean not null
    generated always as (get_byte(uuid_send(petition_id), 15) % 64 = 0) stored
) with (
  -- The long vectors stand apart, so that ranking and counting read few pages.
  toast_tuple_target = 128, fillfactor = 90,
  autovacuum_vacuum_scale_factor = 0.05
);
alter table search_documents alter column document set storage external;
alter table search_documents alter column title set storage main;

-- Without a list of pending entries, which every search would have to read through.
create index search_documents_document on search_documents using gin (document)
  with (fastupdate = off);
create index search_documents_title on search_documents using gin (title) with (fastupdate = off);
create index search_documents_sample on search_documents using gin (document)
  with (fastupdate = off) where sampled;
create index search_documents_prior on search_documents (prior desc, petition_id desc);

-- Words of titles and tags, by which typing errors are mended.
create table search_words (
  word text primary key,
  -- In how many titles, about.
  titles integer not null,
  -- The word's beginnings with at most one letter left out.
  variants text[] not null
) with (fillfactor = 80);
create index search_words_variants on search_words using gin (variants) with (fastupdate = off);

-- How many documents are in each language, about.
create table search_languages (
  language text primary key,
  documents integer not null
);

-- Petitions whose document is to be written anew. Rows are only added, each change its own, so that
-- none is lost to a reader that took the row of an earlier one.
create table search_changes (
  id bigint generated always as identity primary key,
  petition_id uuid not null
);

-- Documents are left alone here: whoever changes petitions must not wait for those who write documents.
-- What is no longer listed is shown by no search, since each looks at the petitions last.
create function note_change_for_search() returns trigger language plpgsql as $$
begin
  insert into search_changes (petition_id) values (coalesce(new.id, old.id));
  return null;
end $$;
create trigger petitions_noted_for_search_when_inserted after insert on petitions
  for each row when (new.listed) execute function note_change_for_search();
-- Not fired by signing, which sets none of these columns.
create trigger petitions_noted_for_search_when_changed
  after update of title, description, tags, tag_keys, status, visibility, category_id,
    location_country, language, deleted_at on petitions
  for each row when (old.listed or new.listed) execute function note_change_for_search();
create trigger petitions_noted_for_search_when_deleted after delete on petitions
  for each row when (old.listed) execute function note_change_for_search();

insert into search_changes (petition_id) select id from petitions where listed order by id;
