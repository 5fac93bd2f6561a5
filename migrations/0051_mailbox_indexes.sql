-- concurrently

create unique index concurrently if not exists signatures_one_of_mailbox
  on signatures (petition_id, mailbox) where mailbox is not null;

create index concurrently if not exists users_by_mailbox on users (mailbox);

create index concurrently if not exists users_without_mailbox
  on users (canonical_address(email)) where mailbox is null;
