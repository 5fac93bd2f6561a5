-- The words of a rule's reason may name the creator of its petition, and go with their account, as those in the
-- audit log do.
alter table invalidations
  alter column reason drop not null,
  add column about uuid;
update invalidations i set about = p.creator_id from petitions p where p.id = i.petition_id;
-- Of those whose creator was erased before, nobody is left to ask for it.
update invalidations set reason = null where about is null;
create index invalidations_about_user on invalidations (about) where about is not null;
