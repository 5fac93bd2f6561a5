-- A decision maker responds once by each link, and can be delivered to again. A response is tied to its link, and can say
-- that somebody else is responsible. The table has one row for each response, far fewer than petitions: adding columns
-- rewrites nothing, and filling one takes moments.
--
-- Processes of the last release go on storing one response for each decision maker under decision_maker_id, whose
-- constraint they name. Responses of this one have maker_id alone; a trigger fills it for theirs. A later migration drops
-- decision_maker_id with its constraint and the trigger.
alter table decision_maker_responses
  add column maker_id uuid references decision_makers (id),
  add column link_id uuid references decision_maker_links (id) on delete set null,
  add column not_responsible boolean not null default false,
  add column responsible text
    constraint decision_maker_responses_responsible_check
    check (responsible is null or (not_responsible and length(responsible) between 1 and 300)),
  alter column decision_maker_id drop not null;
comment on table decision_maker_responses is 'Responses of decision makers, one by each link.';
comment on column decision_maker_responses.maker_id is 'Who responded.';
comment on column decision_maker_responses.decision_maker_id is
  'As maker_id, in rows of the release before that column existed; null in others.';
comment on column decision_maker_responses.link_id is
  'The link by which it was given; null for responses before the column existed.';
comment on column decision_maker_responses.not_responsible is 'The decision maker says that it is not theirs to decide.';
comment on column decision_maker_responses.responsible is 'Whose it is instead; null if they do not say.';

create function fill_maker_of_response() returns trigger language plpgsql as $$
begin
  new.maker_id := coalesce(new.maker_id, new.decision_maker_id);
  return new;
end $$;
create trigger decision_maker_responses_maker before insert on decision_maker_responses
  for each row execute function fill_maker_of_response();
update decision_maker_responses set maker_id = decision_maker_id;
