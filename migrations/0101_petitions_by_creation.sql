-- concurrently
-- Lists in each order select by the time of creation within their index. Reads and writes go on. Of ten million petitions,
-- each build reads the table twice and takes minutes; the new indexes are 8 bytes a petition larger than those they replace.
create index concurrently if not exists petitions_listed_by_time
  on petitions (sort_at desc, id desc) include (created_at) where listed;

create index concurrently if not exists petitions_listed_by_count
  on petitions (sort_count desc, id desc) include (created_at) where listed;

create index concurrently if not exists petitions_listed_by_trend
  on petitions (sort_trend desc, id desc) include (created_at) where listed;

drop index concurrently if exists petitions_recent;

drop index concurrently if exists petitions_most_signed;

drop index concurrently if exists petitions_by_trend;
