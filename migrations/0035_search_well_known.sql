-- Said of a sum, which no other index is of: PostgreSQL took the index of words of the well known and all rungs
-- above one from that of the rungs, 16,000 of 1,000,000 documents, rather than the index of words of the best known.
drop index search_documents_well_known, search_documents_best_known;
create index search_documents_well_known on search_documents using gin (document)
  with (fastupdate = off) where known + 0 >= 240000;
create index search_documents_best_known on search_documents using gin (document)
  with (fastupdate = off) where known + 0 >= 300000;
