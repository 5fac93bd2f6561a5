-- What the watcher of signatures found. New tables: locks nothing that grows.
create table integrity_alerts (
  id uuid primary key,
  petition_id uuid not null references petitions on delete cascade,
  kind text not null check (kind in ('burst', 'network', 'domain', 'mailbox', 'country')),
  -- Id of the network on this petition, domain, country, or start of the burst.
  value text not null,
  since timestamptz not null,
  last_at timestamptz not null,
  -- Signatures of this cause, and how many were expected, in the window in which it was largest.
  signatures integer not null,
  usual real not null
);
create index on integrity_alerts (petition_id, last_at);

-- Signatures by minute, for two days, so that the watcher reads each signature once.
create table signature_minutes (
  petition_id uuid not null references petitions on delete cascade,
  minute timestamptz not null,
  signatures integer not null,
  primary key (petition_id, minute)
) with (fillfactor = 70);
create index on signature_minutes (minute);

-- How far the watcher has read, and until when a process has claimed the next step.
create table integrity_watch (
  is_single boolean primary key default true check (is_single),
  read_until timestamptz not null,
  claimed_until timestamptz not null
);
insert into integrity_watch (read_until, claimed_until) values (now(), now());
