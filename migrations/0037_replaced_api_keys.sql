-- Texts of API keys that a rotation has replaced: each counts until its own time, however often the key is
-- rotated after it.
create table replaced_api_keys (
  key_hash bytea primary key,
  key_id uuid not null references api_keys on delete cascade,
  expires_at timestamptz(3) not null
);
create index replaced_api_keys_of_key on replaced_api_keys (key_id, expires_at);

insert into replaced_api_keys (key_hash, key_id, expires_at)
select previous_hash, id, previous_expires_at from api_keys where previous_hash is not null;

alter table api_keys drop column previous_hash, drop column previous_expires_at;
