-- Search reads large results in steps down ladders: how well known a petition is, its day, how hot it is.
-- On which rung of each it stands is a lexeme of its document, so that one look into one index finds the
-- matches of some rungs (src/reach/search/ladders.ts). Documents are made anew.
truncate search_documents, search_words, search_languages, search_changes;

-- By its bytes, so that the index finds what begins alike.
alter table search_words alter column word type text collate "C";

drop index search_documents_title, search_documents_sample, search_documents_prior;
-- Words of the title are lexemes of the document too, marked as such.
alter table search_documents drop column sampled, drop column prior;
alter table search_documents
  -- How well known: floor(2 * log2(1 + signatures)) * 10000 + months from 1970 to its day, so that it
  -- changes with each growth by 41%.
  add column known integer not null,
  -- How hot: whole days of petitions.trend.
  add column trend integer not null;
create index search_documents_known on search_documents (known desc, petition_id desc);

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
  -- One of 8 of these: enough to estimate the kinds of a result that is large even here.
  fine boolean not null generated always as (get_byte(uuid_send(petition_id), 14) % 8 = 0) stored
) with (toast_tuple_target = 128, fillfactor = 90, autovacuum_vacuum_scale_factor = 0.05);
alter table search_sample alter column document set storage external;
create index search_sample_document on search_sample using gin (document) with (fastupdate = off);

create function is_sampled_for_search(petition_id uuid) returns boolean language sql immutable as $$
  select get_byte(uuid_send(petition_id), 15) % 64 = 0
$$;

-- The rungs as lexemes.
create function search_rungs(known integer, day integer, trend integer)
returns tsvector language sql immutable as $$
  select format('''=k %s'' ''=d %s'' ''=t %s''', lpad(known::text, 6, '0'), lpad(day::text, 5, '0'),
    lpad(trend::text, 5, '0'))::tsvector
$$;

-- Where a petition stands on each ladder.
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
