-- For links that end API keys and webhooks after a password was reset.
alter table one_time_tokens drop constraint one_time_tokens_purpose_check,
  add constraint one_time_tokens_purpose_check
    check (purpose in ('verify-email', 'reset-password', 'end-access'));
