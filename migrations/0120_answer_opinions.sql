-- What signers think of answers of decision makers. A new table; what refers to other tables follows in migrations of its own, so
-- that none holds the lock of one table while it waits for that of another.
create table answer_opinions (
  response_id uuid not null,
  user_id uuid not null,
  petition_id uuid not null,
  signature_id uuid not null,
  opinion text not null check (opinion in ('answers', 'partly', 'not')),
  counts boolean not null default true,
  created_at timestamptz(3) not null default now(),
  changed_at timestamptz(3),
  primary key (user_id, response_id)
);
-- Sums are counted from this index alone.
create index answer_opinions_of_response on answer_opinions (response_id, counts, opinion);
create index answer_opinions_of_signature on answer_opinions (petition_id, signature_id);
comment on table answer_opinions is
  'What signers think of the answer of a decision maker. Political opinions: who holds which is shown to nobody else. Ends with the signature.';
comment on column answer_opinions.signature_id is 'The signature of the user on the petition.';
comment on column answer_opinions.counts is 'Whether the signature is counted. A trigger on signatures keeps it.';
comment on column answer_opinions.changed_at is 'When the signer last changed it; null if never.';

create function opinion_follows_signature() returns trigger
  language plpgsql as $$
begin
  update answer_opinions set counts = (new.state = 'counted')
  where petition_id = new.petition_id and signature_id = new.id;
  return null;
end $$;
