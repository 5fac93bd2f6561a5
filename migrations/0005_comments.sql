-- Every comment knows the top of its thread, so that threads are read by one index whatever their depth
-- and whoever changes a thread locks one row first: the top one.
create table comments (
  id uuid primary key,
  petition_id uuid not null references petitions on delete cascade,
  -- Null once the author's account was erased, and in place holders.
  user_id uuid references users on delete set null,
  -- The top of the thread; a top-level comment is its own.
  root_id uuid not null,
  parent_id uuid,
  body text not null,
  is_hidden boolean not null default false,
  -- Of the top of a thread: the replies in it, at any depth, that everybody sees, and the newest reply
  -- there ever was. Changed in the transactions that change the replies, so exact at every moment.
  reply_count integer not null default 0 check (reply_count >= 0),
  last_reply_id uuid,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  -- Set where replies keep the place of a comment that was deleted; nothing else of it is left.
  deleted_at timestamptz(3),
  constraint comments_thread unique (root_id, id),
  -- A reply is in its parent's thread, and a comment with replies cannot go.
  constraint comments_parent foreign key (root_id, parent_id) references comments (root_id, id),
  check ((parent_id is null) = (root_id = id)),
  check (parent_id is null or (reply_count = 0 and last_reply_id is null)),
  check (
    case when deleted_at is null then length(body) between 1 and 2000
      else body = '' and user_id is null and not is_hidden end
  )
);

create index comments_recent on comments (petition_id, id desc) where parent_id is null;
create index comments_popular on comments (petition_id, reply_count desc, id desc)
  where parent_id is null;
-- Which threads were answered since a list was begun.
create index comments_answered on comments (petition_id, last_reply_id) where parent_id is null;
create index comments_replies on comments (root_id, parent_id);
create index comments_of_petition on comments (petition_id);
create index comments_of_user on comments (user_id);
