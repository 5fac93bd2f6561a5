-- Rungs are found by the index of words, too: with ranges of rungs as its keys, as in a segment tree, it leaps
-- from word to range and back, where an index of rungs beside it had to gather every document of either.
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
  -- On each ladder the rung, the 8 rungs that it is one of, the 64, and so on to 32,768 (src/reach/search/ladders.ts).
  add column ranges integer[] not null
    generated always as (search_ranges(known, day, trend)) stored,
  -- What facets are made of stays in the row; of a large one the document is put elsewhere.
  alter column ranges set storage main,
  alter column tag_keys set storage main;
drop index search_documents_document, search_documents_day, search_documents_trend;
create index search_documents_words on search_documents using gin (document, ranges)
  with (fastupdate = off);
