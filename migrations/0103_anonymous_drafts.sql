-- Petitions that strangers write before they have an account. A new table: locks nothing that grows.
create table anonymous_drafts (
  id uuid primary key,
  token_hash bytea not null,
  content bytea not null,
  created_at timestamptz(3) not null default now()
);
create index on anonymous_drafts (token_hash);
create index on anonymous_drafts (created_at);
comment on table anonymous_drafts is
  'Drafts of petitions that were written without an account, for 7 days. They become petitions of the account that claims them.';
comment on column anonymous_drafts.id is 'Also the id of the petition that the draft becomes.';
comment on column anonymous_drafts.token_hash is
  'Keyed hash of the token in the cookie of the browser that wrote it.';
comment on column anonymous_drafts.content is 'Input of the petition in JSON, encrypted by a key of the token.';
