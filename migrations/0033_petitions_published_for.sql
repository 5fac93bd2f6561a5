-- What was published for an organization, whoever can see it: the desks of its owner and admins list it. Its
-- drafts are its creators' alone. With the creator, since each looks for what others have published.
create index petitions_published_for on petitions (org_id, sort_at desc, id desc)
  include (creator_id)
  where org_id is not null and deleted_at is null and status in ('active', 'closed', 'victory');
