-- Whether a profile lists what its user signed. A constant default: changes the catalog only, and rewrites no row.
alter table users add column show_signatures boolean not null default false;
