-- The conditions are on a sum, which is in no other index. With conditions on `known`, PostgreSQL used the index of words
-- of the well known and read all buckets above a bound, 16,000 of 1,000,000 documents, from the index of buckets, instead
-- of using the index of words of the best known.
drop index search_documents_well_known, search_documents_best_known;
create index search_documents_well_known on search_documents using gin (document)
  with (fastupdate = off) where known + 0 >= 240000;
create index search_documents_best_known on search_documents using gin (document)
  with (fastupdate = off) where known + 0 >= 300000;
