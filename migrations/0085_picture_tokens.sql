-- Pictures of this service in texts, by the token in their names. Touches no row.
create function picture_tokens(source text) returns text[]
  language sql immutable strict parallel safe
  as $$ select array(select (regexp_matches(source, '/media/([0-9a-f]{32})-', 'g'))[1]) $$;
