-- What was confirmed stays for the rest of its day, so that pressing again after an answer was lost says the same.
-- What it was signed with goes at once.
alter table pending_signatures add column signature_id uuid;
