-- Versions whose text a moderator has removed keep its hash. Changes the catalog only, and rewrites no row.
alter table petition_versions
  alter column title drop not null,
  alter column description drop not null,
  -- SHA-256 of title, line feed and description. Computed from these while they are there.
  add column text_hash bytea,
  -- Null after the account that it is about was erased.
  add column redaction_reason text;
alter table petition_versions add constraint petition_versions_hashed
  check (num_nulls(title, description) = 0 or text_hash is not null) not valid;
