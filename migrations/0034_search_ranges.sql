-- The index of words finds buckets, too: with ranges of buckets as keys, as in a segment tree, it skips between word and
-- range, while with a separate index of buckets every document of either had to be read. 0045 drops the ranges.
create function search_ranges(known integer, day integer, trend integer) returns integer[]
language sql immutable parallel safe as $$
  select array(
    select (ladder << 28) + (level << 24) + (place >> 3 * level)
    from (values
      (0, known / 10000 * 1024 + least(known % 10000, 1023)),
      (1, day),
      (2, trend)
    ) as rung (ladder, place), generate_series(0, 5) as level
    order by ladder, level)
$$;
alter table search_documents
  -- For each order the bucket, the range of 8 buckets with it, of 64, and so on to 32,768.
  add column ranges integer[] not null
    generated always as (search_ranges(known, day, trend)) stored,
  -- What facets are made of stays in the row; of a large one the document is put elsewhere.
  alter column ranges set storage main,
  alter column tag_keys set storage main;
drop index search_documents_document, search_documents_day, search_documents_trend;
create index search_documents_words on search_documents using gin (document, ranges)
  with (fastupdate = off);
