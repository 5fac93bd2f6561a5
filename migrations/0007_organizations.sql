create table organizations (
  id uuid primary key,
  name text not null check (length(name) between 2 and 100),
  slug text not null unique,
  description text check (length(description) <= 1000),
  logo_url text,
  cover_url text,
  website text,
  verified boolean not null default false,
  tier text not null default 'free' check (tier in ('free', 'pro', 'enterprise')),
  subscription_status text not null default 'active'
    check (subscription_status in ('active', 'past_due', 'canceled')),
  current_period_end timestamptz(3),
  -- Kept by triggers: rows of memberships, and petitions in the public lists.
  member_count integer not null default 0 check (member_count >= 0),
  petition_count integer not null default 0 check (petition_count >= 0),
  created_at timestamptz(3) not null default now()
);
create unique index organizations_name_key on organizations (lower(name));
-- Whether an uploaded picture is still shown.
create index organizations_by_logo on organizations (logo_url) where logo_url is not null;
create index organizations_by_cover on organizations (cover_url) where cover_url is not null;
create index organizations_verified on organizations (id) where verified;

-- Whoever changes memberships locks the organization first; the triggers below rely on it.
create table memberships (
  id uuid primary key,
  org_id uuid not null references organizations on delete cascade,
  user_id uuid not null references users on delete cascade,
  role text not null check (role in ('owner', 'admin', 'member')),
  created_at timestamptz(3) not null default now(),
  constraint memberships_once unique (user_id, org_id)
);
create index memberships_of_organization on memberships (org_id, id);
create index memberships_by_role on memberships (org_id, role, id);
-- An organization has one owner, whoever transfers to whom at once.
create unique index memberships_one_owner on memberships (org_id) where role = 'owner';

create function count_members() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    update organizations set member_count = member_count + 1 where id = new.org_id;
  else
    update organizations set member_count = member_count - 1 where id = old.org_id;
  end if;
  return null;
end $$;
create trigger memberships_counted after insert or delete on memberships
  for each row execute function count_members();

-- An owner goes only with their account, and its erasing can meet anything. Whatever happens, an
-- organization keeps an owner: the admin, else the member, who joined first (roles sort so, and ids by
-- time). One that has nobody left goes.
create function replace_owner() returns trigger language plpgsql as $$
begin
  update memberships set role = 'owner' where id = (
    select id from memberships where org_id = old.org_id order by role, id limit 1);
  if not found then
    delete from organizations where id = old.org_id;
  end if;
  return null;
end $$;
create trigger memberships_keep_an_owner after delete on memberships
  for each row when (old.role = 'owner') execute function replace_owner();

alter table petitions add constraint petitions_org
  foreign key (org_id) references organizations on delete set null;
-- For its public list, and for all of them when it goes.
create index petitions_of_organization on petitions (org_id, listed, sort_at desc, id desc)
  where org_id is not null;

create function count_petitions_of_organization() returns trigger language plpgsql as $$
declare
  counted_for uuid := case when old.listed then old.org_id end;
  counts_for uuid := case when new.listed then new.org_id end;
begin
  if counts_for is distinct from counted_for then
    update organizations set petition_count = petition_count - 1 where id = counted_for;
    update organizations set petition_count = petition_count + 1 where id = counts_for;
  end if;
  return null;
end $$;
-- Triggers fire in the order of their names: this one before petitions_counted_for_creator, since
-- organizations are locked before users. Not fired by signing.
create trigger petitions_counted_by_organization
  after insert or delete or update of status, visibility, deleted_at, org_id on petitions
  for each row execute function count_petitions_of_organization();
