-- concurrently
-- Administrators find users by the words of their names. Reads users twice, while others write it: 5 minutes for ten million
-- rows. Each new or renamed user then costs 50 microseconds more.

-- The words of a name, in lower case and without accents, as fold() in src/reach/search/analysis.ts makes them. Marks of
-- other scripts make another letter and stay. Depends on no extension and no setting, since it is indexed.
create or replace function name_words(name text) returns tsvector
language sql immutable strict parallel safe
return (
  select array_to_tsvector(array_agg(left(word, 60)))
  from regexp_split_to_table(
    replace(replace(replace(replace(translate(
      normalize(regexp_replace(lower(normalize(name, NFKD)),
        '([a-zßæœøłđðþı\u0370-\u03ff\u0590-\u05ff\u0600-\u06ff])[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670]+',
        '\1', 'g'), NFKC),
      'øłđðıς', 'olddiσ'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'),
    '[\u0001-/:-@\[-`{-¿\u2000-\u206f\u3000-\u3003]+'
  ) as word
  where word <> ''
);

create index concurrently if not exists users_by_name
  on users using gin (name_words(display_name)) with (fastupdate = off);
