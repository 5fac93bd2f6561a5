-- Whether the newest cookie has come back. Until then the answer that carried it may have been lost, so the one
-- before it still counts.
alter table browser_sessions add column seen boolean not null default true;
