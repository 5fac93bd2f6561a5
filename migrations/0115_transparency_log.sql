-- The public log of what is counted (docs/verifying.md): src/reach/transparency-log. New tables, and a column whose default
-- holds for new rows only: no row is written, however many petitions there are. A backfill gives the others theirs.
alter table petitions add column log_id uuid;
alter table petitions alter column log_id set default gen_random_uuid();
comment on column petitions.log_id is
  'Names the petition in the public log. Null in rows that the backfill has not reached.';

-- One row is updated with each batch.
create table transparency_log (
  is_only boolean primary key default true check (is_only),
  origin text not null,
  base_url text not null,
  size bigint not null default 0,
  edge bytea[] not null default '{}',
  checkpoint text,
  grown_at timestamptz(3),
  published_size bigint not null default 0,
  published_edge bytea[] not null default '{}',
  published_checkpoint text,
  published_at timestamptz(3),
  halted_because text,
  has_gap boolean not null default false,
  scan jsonb,
  check (published_size <= size)
) with (fillfactor = 50);
comment on table transparency_log is 'At most one row: the state of the public log. None until it begins.';
comment on column transparency_log.origin is 'Names the log: host and path.';
comment on column transparency_log.base_url is
  'BASE_URL of the instance that writes the log. Another one, such as a copy for tests, writes nothing.';
comment on column transparency_log.size is 'The number of entries.';
comment on column transparency_log.edge is
  'For each level of the Merkle tree the hashes of its partial tile: what is needed to append.';
comment on column transparency_log.checkpoint is 'The signed note about `size` entries.';
comment on column transparency_log.grown_at is 'When the last batch was added. Batches are a second apart.';
comment on column transparency_log.published_size is
  'The number of entries that the published checkpoint is about; the three columns after it as of that checkpoint.';
comment on column transparency_log.halted_because is
  'Why nothing is added or published: the tiles have another history. Null otherwise.';
comment on column transparency_log.has_gap is
  'Whether something changed while nothing was added. All signatures are compared again then.';
comment on column transparency_log.scan is 'How far that comparison is; null if none is needed.';

create table transparency_petitions (
  number integer primary key generated always as identity,
  petition_id uuid not null unique,
  log_id uuid not null,
  text_version integer not null default 0,
  counted bigint not null default 0,
  imported bigint not null default 0,
  entries bigint not null default 0,
  total_index bigint,
  totalled_at timestamptz(3),
  total_due_at timestamptz(3)
) with (fillfactor = 80);
create index transparency_petitions_due on transparency_petitions (total_due_at)
  where total_due_at is not null;
comment on table transparency_petitions is
  'Petitions in the public log, with the sums of their entries. No foreign key: entries outlive petitions.';
comment on column transparency_petitions.number is 'Names the petition in tables that have a row for each signature.';
comment on column transparency_petitions.text_version is 'The last version of the text that has an entry.';
comment on column transparency_petitions.total_index is 'Index of the last `total` entry.';
comment on column transparency_petitions.total_due_at is 'When the next `total` entry is due; null if nothing changed.';

-- 60 bytes a row, and 31 in the key.
create table transparency_leaves (
  signature_id uuid primary key,
  leaf bigint not null,
  petition integer not null,
  is_undone boolean not null default false
) with (fillfactor = 95);
comment on table transparency_leaves is
  'The `sign` entry of each signature that was counted. A row is deleted once the signature is gone and its entry undone.';
comment on column transparency_leaves.leaf is 'Index of the entry.';
comment on column transparency_leaves.petition is 'Number in transparency_petitions.';

-- 76 bytes a row, and 22 in the key.
create table transparency_openings (
  leaf bigint primary key,
  random bytea not null check (octet_length(random) = 32)
);
comment on table transparency_openings is
  'The random bytes of commitments. A row is deleted when the signature is withdrawn or its account erased.';

create table transparency_entry_lists (
  petition integer not null,
  last bigint not null,
  indexes bigint[] not null,
  primary key (petition, last)
);
comment on table transparency_entry_lists is
  'The indexes of a petition''s entries, ascending: those of one batch in a row, with the last one beside.';

create table transparency_pending_entries (
  index bigint primary key,
  entry bytea not null
);
comment on table transparency_pending_entries is
  'Entries from the last full bundle that was published on. Published ones stand in files.';

create table transparency_partial_tiles (
  level smallint not null,
  index bigint not null,
  width smallint not null,
  primary key (level, index, width)
);
comment on table transparency_partial_tiles is
  'Partial tiles that were written; bundles of entries have level -1. Their files go once the full tile is published.';

create table signature_withdrawals (
  petition_id uuid not null references petitions on delete cascade,
  user_id uuid not null references users on delete cascade,
  withdrawn_at timestamptz(3) not null default now(),
  primary key (petition_id, user_id)
);
create index signature_withdrawals_of_user on signature_withdrawals (user_id);
create index signature_withdrawals_by_time on signature_withdrawals (withdrawn_at);
comment on table signature_withdrawals is
  'Who withdrew a signature in the last 90 days, for the answer to a request for its receipt.';
