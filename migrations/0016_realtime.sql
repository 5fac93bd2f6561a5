-- What somebody who was away has missed of one petition.
create index events_of_petition on events (petition_id, transaction, position);
