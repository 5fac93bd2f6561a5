-- Whether sign-ins from a new device and country are mailed. A constant default: changes the catalog only, and rewrites no row.
alter table users add column sign_in_alerts boolean not null default true;
