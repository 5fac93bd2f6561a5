-- Kept forms are shown to the account that opens them first only. The table has the forms of an hour; the new column is
-- nullable, so that nothing is rewritten. Cookies with the names from before this migration are read for 7 days after it
-- (src/platform/renamed-cookies.ts).
alter table kept_forms add column opener_hash bytea;
comment on column kept_forms.opener_hash is
  'Keyed hash of the token and the account that opened the form first; null until then.';
