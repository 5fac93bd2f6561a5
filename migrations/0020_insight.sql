-- Where a signature counts besides its petition. What sums follow is told in events, whose data hold
-- these facts too, so that a follower need not find a row that may be gone: see docs/decisions.
alter table signatures
  -- Country, region or city, as src/platform/places.ts names it; nothing finer.
  add column place text,
  -- Whence the signer came: a site's host or a campaign's name. Null where that is not known.
  add column source text,
  -- The share whose link led to it.
  add column share_id uuid;

-- Whose signature was found invalid and then withdrawn: signing again gives an invalid one again, for as
-- long as its rule stands.
create table withdrawn_invalid_signatures (
  user_id uuid not null references users on delete cascade,
  petition_id uuid not null references petitions on delete cascade,
  invalidated_by integer not null,
  primary key (petition_id, user_id)
);
create index on withdrawn_invalid_signatures (user_id);
create index on withdrawn_invalid_signatures (invalidated_by);

alter table petitions
  -- Has rows in that table, so that signing looks there only where there is something to find.
  add column has_withdrawn_invalid boolean not null default false;

-- The number of the rule by which a new signature is invalid from the start, or null. Volatile, so that it
-- sees what was committed while the statement that asks waited for the petition's row.
create function invalidation_of_withdrawn(petition uuid, signer uuid)
returns integer language plpgsql volatile as $$
begin
  return (
    select w.invalidated_by
    from withdrawn_invalid_signatures w
    join invalidations i on i.number = w.invalidated_by and i.state in ('applying', 'applied')
    where w.petition_id = petition and w.user_id = signer);
end $$;
