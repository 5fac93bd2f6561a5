-- The name that a signer by mail gave for this signature. A nullable column: changes the catalog only, and rewrites no row.
alter table signatures add column signer_name text;
comment on column signatures.signer_name is
  'Shown instead of the account''s name; null for signers who were logged in, and after the account was erased.';
