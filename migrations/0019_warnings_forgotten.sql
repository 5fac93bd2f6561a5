-- The words of a warning are for one person and go with their account, whether or not they were told
-- in the service, by mail or not at all.
alter table notices add column for_user_id uuid;
create index notices_for_user on notices (for_user_id) where for_user_id is not null;
update notices n set for_user_id = t.user_id
from notifications t where t.notice_id = n.id and n.type = 'moderation_warning';

create function forget_user_in_notices() returns trigger language plpgsql as $$
begin
  delete from notices where for_user_id = old.id;
  return null;
end $$;
create trigger users_forgotten_in_notices after delete on users
  for each row execute function forget_user_in_notices();
