-- Where a response comes from, and who was checked. Columns without defaults: rewrites nothing.
-- The domain of the address to which the link was mailed. It outlives the address; null for responses of before, which have
-- that of the address, if there still is one.
alter table decision_maker_responses add column answered_from text;
alter table decision_makers
  add column verified_at timestamptz(3),
  -- Null after the account was erased.
  add column verified_by uuid;
create index on decision_makers (verified_by) where verified_by is not null;
