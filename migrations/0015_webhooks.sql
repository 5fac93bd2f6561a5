-- Ids of events sort by time, like those that the service makes, so that one is found among all of them
-- by an index that costs almost nothing: UUIDv7 (RFC 9562), which PostgreSQL makes itself since 18. Before,
-- it is milliseconds and then random bits.
do $$ begin
  if current_setting('server_version_num')::integer >= 180000 then
    create function uuid_v7() returns uuid language sql volatile parallel safe as
      'select uuidv7()';
  else
    create function uuid_v7() returns uuid language sql volatile parallel safe as $function$
      select encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid()) placing
        substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3)
        from 1 for 6), 52, 1), 53, 1), 'hex')::uuid
    $function$;
  end if;
end $$;
alter table events alter column id set default uuid_v7();
create index events_by_id on events using brin (id uuid_minmax_ops)
  with (pages_per_range = 16, autosummarize = on);
-- Finds the events of one petition. Its comments may be many, and readers leave them out.
create index events_of_petition on events (petition_id, transaction, position)
  where type <> 'comment.created';

create table webhook_endpoints (
  id uuid primary key,
  -- Null once it was deleted or its owner erased: what is left goes in the background. What was created
  -- while its owner was being erased goes with the user.
  user_id uuid references users on delete cascade,
  -- Made by the key of an organization: it gets the events of that organization only. Not a reference,
  -- since an endpoint outlives its organization, and then gets nothing.
  org_id uuid,
  url text not null check (length(url) <= 2000),
  events text[] not null check (cardinality(events) > 0),
  is_active boolean not null default true,
  -- Encrypted, and not hashed: deliveries are signed with it.
  secret_sealed bytea,
  -- The secret before, which signs too until then.
  previous_sealed bytea,
  previous_until timestamptz(3),
  -- When deliveries began to fail, if none has succeeded since.
  failing_since timestamptz(3),
  created_at timestamptz(3) not null default now(),
  check (user_id is not null or (not is_active and url = '')),
  check ((user_id is null) = (secret_sealed is null)),
  check ((previous_sealed is null) = (previous_until is null))
);
create index webhook_endpoints_of_user on webhook_endpoints (user_id, id desc);

-- What deliveries of an event say: written once, sent to every endpoint and at every try alike.
create table webhook_payloads (
  event_id uuid primary key,
  -- The event's place in the log; null for tests, which are not in it.
  transaction xid8,
  position bigint,
  -- Null where somebody whom it named was erased: it is written anew when it is needed.
  body text,
  -- The users whom the body names.
  named uuid[] not null
);
create index webhook_payloads_naming on webhook_payloads using gin (named);

create table webhook_deliveries (
  id uuid primary key,
  endpoint_id uuid not null references webhook_endpoints,
  event_id uuid not null,
  event text not null,
  status text not null default 'pending'
    check (status in ('pending', 'delivered', 'failed', 'retrying')),
  -- Tries that have ended.
  attempts smallint not null default 0 check (attempts between 0 and 6),
  response_status smallint,
  error text,
  next_attempt_at timestamptz(3) default now(),
  -- While a process tries, until when the others leave it alone. In no index, so that taking a delivery
  -- writes to none.
  leased_until timestamptz,
  delivered_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  check ((next_attempt_at is null) = (status in ('delivered', 'failed'))),
  check ((delivered_at is not null) = (status = 'delivered'))
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);
-- What is to be sent, by endpoint, so that one with much to send hides no other.
create index webhook_deliveries_waiting on webhook_deliveries (endpoint_id, next_attempt_at)
  where next_attempt_at is not null;
create index webhook_deliveries_listed on webhook_deliveries (endpoint_id, status, id desc);
