-- Why a picture failed after it was accepted, and how often decoding it took too long: on a busy machine that says nothing
-- about the picture. Adds columns without rewriting the table.
alter table media
  add column failure text,
  add column slow_decodings integer not null default 0;
