-- What pictures show, for people who do not see them. Changes the catalog only: nullable columns, and constraints that check
-- new rows only, since old ones are null. Petitions last: people sign them.
alter table updates add column image_alt text,
  add constraint updates_image_alt check (length(image_alt) between 1 and 300) not valid;
-- Of a picture that is being processed: the record gets both at once.
alter table media add column image_alt text,
  add constraint media_image_alt check (length(image_alt) between 1 and 300) not valid;
alter table petitions add column image_alt text,
  add constraint petitions_image_alt check (length(image_alt) between 1 and 300) not valid;
