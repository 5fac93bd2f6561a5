-- concurrently

create index concurrently if not exists petitions_most_signed
  on petitions (sort_count desc, id desc) where listed;

create index concurrently if not exists petitions_by_trend
  on petitions (sort_trend desc, id desc) where listed;

call fill_sort_keys();

drop index concurrently if exists petitions_popular;

drop index concurrently if exists petitions_trending;
