-- Networks, mail domains and countries whose signatures are refused or held. New and small: locks nothing that grows.
create table signing_blocks (
  id uuid primary key,
  -- Null: on all petitions.
  petition_id uuid references petitions on delete cascade,
  kind text not null check (kind in ('network', 'domain', 'country')),
  -- A network in CIDR form, or the id that a report gives it on this petition; a domain in lower case and punycode; a
  -- country of ISO 3166-1.
  value text not null,
  action text not null check (action in ('refuse', 'hold')),
  reason text not null,
  created_by uuid,
  created_at timestamptz not null default now(),
  ends_at timestamptz,
  constraint signing_blocks_once unique nulls not distinct (petition_id, kind, value)
);
create index on signing_blocks (created_by) where created_by is not null;
