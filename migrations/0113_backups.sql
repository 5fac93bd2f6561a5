-- When backups were taken, as their scripts say. A new table: locks nothing that grows.
create table backups (
  taken_at timestamptz(3) primary key
);
comment on table backups is
  'When backups of the instance were taken: written by `npm run backup-taken`, shown to administrators.';
