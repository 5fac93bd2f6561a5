-- The part of an account in petitions ends with it, and its updates lose their author. Locks users against writes for a moment.
alter table petition_organizers add constraint petition_organizers_user_id_fkey
  foreign key (user_id) references users on delete cascade;
alter table update_drafts_by_author add constraint update_drafts_by_author_user_id_fkey
  foreign key (user_id) references users on delete cascade;
alter table updates add constraint updates_author_id_fkey
  foreign key (author_id) references users on delete set null not valid;
