-- What a signer agreed to. Nullable columns: changes the catalog only, and rewrites no row.
alter table signatures
  add column consent_version smallint,
  add column updates_changed_at timestamptz(3);
comment on column signatures.consent_version is
  'Version of the sentences about consent and news that the form showed; null by API.';
comment on column signatures.updates_changed_at is
  'When the signer changed their mind about news; null: as at the signature.';
