-- Checks the constraints of 0088 on old rows. Reads the table once; reads and writes go on.
alter table reports validate constraint reports_target_type_check;
alter table reports validate constraint reports_reason_check;
alter table reports validate constraint reports_snapshot_check;
alter table reports validate constraint reports_petition_check;
alter table reports validate constraint reports_one_reporter;
