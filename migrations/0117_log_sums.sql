-- What the entries of the public log come to, beside the log: which signatures are undone, and what was added on each day.
-- New tables, and two columns of a table of one row: locks nothing that grows. A backfill reads the entries of a log that
-- existed before.
alter table transparency_log add column summed_size bigint not null default 0 check (summed_size <= size);
alter table transparency_log add column days_since date;
comment on column transparency_log.summed_size is
  'The number of entries that transparency_undos and transparency_days are about. Less than `size` only while a backfill reads entries of an earlier version.';
comment on column transparency_log.days_since is
  'The day (UTC) on which that backfill ended: what was added before it stands under no day. Null where there was none.';

-- 16 bytes a row, and 22 in the key.
create table transparency_undos (
  leaf bigint primary key,
  undo bigint not null
);
comment on table transparency_undos is
  'The `sign` entries of which an `undo` is in force. Holds indexes of the public log only, of withdrawn and erased signatures too: not whose they were.';
comment on column transparency_undos.leaf is 'Index of the `sign` entry.';
comment on column transparency_undos.undo is 'Index of the `undo` entry.';

create table transparency_days (
  petition integer not null,
  day date not null,
  signs bigint not null default 0,
  undos bigint not null default 0,
  restores bigint not null default 0,
  imported bigint not null default 0,
  primary key (petition, day)
) with (fillfactor = 80);
comment on table transparency_days is
  'How many entries of each kind were added to the public log on a day (UTC), for each petition.';
comment on column transparency_days.petition is 'Number in transparency_petitions.';
comment on column transparency_days.day is '-infinity: what a backfill read, on any day until transparency_log.days_since.';
comment on column transparency_days.imported is 'The sum of the `import` entries, not their number.';
