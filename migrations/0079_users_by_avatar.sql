-- concurrently
-- Whether an account still uses a picture. Reads the table twice, while others write it.
create index concurrently if not exists users_by_avatar on users (avatar_url) where avatar_url is not null;
