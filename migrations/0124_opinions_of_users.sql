-- Opinions end with the account. Locks users against writes for a moment.
alter table answer_opinions add constraint answer_opinions_user_id_fkey
  foreign key (user_id) references users on delete cascade;
