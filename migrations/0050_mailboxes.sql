drop procedure fill_sort_keys();

-- What tells people apart: keyed hashes of the canonical address and of its domain. Null until filled in.
alter table users
  add column mailbox bytea,
  add column mail_domain bytea,
  add column has_canonical_address boolean,
  add column has_disposable_address boolean;

-- Only for accounts that are not filled in: as canonicalAddress in src/identity/accounts/mailboxes.ts.
create function canonical_address(email text) returns text
language sql immutable strict parallel safe as $$
  with parts as (
    select regexp_replace(split_part(lower(email), '@', 1), '(?<=.)\+.*$', '') as local,
      split_part(lower(email), '@', 2) as domain
  )
  select case when domain in ('gmail.com', 'googlemail.com')
    then coalesce(nullif(replace(local, '.', ''), ''), local) || '@gmail.com'
    else local || '@' || domain end
  from parts
$$;

-- Differ by petition, so that petitions cannot be joined by them.
create function mailbox_on(petition uuid, mailbox bytea) returns bytea
language sql immutable strict parallel safe as $$
  select substr(sha256(mailbox || uuid_send(petition)), 1, 16)
$$;

alter table signatures
  add column state text not null default 'counted',
  -- Whether the signer's address was proven when they signed, or since.
  add column is_proven boolean not null default false,
  -- Hashes of mailbox_on. They outlive the account and go 90 days after the petition ended.
  add column mailbox bytea,
  add column mail_domain bytea,
  add column is_disposable boolean,
  add column autonomous_system bigint,
  -- Whether the signer asked for updates by mail, and which privacy notice was shown.
  add column updates boolean not null default false,
  add column privacy_version integer,
  add constraint signatures_state_check
    check (state in ('counted', 'held', 'invalid')) not valid,
  add constraint signatures_invalid_check
    check (invalidated_by is null or state = 'invalid') not valid;

-- States that signing again gets back. Cleared by releasing and undoing.
create table withdrawn_signatures (
  petition_id uuid not null references petitions on delete cascade,
  mailbox bytea not null,
  state text not null check (state in ('held', 'invalid')),
  invalidated_by integer,
  primary key (petition_id, mailbox)
);
create index on withdrawn_signatures (invalidated_by) where invalidated_by is not null;

-- The state in which a signature is stored that is given again. Volatile, so that it sees what was committed while the
-- statement that asks waited for the petition's row. Processes of earlier versions wrote withdrawn_invalid_signatures.
create function withdrawn_signature(petition uuid, mailbox_hash bytea, signer uuid)
returns table (state text, invalidated_by integer) language plpgsql volatile as $$
begin
  return query
    select w.state, w.invalidated_by from withdrawn_signatures w
    left join invalidations i on i.number = w.invalidated_by
    where w.petition_id = petition and w.mailbox = mailbox_hash
      -- A rule that is being undone may have looked for its signatures already.
      and (w.invalidated_by is null or i.state in ('applying', 'applied'))
    union all
    select 'invalid', w.invalidated_by from withdrawn_invalid_signatures w
    join invalidations i on i.number = w.invalidated_by and i.state in ('applying', 'applied')
    where w.petition_id = petition and w.user_id = signer
    limit 1;
end $$;

-- As above, for processes of earlier versions.
create or replace function invalidation_of_withdrawn(petition uuid, signer uuid)
returns integer language plpgsql volatile as $$
begin
  return (
    select w.invalidated_by from users u
    cross join lateral withdrawn_signature(petition, mailbox_on(petition, u.mailbox), signer) w
    where u.id = signer);
end $$;

-- For processes of earlier versions, which know neither mailboxes nor states. Skips a second signature of a mailbox, which
-- they then answer as a second one of the account.
create function complete_signature() returns trigger language plpgsql as $$
declare
  signer users;
begin
  select * into signer from users where id = new.user_id;
  if new.invalidated_by is not null then
    new.state := 'invalid';
  end if;
  new.is_proven := signer.email_verified_at is not null;
  new.is_disposable := signer.has_disposable_address;
  new.mailbox := mailbox_on(new.petition_id, signer.mailbox);
  new.mail_domain := mailbox_on(new.petition_id, signer.mail_domain);
  if new.mailbox is not null and exists (
    select from signatures
    where petition_id = new.petition_id and mailbox = new.mailbox
      and user_id is distinct from new.user_id
  ) then
    return null;
  end if;
  return new;
end $$;
create trigger signatures_completed before insert on signatures
  for each row when (new.mailbox is null and new.user_id is not null)
  execute function complete_signature();

create function state_follows_rule() returns trigger language plpgsql as $$
begin
  new.state := case when new.invalidated_by is null then 'counted' else 'invalid' end;
  return new;
end $$;
create trigger signatures_state_follows before update of invalidated_by on signatures
  for each row when ((new.invalidated_by is null) <> (old.invalidated_by is null)
    and new.state = old.state)
  execute function state_follows_rule();

-- An address that is verified proves the signatures of its account.
create function prove_signatures() returns trigger language plpgsql as $$
begin
  update signatures set is_proven = true where user_id = new.id and not is_proven;
  return null;
end $$;
create trigger users_signatures_proven after update of email_verified_at on users
  for each row when (old.email_verified_at is null and new.email_verified_at is not null)
  execute function prove_signatures();

-- A new instance has nothing to fill in.
insert into backfills (name, completed_at)
select name, now() from unnest(array['account-mailboxes', 'signature-mailboxes']) as backfill (name)
where not exists (select from users);
