-- Addresses of accounts with domains in Unicode. A nullable column without a default: no row is written.
alter table users
  -- The address as its owner typed it, where its domain is not in ASCII. `email` has the domain in punycode.
  add column typed_email text;
