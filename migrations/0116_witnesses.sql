-- Witnesses of the public log: src/reach/transparency-log. New tables only: no row is read or written, however many
-- petitions there are.

create table transparency_offered_checkpoints (
  size bigint primary key,
  checkpoint text not null,
  offered_at timestamptz(3) not null default clock_timestamp()
);
comment on table transparency_offered_checkpoints is
  'Published checkpoints that witnesses are asked to cosign: all are offered the same ones, at most one every 2 seconds. The newest 20, and earlier ones that have more cosignatures than all newer ones.';
comment on column transparency_offered_checkpoints.checkpoint is
  'The signed note, without cosignatures of witnesses.';

create table transparency_cosignatures (
  verifier_key text not null,
  size bigint not null,
  line text not null,
  cosigned_at timestamptz(3) not null,
  primary key (verifier_key, size)
);
comment on table transparency_cosignatures is
  'Verified cosignatures of offered checkpoints, and the newest one of each key.';
comment on column transparency_cosignatures.size is 'The number of entries of the checkpoint.';
comment on column transparency_cosignatures.line is 'The signature line of the note, with its line feed.';
comment on column transparency_cosignatures.cosigned_at is 'The time that the witness states.';

create table transparency_witnesses (
  url text primary key,
  known_size bigint not null default 0,
  next_offer_at timestamptz(3) not null default clock_timestamp(),
  behind_since timestamptz(3),
  failures integer not null default 0,
  failure text,
  failed_at timestamptz(3)
) with (fillfactor = 50);
comment on table transparency_witnesses is 'How far offering checkpoints to each witness is.';
comment on column transparency_witnesses.known_size is
  'The size that the witness has cosigned last, as far as is known: where consistency proofs begin.';
comment on column transparency_witnesses.next_offer_at is
  'No process offers anything before: another one does, or the last offer failed.';
comment on column transparency_witnesses.behind_since is
  'Since when there is a checkpoint that the witness has not cosigned; null if there is none.';
comment on column transparency_witnesses.failures is 'Consecutive failures.';
comment on column transparency_witnesses.failure is 'Why the last offer failed; null after a success.';
