-- Uploaded pictures. The files are in the blob store (src/platform/blobs.ts), under names that follow
-- from `token`: the upload as it came, and the variants that are served.
create table media (
  id uuid primary key,
  -- Null once the account of who uploaded it was erased; then it is a picture that something still shows.
  user_id uuid references users on delete set null,
  entity_type text not null check (entity_type in
    ('petition_image', 'petition_update_image', 'user_avatar', 'org_logo', 'org_cover')),
  -- Whose image it becomes once it is ready; null where none was named.
  record_id uuid,
  token text not null unique check (token ~ '^[0-9a-f]{32}$'),
  content_type text not null check (content_type in
    ('image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif')),
  status text not null default 'pending'
    check (status in ('pending', 'uploaded', 'processing', 'ready', 'failed')),
  -- Why confirming was refused, so that it is refused alike when it is tried again.
  refusal text check (refusal is null or status = 'failed'),
  -- [{size, width, height}], smallest first; `size` is the width that was aimed at, and names the file.
  variants jsonb not null default '[]',
  created_at timestamptz(3) not null default now(),
  -- When it was confirmed, to the microsecond: of two pictures for one record the later one stays.
  confirmed_at timestamptz check ((confirmed_at is null) = (status = 'pending' or refusal is not null)),
  -- An upload address can be used again until it ends, so the upload is removed once more after it.
  upload_removed boolean not null default false,
  check ((status = 'ready') = (variants <> '[]'))
);

create index media_of_user on media (user_id, id) where user_id is not null;
create index media_of_record on media (record_id, confirmed_at) where record_id is not null;
create index media_to_sweep on media (created_at) where not upload_removed;
-- Whether a picture is still shown, asked when its uploader is erased.
create index petitions_by_image on petitions (image_url) where image_url is not null;
