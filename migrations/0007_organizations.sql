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

create table memberships (
  id uuid primary key,
  org_id uuid not null references organizations on delete cascade,
  user_id uuid not null references users on delete cascade,
  role text not null check (role in ('owner', 'admin', 'member')),
  created_at timestamptz(3) not null default now(),
  constraint memberships_once unique (org_id, user_id)
);
create index memberships_of_user on memberships (user_id);
create index memberships_by_role on memberships (org_id, role, id);
-- An organization has one owner, whoever transfers to whom at once.
create unique index memberships_one_owner on memberships (org_id) where role = 'owner';

alter table petitions add constraint petitions_org
  foreign key (org_id) references organizations on delete set null;
create index petitions_of_org on petitions (org_id, sort_at desc, id desc) where org_id is not null;
