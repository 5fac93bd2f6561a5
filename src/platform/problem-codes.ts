/** What a code stands for, and what the caller can do. */
export interface CodeExplanation {
  status: readonly number[];
  cause: string;
  cure: string;
}

const explain = (status: number | readonly number[], cause: string, cure: string) => ({
  status: [status].flat(),
  cause,
  cure,
});

/** Every code that names one of several causes of a status. Failures without one have `generalCode`. */
export const problemCodes = {
  idempotency_key_required: explain(
    400,
    'The Idempotency-Key is empty.',
    'Send 1 to 255 characters that no other request has, such as a UUID, or no such header.',
  ),
  token_expired: explain(401, 'The access token has expired.', 'Refresh it, or log in again.'),
  key_expired: explain(
    [401, 409],
    'The API key has reached its expires_at.',
    'Create a new key, or rotate one before it expires.',
  ),
  member_limit_reached: explain(
    402,
    'The tier of the organization has no room for another member.',
    'Remove a member, or change to a larger tier.',
  ),
  insufficient_scope: explain(
    403,
    'The key or grant does not allow this.',
    'Use one with the scope that the message names.',
  ),
  account_suspended: explain(
    403,
    'Moderators have suspended the account.',
    'The mail about it says why, and how to complain.',
  ),
  access_code_required: explain(403, 'The petition is private.', 'Send its access_code.'),
  email_not_verified: explain(
    403,
    'This needs a verified address.',
    'Open the link in the mail, or ask for another by POST /v1/auth/verify-email/resend.',
  ),
  reauthentication_required: explain(
    403,
    'This needs proof that it is you.',
    'Send the password, or sign in again: a sign-in counts for 10 minutes.',
  ),
  wrong_password: explain(
    403,
    'This needs the password of the account, and this one is wrong.',
    'Send the right one, or set a new one by POST /v1/auth/forgot-password.',
  ),
  wrong_code: explain(403, 'The mailed code is wrong.', 'Look again, or ask for a new one.'),
  signup_closed: explain(
    403,
    'Those who run the site have closed sign-up.',
    'Sign petitions by mail; accounts that exist go on working.',
  ),
  signing_refused: explain(
    403,
    'Signatures from this network, country or mail provider are not accepted here.',
    'Sign with another address, or write to the contact of the site.',
  ),
  not_a_signer: explain(
    403,
    'This is for signers of the petition, and no signature of yours counts there.',
    'Sign it. A signature that is held counts once it was checked.',
  ),
  another_moderator: explain(
    403,
    'Another moderator decides about complaints against your decisions.',
    'Leave it to them, or decide when 24 hours have passed.',
  ),
  duplicate_signature: explain(409, 'You have signed already.', 'There is nothing to do.'),
  draft_limit_reached: explain(409, 'You have 100 drafts.', 'Publish or delete some.'),
  organization_limit_reached: explain(
    409,
    'You own 20 organizations, and can own no more.',
    'Hand one over, or delete one.',
  ),
  invalid_state: explain(
    409,
    'The state of the petition or object does not allow this.',
    'Read it first: its status says what is possible.',
  ),
  closing_date_passed: explain(
    409,
    'The closing date of the draft has passed.',
    'Change `closesAt`, or remove it, and publish again.',
  ),
  edit_conflict: explain(
    409,
    'Something else changed it at the same moment.',
    'Read it, and send the change again.',
  ),
  idempotency_key_in_use: explain(
    409,
    'The first request with this Idempotency-Key is under way.',
    'Send it again in a moment: it gets the answer of the first.',
  ),
  not_counted: explain(
    404,
    'The signature was never counted, so it is not in the public log.',
    'Nothing; `state` of your signature says what became of it.',
  ),
  no_sign_entry: explain(
    404,
    'The entry of the public log with this index is not that of a signature.',
    'Send the index of a `sign` entry, such as the one that a receipt names.',
  ),
  email_in_use: explain(409, 'The address has an account.', 'Log in, or use another address.'),
  no_organizer: explain(
    409,
    'The petition has no organizer with a verified address, or it is not published.',
    'Nothing; there is no organizer to write to.',
  ),
  own_petition: explain(
    409,
    'You are the creator of this petition.',
    'Write to the organizers of others, and invite other people than yourself.',
  ),
  name_in_use: explain(409, 'The name is in use.', 'Take another name.'),
  already_member: explain(
    409,
    'They are in the organization already.',
    'Change their role instead.',
  ),
  already_added: explain(
    409,
    'The decision maker is on the petition already, or the organizer was invited.',
    'There is nothing to do.',
  ),
  organizer_limit: explain(
    409,
    'A petition has 20 organizers at most, invitations included.',
    'Remove one before you invite another.',
  ),
  not_accepted: explain(
    409,
    'The organizer has not accepted the invitation.',
    'Offer the petition once they are active.',
  ),
  decision_maker_limit: explain(
    409,
    'A petition has 50 decision makers at most.',
    'Remove one before you add another.',
  ),
  thread_full: explain(
    409,
    'The thread has 1,000 replies.',
    'Start another with a comment of its own.',
  ),
  already_responded: explain(
    409,
    'There is a response already: a link takes one.',
    'Ask the creator of the petition to deliver it again.',
  ),
  already_published: explain(409, 'The response is published.', 'There is nothing to do.'),
  already_confirmed: explain(
    409,
    'The upload was confirmed for something else.',
    'Upload the picture again.',
  ),
  too_many_payments: explain(
    409,
    'Several payments for this petition are pending.',
    'Finish those first, or wait until they expire.',
  ),
  key_limit_reached: explain(409, 'You have 50 API keys.', 'Delete one.'),
  rotation_limit_reached: explain(
    409,
    'An API key can be rotated 50 times in 24 hours.',
    'Wait, or create another key.',
  ),
  client_limit_reached: explain(409, 'You have 50 OAuth clients.', 'Delete one.'),
  endpoint_limit_reached: explain(409, 'You have 50 webhooks.', 'Delete one.'),
  event_expired: explain(
    409,
    'Events are kept for 30 days: this one is gone.',
    'Read the present state of its petition instead.',
  ),
  too_many_subscriptions: explain(
    409,
    'One connection of the WebSocket follows 100 petitions at most.',
    'End a subscription, or open another connection.',
  ),
  complaint_exists: explain(
    409,
    'Your side has complained about this decision already.',
    'Wait for the answer: each side has one complaint.',
  ),
  report_resolved: explain(409, 'Another moderator was faster.', 'There is nothing to do.'),
  target_gone: explain(409, 'The target of the report no longer exists.', 'Dismiss the report.'),
  complaint_decided: explain(409, 'Another moderator was faster.', 'There is nothing to do.'),
  not_reversible: explain(409, 'What was done cannot be undone.', 'Uphold the decision.'),
  invalidation_under_way: explain(
    409,
    'Another rule is being applied to the petition.',
    'Wait until it has ended.',
  ),
  network_known: explain(409, 'The network is in the list.', 'There is nothing to do.'),
  block_exists: explain(409, 'The block is in the list.', 'There is nothing to do.'),
  category_merged: explain(
    409,
    'The category was merged into another one.',
    'Take the one that `merged_into` in GET /v1/admin/categories names.',
  ),
  setting_fixed: explain(
    409,
    'An environment variable of the service sets this.',
    'Change the variable where the service runs, or remove it there.',
  ),
  too_many_tries: explain(
    410,
    'The code was wrong 5 times.',
    'Open the link in the mail, or ask for a new code.',
  ),
  idempotency_key_reused: explain(
    422,
    'The Idempotency-Key was used with another body.',
    'Use a new key for a new request.',
  ),
  tag_limit_exceeded: explain(422, 'There are more than 10 tags.', 'Leave some out.'),
  password_too_common: explain(
    422,
    'The password is a common one, or one’s own name or address.',
    'Choose another: several words that do not belong together are good.',
  ),
  unreadable_report: explain(
    422,
    'The body is no report of a mail server by RFC 3464 or RFC 5965.',
    'Send the report as message/rfc822, unchanged.',
  ),
  module_off: explain(
    501,
    'Those who run the site have switched this part of it off.',
    'Nothing; `modules` of GET /v1/site says which parts are on.',
  ),
  test_mode_off: explain(
    501,
    'There are no test keys on this instance.',
    'Create a live key, or try on an instance of your own.',
  ),
  captcha_unavailable: explain(
    503,
    'The CAPTCHA cannot be checked at the moment.',
    'Try again after Retry-After.',
  ),
} as const satisfies Record<string, CodeExplanation>;

export type ProblemCode = keyof typeof problemCodes;

/** The code of failures whose kind has one cause: `not_found` of `not-found`. */
export const generalCode = (kind: string): string => kind.replaceAll('-', '_');
