-- The language of mails to an account. A constant default: changes the catalog only, and rewrites no row.
alter table users add column language text not null default 'en';
