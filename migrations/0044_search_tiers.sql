-- Words of the best known documents, in five tiers, and now of some fourth, with
-- 512 signatures, too: for words that with their filters leave few of the tenth. Said as a number, by which PostgreSQL
-- cannot tell that one lies within another: it took the index of a tier for what was asked of the one above it.
drop index search_documents_well_known, search_documents_best_known, search_documents_known_270000,
  search_documents_known_340000;
create index search_documents_known_180000 on search_documents using gin (document)
  with (fastupdate = off) where (known >= 180000)::integer = 1;
create index search_documents_known_240000 on search_documents using gin (document)
  with (fastupdate = off) where (known >= 240000)::integer = 1;
create index search_documents_known_270000 on search_documents using gin (document)
  with (fastupdate = off) where (known >= 270000)::integer = 1;
create index search_documents_known_300000 on search_documents using gin (document)
  with (fastupdate = off) where (known >= 300000)::integer = 1;
create index search_documents_known_340000 on search_documents using gin (document)
  with (fastupdate = off) where (known >= 340000)::integer = 1;

-- Levels of the sample lie within one another, too. And one more, of 2,048 documents one: of words that a third of a
-- million have, the level of 512 counted several hundred rows.
alter table search_sample drop column level;
create or replace function search_sample_level(petition_id uuid) returns smallint
language sql immutable parallel safe as $$
  select case
    when get_byte(uuid_send(petition_id), 14) = 0 then 4
    when get_byte(uuid_send(petition_id), 14) % 64 = 0 then 3
    when get_byte(uuid_send(petition_id), 14) % 16 = 0 then 2
    when get_byte(uuid_send(petition_id), 14) % 4 = 0 then 1
    else 0
  end::smallint
$$;
alter table search_sample
  add column level smallint not null generated always as (search_sample_level(petition_id)) stored;
create index search_sample_level_1 on search_sample using gin (document)
  with (fastupdate = off) where (level >= 1)::integer = 1;
create index search_sample_level_2 on search_sample using gin (document)
  with (fastupdate = off) where (level >= 2)::integer = 1;
create index search_sample_level_3 on search_sample using gin (document)
  with (fastupdate = off) where (level >= 3)::integer = 1;
create index search_sample_level_4 on search_sample using gin (document)
  with (fastupdate = off) where (level >= 4)::integer = 1;
analyze search_sample;
