-- What a session was last used with, from where, and when. Nullable columns: changes the catalog only, and rewrites no row.
alter table sessions
  add column device text,
  add column country text,
  add column last_seen_at timestamptz(3);
comment on column sessions.device is 'Browser and operating system, such as Firefox on Android; null if unknown.';
comment on column sessions.country is 'ISO 3166-1 alpha-2, by the IP address, which is not stored; null if unknown.';
comment on column sessions.last_seen_at is 'Null for sessions that were stored before the column; then created_at counts.';
