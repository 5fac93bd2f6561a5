-- concurrently
-- Whether a text still shows a picture, asked when its uploader is erased. Few texts have pictures, so the indexes are
-- small; each build reads its table twice, with the texts, while others write it.
create index concurrently if not exists petitions_by_pictures_in_text on petitions
  using gin (picture_tokens(description)) where description like '%/media/%';
create index concurrently if not exists updates_by_pictures_in_text on updates
  using gin (picture_tokens(body)) where body like '%/media/%';
