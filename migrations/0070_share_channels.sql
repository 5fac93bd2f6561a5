-- More channels by which a petition is shared. Changes the catalog only: the new constraint allows all that the old one
-- did, so rows need no check.
alter table shares drop constraint shares_channel_check;
alter table shares add constraint shares_channel_known check (channel in
  ('facebook', 'x', 'whatsapp', 'telegram', 'signal', 'sms', 'mastodon', 'bluesky', 'email', 'link', 'qr', 'other')) not valid;
