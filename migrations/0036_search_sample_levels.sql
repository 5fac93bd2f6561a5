-- A sample of one document of 8 instead of one of 64, so that results of a few hundred are told by it, and levels of
-- it, each within the one below: some hundred rows of one of them tell of any result.
-- Nobody writes documents meanwhile: of what they write, this would miss some.
select pg_advisory_xact_lock(7240121);

create function search_sample_level(petition_id uuid) returns smallint
language sql immutable parallel safe as $$
  select case
    when get_byte(uuid_send(petition_id), 14) % 64 = 0 then 3
    when get_byte(uuid_send(petition_id), 14) % 16 = 0 then 2
    when get_byte(uuid_send(petition_id), 14) % 4 = 0 then 1
    else 0
  end::smallint
$$;
create or replace function is_sampled_for_search(petition_id uuid) returns boolean
language sql immutable parallel safe as $$
  select get_byte(uuid_send(petition_id), 15) % 8 = 0
$$;

create table search_sample_of_levels (
  petition_id uuid not null,
  document tsvector not null,
  known integer not null,
  day integer not null,
  trend integer not null,
  status text not null,
  category_id uuid,
  country text,
  tag_keys text[] not null,
  -- Of 8 documents one is here, of 32 one is on level 1 or above, of 128 on level 2, of 512 on level 3.
  level smallint not null generated always as (search_sample_level(petition_id)) stored
) with (
  -- Of long documents the vectors stand apart, so that what is counted is in fewer pages.
  toast_tuple_target = 128, fillfactor = 90,
  autovacuum_vacuum_scale_factor = 0.05
);
alter table search_sample_of_levels
  alter column document set storage external,
  alter column tag_keys set storage main;

insert into search_sample_of_levels (petition_id, document, known, day, trend, status, category_id, country,
  tag_keys)
select petition_id, document, known, day, trend, status, category_id, country, tag_keys
from search_documents where is_sampled_for_search(petition_id);

drop table search_sample;
alter table search_sample_of_levels rename to search_sample;
alter table search_sample add constraint search_sample_pkey primary key (petition_id);
create index search_sample_document on search_sample using gin (document) with (fastupdate = off);
create index search_sample_level_1 on search_sample using gin (document)
  with (fastupdate = off) where level >= 1;
create index search_sample_level_2 on search_sample using gin (document)
  with (fastupdate = off) where level >= 2;
create index search_sample_level_3 on search_sample using gin (document)
  with (fastupdate = off) where level >= 3;
analyze search_sample;

-- Between those of the well known and the best known, and above: of some 25th, with 11,585 signatures, and of some
-- 300th, with 131,072 (migrations/0035).
create index search_documents_known_270000 on search_documents using gin (document)
  with (fastupdate = off) where known + 0 >= 270000;
create index search_documents_known_340000 on search_documents using gin (document)
  with (fastupdate = off) where known + 0 >= 340000;
