-- Opinions end with the response. Locks decision_maker_responses against writes for a moment.
alter table answer_opinions add constraint answer_opinions_response_id_fkey
  foreign key (response_id) references decision_maker_responses on delete cascade;
