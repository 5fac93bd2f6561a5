-- News that creators post on their petitions. They belong to the petition, not to their author.
create table updates (
  id uuid primary key,
  petition_id uuid not null references petitions on delete cascade,
  title text not null check (length(title) between 1 and 200),
  body text not null check (length(body) between 1 and 10000),
  image_url text,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create index updates_recent on updates (petition_id, id desc);
-- Whether an uploaded picture is still shown.
create index updates_by_image on updates (image_url) where image_url is not null;
