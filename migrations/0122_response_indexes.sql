-- concurrently
-- The responses of a decision maker, and the one by a link. Reads and writes go on while they are built.
create index concurrently if not exists decision_maker_responses_by_maker
  on decision_maker_responses (maker_id, id);
create unique index concurrently if not exists decision_maker_responses_by_link on decision_maker_responses (link_id);
