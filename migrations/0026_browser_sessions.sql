-- Sessions of browsers that look at the pages. Their cookie is given anew from time to time; one of an
-- earlier generation that comes back was stolen, or its thief's was used, and ends the session.
create table browser_sessions (
  session_id uuid primary key references sessions on delete cascade,
  generation integer not null default 1,
  rotated_at timestamptz not null default now()
);
