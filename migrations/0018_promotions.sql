-- Until when the petition stands first in trending. Each payment adds to it; the end comes by time.
alter table petitions add column promoted_until timestamptz(3);
create index petitions_promoted on petitions (promoted_until)
  where listed and promoted_until is not null;

create table payments (
  id uuid primary key,
  -- Books outlive what was paid for and who paid.
  petition_id uuid references petitions on delete set null,
  payer_id uuid references users on delete set null,
  -- In the currency's smallest unit.
  amount integer not null check (amount >= 100),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  status text not null default 'pending' check (status in ('pending', 'completed', 'failed')),
  provider text not null,
  -- What the provider calls it.
  reference text check (length(reference) <= 200),
  checkout_url text,
  created_at timestamptz(3) not null default now(),
  completed_at timestamptz(3),
  check ((status = 'completed') = (completed_at is not null))
);
create index payments_of_petition on payments (petition_id, id desc);
create index payments_of_payer on payments (payer_id, id desc);
