-- Search reads large results in two ways only: a walk in the order of an index, or every match by an index of words, of
-- all documents or of the best known tenth (docs/search.md). The other indexes of words and the ranges of buckets go.
--
-- Takes some 2 minutes for a million petitions and 20 for ten million, nearly all of it for the first index. Signing,
-- reading and searching go on; only the indexer waits, as building an index blocks writing documents. The exclusive
-- locks at the end are brief. Searches of processes of the version before fail from then on.
select pg_advisory_xact_lock(7240121);

create index search_documents_document on search_documents using gin (document) with (fastupdate = off);
-- With 4,096 signatures: a tenth of real petitions.
create index search_documents_best_known on search_documents using gin (document)
  with (fastupdate = off) where known >= 240000;

-- One sample of each 16th document, and of these a coarse one of each 16th again, for results of which that has enough
-- rows. With titles, which tell how many matches are in the title.
create table search_sample_with_titles (
  petition_id uuid not null,
  title tsvector not null,
  document tsvector not null,
  status text not null,
  category_id uuid,
  country text,
  tag_keys text[] not null,
  is_coarse boolean not null generated always as (get_byte(uuid_send(petition_id), 14) % 16 = 0) stored
) with (
  -- Of long documents the vectors stand apart, so that what is counted is in fewer pages.
  toast_tuple_target = 128, fillfactor = 90,
  autovacuum_vacuum_scale_factor = 0.05
);
alter table search_sample_with_titles
  alter column document set storage external,
  alter column title set storage main,
  alter column tag_keys set storage main;
insert into search_sample_with_titles (petition_id, title, document, status, category_id, country, tag_keys)
select petition_id, title, document, status, category_id, country, tag_keys
from search_documents where get_byte(uuid_send(petition_id), 15) % 16 = 0;
create index search_sample_words on search_sample_with_titles using gin (document)
  with (fastupdate = off);
create index search_sample_coarse on search_sample_with_titles using gin (document)
  with (fastupdate = off) where is_coarse;
analyze search_sample_with_titles;

-- Only searches wait behind these. Without its locks, everything above would run again.
set local lock_timeout = '1min';
drop table search_sample;
alter table search_sample_with_titles rename to search_sample;
alter table search_sample add constraint search_sample_pkey primary key (petition_id);
drop function search_sample_level(uuid);
create or replace function is_sampled_for_search(petition_id uuid) returns boolean
language sql immutable parallel safe as $$
  select get_byte(uuid_send(petition_id), 15) % 16 = 0
$$;

drop index search_documents_words, search_documents_known_180000, search_documents_known_240000,
  search_documents_known_270000, search_documents_known_300000, search_documents_known_340000;
alter index search_documents_document rename to search_documents_words;
alter table search_documents drop column ranges;
drop function search_ranges(integer, integer, integer);
