-- Search reads large results in steps, by buckets of three orders: how well known a petition is, its day, how hot it
-- is. A small table of one document of 64 tells how many buckets hold a page. 0045 drops the steps.
-- Documents are written again.
truncate search_documents, search_words, search_languages, search_changes;

-- By its bytes, so that the index finds what begins alike.
alter table search_words alter column word type text collate "C";

-- Words of the title are lexemes of the document too, marked as such.
drop index search_documents_title, search_documents_sample, search_documents_prior;
alter table search_documents drop column sampled, drop column prior;
alter table search_documents
  -- How well known: floor(2 * log2(1 + signatures)) * 10000 + months from 1970 to its day, so that it
  -- changes with each growth by 41%.
  add column known integer not null,
  -- Days from 1970.
  add column day integer not null,
  -- How hot: whole days of petitions.trend.
  add column trend integer not null;
create index search_documents_known on search_documents (known desc, petition_id desc);
-- For the first pages of what many documents have: of some tenth of them, with 4,096 signatures, and of
-- some hundredth, with 32,768.
create index search_documents_well_known on search_documents using gin (document)
  with (fastupdate = off) where known >= 240000;
create index search_documents_best_known on search_documents using gin (document)
  with (fastupdate = off) where known >= 300000;
create index search_documents_day on search_documents (day);
create index search_documents_trend on search_documents (trend);

-- One of 64 documents, by chance, in a table so small that thousands of its rows are counted in a few
-- milliseconds. What is counted here is an estimate for all.
create table search_sample (
  petition_id uuid primary key,
  document tsvector not null,
  known integer not null,
  day integer not null,
  trend integer not null,
  status text not null,
  category_id uuid,
  country text,
  tag_keys text[] not null,
  -- One of 8 of these: enough to count what many have.
  fine boolean not null generated always as (get_byte(uuid_send(petition_id), 14) % 8 = 0) stored
) with (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.05);
create index search_sample_document on search_sample using gin (document) with (fastupdate = off);
create index search_sample_fine on search_sample using gin (document)
  with (fastupdate = off) where fine;

create function is_sampled_for_search(petition_id uuid) returns boolean language sql immutable as $$
  select get_byte(uuid_send(petition_id), 15) % 64 = 0
$$;

-- The bucket of a petition in each order.
create function search_known(signatures integer, at timestamptz) returns integer language sql stable as $$
  select floor(2 * log(2, 1 + signatures))::integer * 10000
    + (extract(year from at at time zone 'UTC')::integer - 1970) * 12
    + extract(month from at at time zone 'UTC')::integer - 1
$$;
create function search_day(at timestamptz) returns integer language sql stable as $$
  select greatest(floor(extract(epoch from at) / 86400), 0)::integer
$$;
create function search_trend(trend double precision) returns integer language sql immutable as $$
  select greatest(floor(trend), 0)::integer
$$;

insert into search_changes (petition_id) select id from petitions where listed order by id;
