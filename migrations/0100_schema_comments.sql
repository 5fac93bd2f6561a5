-- concurrently
-- Says what tables, columns and functions are for. Changes the catalog only, whatever the size of a table. Each
-- statement is a transaction of its own. Its lock (share update exclusive) lets others read and write the table, and
-- waits for a vacuum of this table only.

-- Platform
comment on table migrations is 'The migrations that were applied, by file name.';
comment on table backfills is 'How far each backfill has come. Workers fill in existing rows in small steps.';
comment on column backfills.cursor is 'Where the next step begins, in a form of the backfill; null: at the start.';
comment on column backfills.rows is 'Rows that were filled in so far.';
comment on column backfills.total is 'Expected number of rows; null if unknown.';
comment on table events is
  'The event log: what happened, in the order of (transaction, position). Rows are written in the transaction that '
  'causes them and never change. The oldest are deleted after a time.';
comment on column events.transaction is
  'The transaction that stored the event, or a newer one that had ended: see event_transaction(). Readers stop before '
  'the oldest transaction in progress.';
comment on column events.petition_id is 'Null for events of no petition. No foreign key: events outlive petitions.';
comment on column events.actor_id is 'The user who caused it; null for the system and for unknown actors.';
comment on table event_followers is 'How far each follower has read the event log: up to and including this place.';
comment on table job_workers is
  'Heartbeats of the processes that run jobs. Jobs of a process whose heartbeat stops are unlocked.';
comment on column job_workers.id is 'The id of the worker in graphile_worker.';
comment on table idempotency_keys is
  'Answers to requests with an Idempotency-Key. A repeated request within 24 hours gets the stored answer.';
comment on column idempotency_keys.key_hash is 'Keyed hash of the user, the method and path, and the Idempotency-Key.';
comment on column idempotency_keys.request_hash is 'SHA-256 of the body. Another body with the same key is refused.';
comment on column idempotency_keys.answer is 'Encrypted; only the Idempotency-Key opens it.';
comment on table idempotent_checks is
  'Checks that requests with an Idempotency-Key make before their transaction, such as a CAPTCHA, so that each is '
  'made once. Unlogged: after a crash of PostgreSQL they are made again.';
comment on column idempotent_checks.id is 'SHA-256 of the key and the body, as hashed in idempotency_keys.';
comment on column idempotent_checks.begun_at is
  'A check that is not done 15 seconds later may be made by another process.';
comment on view settled_ahead is 'The name of idempotent_checks in the version before; dropped by a later one.';
comment on table audit_log is 'Acts of moderators and administrators. A trigger refuses to change or delete rows.';
comment on column audit_log.actor_id is 'No foreign key: the log outlives accounts.';
comment on table audit_reasons is
  'Reasons of acts in the audit log. Separate, since they may name a person and are deleted with that account.';
comment on column audit_reasons.act_id is 'The id in audit_log.';
comment on column audit_reasons.user_id is 'Whom the reason is about.';
comment on table sealed_keys is 'Keys of the service, encrypted with a key derived from SECRET.';
comment on table mail_suppressions is 'Mailboxes that get no mail of some kinds. Rows outlive the account.';
comment on column mail_suppressions.mailbox is 'Keyed hash of the canonical address.';
comment on column mail_suppressions.cause is
  'bounced: mail failed permanently. complained: its owner marked a mail as spam. unsubscribed: its owner wants no '
  'mail that strangers or lists cause.';
comment on table shared_networks is
  'Networks that many people share, such as a school''s, which have a higher limit of signatures.';
comment on column shared_networks.hourly_limit is 'Signatures per address and hour.';

-- Accounts
comment on table users is 'Accounts. Signing by mail creates one too.';
comment on column users.email is 'Compared without case. Domains in Unicode are stored in punycode.';
comment on column users.typed_email is 'The address as its owner typed it, if its domain is not in ASCII; else null.';
comment on column users.password_hash is 'argon2id in PHC form; null for accounts without a password.';
comment on column users.slug is 'The last part of the address of the profile.';
comment on column users.email_verified_at is 'Null while the address is not verified.';
comment on column users.notification_prefs is
  'Switches by channel (in_app, email) and type of notification. Types that were never set have their default.';
comment on column users.petition_count is 'Listed petitions of the user; kept by a trigger on petitions.';
comment on column users.suspended_at is 'Null unless a moderator has suspended the account.';
comment on column users.mailbox is 'Keyed hash of the canonical address; null until a backfill sets it.';
comment on column users.mail_domain is
  'Keyed hash of the domain of the canonical address; null until a backfill sets it.';
comment on column users.has_canonical_address is 'Whether the address is its own canonical form; null like mailbox.';
comment on column users.has_disposable_address is
  'Whether its domain gives out disposable addresses; null like mailbox.';
comment on column users.language is 'The language of mails to the user.';
comment on column users.show_signatures is 'Whether the profile lists what the user signed.';
comment on column users.sign_in_alerts is 'Whether sign-ins from a new device and country are mailed.';
comment on table one_time_tokens is 'Links in mails to accounts. Deleted when used.';
comment on column one_time_tokens.token_hash is 'Keyed hash.';
comment on table phone_verifications is
  'Phone numbers that wait for the code that was sent to them. Deleted when confirmed.';
comment on column phone_verifications.code_hash is 'Keyed hash; null until a code was sent.';
comment on column phone_verifications.tries is 'Codes that were tried; after 5 a new one is needed.';
comment on table address_changes is
  'Changes of an account''s address: confirmed from the new one. The old one stays reserved for 7 days, in which '
  'the change can be undone from it.';
comment on column address_changes.expires_at is 'Until when the change can be confirmed.';
comment on column address_changes.confirmed_at is 'Null until confirmed.';
comment on column address_changes.undone_at is 'Null unless undone.';
comment on table mail_challenges is
  'Proofs that somebody reads a mailbox, by a link or a code, to sign in or to confirm what needs a password '
  'otherwise.';
comment on column mail_challenges.mailbox is 'Keyed hash of the canonical address.';
comment on column mail_challenges.token_hash is 'Keyed hash of the token in the link.';
comment on column mail_challenges.redirect is 'The path to go to afterwards.';
comment on column mail_challenges.registration is
  'Name and password hash of a registration, for the account that the answer creates; else null.';
comment on column mail_challenges.browser_hash is 'Keyed hash of the browser that asked; null by API.';
comment on column mail_challenges.is_mailed is 'False if too many mails went to the mailbox: it can never be answered.';
comment on column mail_challenges.tries is 'Codes that were tried.';
comment on column mail_challenges.used_at is 'Null until answered.';

-- Sessions and credentials
comment on table sessions is
  'Logins: each is the family of refresh tokens, or the browser session, that began with one.';
comment on column sessions.ended_at is 'Null while the session is in force.';
comment on table refresh_tokens is 'Refresh tokens of sessions. Used ones are kept, since reuse ends the session.';
comment on column refresh_tokens.token_hash is 'Keyed hash.';
comment on column refresh_tokens.used_at is 'When it was replaced; null for the newest.';
comment on table browser_sessions is 'Sessions of browsers, whose cookie is replaced from time to time.';
comment on column browser_sessions.generation is
  'The number of the newest cookie. An older one that comes back was stolen and ends the session.';
comment on column browser_sessions.seen is
  'Whether the newest cookie has come back. Until then the one before is valid, since the answer may have been '
  'lost.';
comment on table withdrawn_credentials is
  'Access tokens that are revoked before they expire. Every process reads the changes twice a second.';
comment on column withdrawn_credentials.id is 'The id of a token, session, user or OAuth client.';
comment on column withdrawn_credentials.reason is 'restored: no longer revoked.';
comment on column withdrawn_credentials.expires_at is 'When all tokens concerned have expired.';
comment on table signing_keys is 'Key pairs that sign access tokens.';
comment on column signing_keys.kid is 'The key id in tokens and in the JWKS.';
comment on column signing_keys.private_sealed is 'The private key, encrypted.';
comment on table api_keys is 'Keys by which programs act for the user who created them.';
comment on column api_keys.org_id is 'The organization for which the key acts, while its user is owner or admin there.';
comment on column api_keys.scopes is 'The highest of read, read_write and full applies.';
comment on column api_keys.prefix is 'The beginning of the key, by which people recognise it.';
comment on column api_keys.key_hash is 'Keyed hash.';
comment on column api_keys.expires_at is 'Null if it never expires.';
comment on column api_keys.last_used_at is 'Accurate to a minute; null if never used.';
comment on table replaced_api_keys is 'Keys that a rotation has replaced. They are valid until they expire.';
comment on column replaced_api_keys.key_hash is 'Keyed hash.';
comment on column replaced_api_keys.key_id is 'The row of the key, which has its newest text.';
comment on table oauth_clients is 'Applications that act for users (RFC 6749). The id is the client_id.';
comment on column oauth_clients.secret_hash is 'Keyed hash; null for public clients, which cannot keep a secret.';
comment on table oauth_grants is 'What a user has allowed an application, over all times that they were asked.';
comment on column oauth_grants.last_used_at is 'Null if never used.';
comment on table oauth_authorizations is
  'An authorization code and the family of tokens that it gives. Writers lock its grant first.';
comment on column oauth_authorizations.code_hash is 'Keyed hash.';
comment on column oauth_authorizations.code_challenge is
  'S256 of the verifier (RFC 7636); null for a confidential client that sent none.';
comment on column oauth_authorizations.exchanged_at is 'When the code was exchanged for tokens; null until then.';
comment on column oauth_authorizations.expires_at is 'Of the code; once it is exchanged, of the newest refresh token.';
comment on table oauth_refresh_tokens is 'Refresh tokens of applications. Used ones are kept, to recognise reuse.';
comment on column oauth_refresh_tokens.token_hash is 'Keyed hash.';
comment on column oauth_refresh_tokens.used_at is 'When it was replaced; null for the newest.';
comment on table used_challenges is
  'Proof-of-work challenges that were solved, so that a solution is accepted once. Unlogged: signing waits for no '
  'second flush.';

-- Organizations
comment on table organizations is 'Organizations, for which their owner and admins publish petitions.';
comment on column organizations.verified is 'Set by administrators.';
comment on column organizations.tier is 'The subscription, set by administrators.';
comment on column organizations.current_period_end is 'Until when the subscription is paid; null if unknown.';
comment on column organizations.member_count is 'Rows in memberships; kept by a trigger.';
comment on column organizations.petition_count is 'Listed petitions; kept by a trigger on petitions.';
comment on table memberships is
  'Who belongs to an organization. Writers lock the organization first. If the account of the owner is erased, the '
  'oldest admin, else member, becomes the owner.';

-- Petitions
comment on table categories is 'Categories of petitions.';
comment on column categories.name is 'In English.';
comment on column categories.names is 'Names in other languages, by language code.';
comment on table petitions is
  'Petitions. The row changes with each group of signatures: fillfactor leaves room for that, and writers lock it '
  'last and briefly.';
comment on column petitions.slug is 'The last part of the address of the page.';
comment on column petitions.creator_id is 'Null after the account was erased.';
comment on column petitions.version is
  'Number of the current title and description; signatures keep the one that they signed.';
comment on column petitions.signature_count is
  'Counted signatures and imported ones. Changes in the statement that stores or removes signatures, so it is '
  'always exact.';
comment on column petitions.imported_signature_count is 'Signatures that an import gave as a number only.';
comment on column petitions.invalid_signature_count is 'Invalid signatures. Not part of signature_count.';
comment on column petitions.trend is
  'Hotness: log2 of the sum over its signatures of 2^(days from 1970 to the signature). 0 without signatures.';
comment on column petitions.sort_count is
  'signature_count as of at most 2 seconds ago. Indexed in its place, so that signing writes no index.';
comment on column petitions.sort_trend is 'trend as of at most 2 seconds ago. Indexed like sort_count.';
comment on column petitions.sort_at is 'The date for "newest first": of publishing, else of creation.';
comment on column petitions.listed is 'Whether everybody sees it in lists.';
comment on column petitions.tag_keys is 'The tags in lower case, for filters.';
comment on column petitions.image_alt is 'What the image shows; null if nobody has said so.';
comment on column petitions.language is 'The language of the text; null if unknown, then search guesses it.';
comment on column petitions.org_id is 'The organization for which it is published; null for none.';
comment on column petitions.published_at is 'Null for drafts that were never published.';
comment on column petitions.closed_at is 'Null unless closed or won.';
comment on column petitions.deleted_at is 'Null unless deleted. The row stays for its signatures.';
comment on column petitions.status_since is 'When the status changed last.';
comment on column petitions.hidden_with_creator is 'Whether it is under review only because its creator is suspended.';
comment on column petitions.origins_forgotten is
  'Whether origins, devices and mailboxes of its signatures were erased, some time after it ended.';
comment on column petitions.has_withdrawn_invalid is
  'Whether withdrawn_signatures may have rows of it. Signing looks there only then.';
comment on column petitions.promoted_until is
  'Until when it stands first in the order "trending"; null if never promoted.';
comment on column petitions.access_code_version is
  'The access code of a private petition is derived from its id and this number. Increased to replace the code.';
comment on column petitions.text_changed_at is
  'When the creator last changed a text that 100 signatures or more had counted for; null if never.';
comment on column petitions.text_changed_after is 'signature_count at that change.';
comment on column petitions.text_changed_version is 'The version that the change made.';
comment on column petitions.change_reviewed_at is 'When a moderator looked at the change; null while it waits.';
comment on table petition_versions is 'Texts of petitions: each version that was published, and the draft.';
comment on column petition_versions.title is 'Null after a moderator removed the text.';
comment on column petition_versions.description is 'Null after a moderator removed the text.';
comment on column petition_versions.text_hash is
  'SHA-256 of title, line feed and description; set when a moderator removes the text.';
comment on column petition_versions.redaction_reason is 'Null after the account that it is about was erased.';
comment on column petition_versions.signatures_before is
  'signature_count when the version replaced the one before; null for the first one and for versions before the '
  'column existed.';
comment on table petition_imports is 'Sources of imported petitions. Importing again adds nothing.';
comment on table updates is 'News that creators post on their petitions.';
comment on column updates.image_alt is 'What the image shows; null if nobody has said so.';

-- Signatures
comment on table signatures is 'Signatures. Written once and read by page, so they have few indexes. Ids sort by time.';
comment on column signatures.user_id is 'Null after the signer''s account was erased.';
comment on column signatures.version is 'The version of the petition''s text that was signed.';
comment on column signatures.is_anonymous is 'Whether name and comment are hidden from the public.';
comment on column signatures.display_location is 'The place in the words of the signer.';
comment on column signatures.state is
  'counted: part of signature_count. held: waits for a moderator. invalid: by a rule, or rejected.';
comment on column signatures.invalidated_by is 'The number of the rule in invalidations; null if no rule applies.';
comment on column signatures.is_proven is 'Whether the address was verified when it was given, or since.';
comment on column signatures.mailbox is
  'Hash of the signer''s mailbox for this petition: see mailbox_on(). Outlives the account; null after it was '
  'erased at the end of retention, and in rows that a backfill has not reached.';
comment on column signatures.mail_domain is 'Hash of the mail domain for this petition; null like mailbox.';
comment on column signatures.is_disposable is 'Whether the address was disposable; null like mailbox.';
comment on column signatures.origin is
  'Keyed hashes for this petition: the 40 high bits of the network (/24, of IPv6 /48), the 24 low bits of the '
  'address in it (of IPv6 its /64). Null if unknown, and at the end of retention.';
comment on column signatures.country is 'ISO 3166-1 alpha-2, by the IP address; null if unknown.';
comment on column signatures.device is
  'By the User-Agent: phone (p), tablet (t), desktop (d), bot (b) or unknown (u); null at the end of retention.';
comment on column signatures.autonomous_system is 'Reserved; always null.';
comment on column signatures.privacy_version is 'Reserved; always null.';
comment on column signatures.place is 'Country, region or city, as a path of GeoNames ids; null if unknown.';
comment on column signatures.source is 'The host or campaign from which the signer came; null if unknown.';
comment on column signatures.share_id is 'The share link by which the signer came. No foreign key: it may be gone.';
comment on column signatures.updates is 'Whether the signer wants news of the petition by mail.';
comment on table withdrawn_signatures is
  'States of signatures that were withdrawn while held or invalid. Signing again gives the same state.';
comment on column withdrawn_signatures.mailbox is 'As in signatures.';
comment on table withdrawn_invalid_signatures is
  'As withdrawn_signatures, written by versions before mailboxes. Still read; rows are deleted when their rule is '
  'undone.';
comment on table pending_signatures is
  'Signatures given by mail that wait for confirmation by the link or the code in the mail.';
comment on column pending_signatures.input is 'The signature as the API takes it; empty after confirmation.';
comment on column pending_signatures.has_code is 'Whether the access code of a private petition was given.';
comment on column pending_signatures.language is 'The language of the mails.';
comment on column pending_signatures.browser_hash is 'Keyed hash of the browser that sent the form; null by API.';
comment on column pending_signatures.token_hash is 'Keyed hash of the token in the link.';
comment on column pending_signatures.tries is 'Codes that were tried.';
comment on column pending_signatures.signature_id is 'The signature after confirmation; null until then.';
comment on column pending_signatures.mailed_at is 'When the mail server accepted the first mail; null until then.';
comment on column pending_signatures.reminded_at is 'When the reminder was due; null until then.';
comment on column pending_signatures.reminder_sent_at is
  'When the reminder was handed to the mail server. It is sent once.';
comment on table signing_mail_counts is 'How many signed each petition by mail, step by step.';
comment on column signing_mail_counts.asked is 'Sent the form.';
comment on column signing_mail_counts.mailed is 'Were sent the mail.';
comment on column signing_mail_counts.confirmed is 'Confirmed.';
comment on table milestones is 'Thresholds of the count that petitions have reached: each once, by one signature.';
comment on table voided_milestones is
  'Milestones that an invalidation took back. Their thresholds can be reached again.';
comment on table signing_blocks is 'Networks, mail domains and countries whose signatures are refused or held.';
comment on column signing_blocks.petition_id is 'Null: on all petitions.';
comment on column signing_blocks.value is
  'A network in CIDR form, or the id that the integrity report of this petition gives it; a domain in lower case '
  'and punycode; a country of ISO 3166-1.';
comment on column signing_blocks.created_by is 'Null after the account was erased.';
comment on column signing_blocks.ends_at is 'Null: until it is deleted.';

-- Integrity
comment on table invalidations is
  'Rules by which moderators invalidate signatures of a petition, and the progress of the job that applies or '
  'undoes them. A signature matches if it meets all conditions that are not null.';
comment on column invalidations.number is 'Short id, for signatures.invalidated_by.';
comment on column invalidations.network is
  'Hash of a network as 10 hexadecimal digits, or of an address in it as 16: the bits of signatures.origin.';
comment on column invalidations.disposable is 'Whether only disposable addresses match.';
comment on column invalidations.domains is
  'Mail domains that domain and disposable stood for when the rule was made; null without these.';
comment on column invalidations.about is 'The creator of the petition, with whose account the reason is erased.';
comment on column invalidations.reason is 'Null after the account that it is about was erased.';
comment on column invalidations.matched is 'Valid signatures that matched when the rule was made.';
comment on column invalidations.invalidated is 'Signatures that were invalidated so far.';
comment on column invalidations.restored is 'Signatures that were restored so far.';
comment on column invalidations.looked_at is 'The last signature that the job has examined; null at the start.';
comment on column invalidations.told is 'The last signature whose signer was notified; null at the start.';
comment on table integrity_alerts is 'Unusual growth that the watcher of signatures found.';
comment on column integrity_alerts.value is
  'The id of the network on this petition, the domain, the country, or the start of the burst.';
comment on column integrity_alerts.last_at is 'When the cause was last seen.';
comment on column integrity_alerts.signatures is 'Signatures of this cause in its largest window.';
comment on column integrity_alerts.usual is 'How many were expected in that window.';
comment on table integrity_watch is 'How far the watcher of signatures has read. One row.';
comment on column integrity_watch.is_single is 'Always true: the table has one row.';
comment on column integrity_watch.claimed_until is 'The lease of the process that makes the next step.';
comment on table signature_minutes is 'Counted signatures by minute, for the watcher. Kept for two days.';

-- What people do with petitions
comment on table comments is
  'Comments and replies. Each knows the top of its thread, whose row is locked before anything in the thread '
  'changes.';
comment on column comments.user_id is 'Null after the author''s account was erased, and for placeholders.';
comment on column comments.root_id is 'The top of the thread; its own id for a top-level comment.';
comment on column comments.parent_id is 'Null for a top-level comment.';
comment on column comments.reply_count is
  'Of the top of a thread: replies at any depth that everybody sees. Always exact.';
comment on column comments.last_reply_id is 'Of the top of a thread: the newest reply there ever was.';
comment on column comments.deleted_at is
  'Set for placeholders, which keep the place of a deleted comment with replies; else null.';
comment on column comments.hidden_with_author is 'Whether it is hidden only because its author is suspended.';
comment on table shares is
  'Share links: one for each person and channel, and one for each channel for all people without an account.';
comment on column shares.user_id is 'Null for people without an account.';
comment on column shares.ref is 'The parameter in the link.';
comment on column shares.share_count is
  'Of a person: days (UTC) on which it was shared. Without an account: how often.';
comment on column shares.visits is 'Reads of the petition by the link.';
comment on column shares.signatures is 'Counted signatures by the link, as far as a follower has read the event log.';
comment on table sharers is 'How often each user shared a petition, for its leaderboard.';
comment on column sharers.since is 'When share_count was reached: the first of equals stands first.';
comment on column sharers.hidden is 'Whether the user is suspended.';
comment on table sharer_levels is
  'How many users that are not hidden share a petition so often, so that a rank is a sum of a few rows. Kept by a '
  'trigger on sharers.';
comment on table share_days is 'Shares of a petition on each day (UTC).';
comment on column share_days.by_users is 'By people with an account.';
comment on column share_days.by_others is 'By people without an account.';
comment on table media is 'Uploaded pictures. The files are in the blob store.';
comment on column media.user_id is 'Null after the account was erased, if something still shows the picture.';
comment on column media.record_id is 'The record whose picture it becomes once it is ready; null if none was named.';
comment on column media.token is 'The names of the files are derived from it.';
comment on column media.refusal is
  'Why confirming was refused; null otherwise. Confirming again gives the same answer.';
comment on column media.failure is 'Why processing failed after it was accepted; null otherwise.';
comment on column media.variants is
  '[{size, width, height}], smallest first. size is the intended width and part of the name of the file.';
comment on column media.confirmed_at is 'To the microsecond: of two pictures for one record the later one stays.';
comment on column media.upload_removed is
  'Whether the upload was removed after its address had expired, until when it could be written again.';
comment on column media.image_alt is 'What the picture shows, for the record.';
comment on column media.slow_decodings is 'How often decoding took too long.';
comment on table picture_copies is 'Copies of pictures of other hosts, so that pages load nothing from there.';
comment on column picture_copies.url_hash is 'SHA-256 of the URL.';
comment on column picture_copies.token is 'The names of the files are derived from it.';
comment on column picture_copies.failure is 'Why there is no copy, in words for people; null unless failed.';
comment on column picture_copies.variants is 'As in media.';
comment on column picture_copies.attempts is 'Failed attempts of which a later one may succeed.';
comment on table decision_makers is 'People to whom a petition is addressed and delivered.';
comment on column decision_makers.title is 'Their office.';
comment on column decision_makers.email is 'Null after the account of the petition''s creator was erased.';
comment on column decision_makers.verified_at is 'When a moderator checked who it is; null if not.';
comment on column decision_makers.verified_by is 'Null after the account was erased.';
comment on table decision_maker_links is
  'Deliveries of a petition to a decision maker, each with a link to the portal. The newest link works.';
comment on column decision_maker_links.decision_maker_id is
  'Null after the decision maker was removed from the petition.';
comment on column decision_maker_links.token_hash is
  'Keyed hash of the token, which is derived from the id and stored nowhere.';
comment on column decision_maker_links.summary is 'What is attached to the mail.';
comment on column decision_maker_links.message is 'The creator''s words in the mail; null once it was sent.';
comment on column decision_maker_links.sent_at is 'When the mail server accepted the mail; null until then.';
comment on column decision_maker_links.failed_at is 'When the mail failed permanently, or bounced; null otherwise.';
comment on column decision_maker_links.opened_at is 'When the link was first opened; null until then.';
comment on column decision_maker_links.replaced_at is 'When a newer delivery ended the link; null for the newest.';
comment on column decision_maker_links.mailbox is
  'Keyed hash of the mailbox to which the mail went, to find it by a bounce; null if unknown.';
comment on table decision_maker_responses is 'Responses of decision makers, one each.';
comment on column decision_maker_responses.published_at is
  'Null until it is published, by the creator or when its time has come.';
comment on column decision_maker_responses.answered_from is
  'The domain of the address to which the link was mailed; null for responses before the column existed.';
comment on table payments is 'Payments for promotions. They outlive petition and account.';
comment on column payments.amount is 'In the smallest unit of the currency.';
comment on column payments.currency is 'ISO 4217.';
comment on column payments.provider is 'The name of the payment provider.';
comment on column payments.reference is 'The id of the payment at the provider; null if it gave none.';
comment on column payments.checkout_url is 'Where the payer pays; null if the provider has no such page.';

-- Notifications
comment on table notices is 'Contents of notifications, stored once for all recipients.';
comment on column notices.group_id is
  'Unread notices of one group are shown as one, with their number; null: shown alone.';
comment on column notices.about is 'Title of the petition or name of the organization.';
comment on column notices.detail is
  'Such as the title of an update or the reason of a rejection. Null if there is none, or it was erased.';
comment on column notices.data is 'Ids and slugs by which clients link, as the API shows them.';
comment on column notices.for_user_id is 'The only recipient, with whose account it is deleted; null for others.';
comment on table notification_inboxes is
  'One row for each user who was ever notified. Locked, in the order of user ids, before notifications of the user '
  'change.';
comment on column notification_inboxes.total is 'Rows in notifications.';
comment on column notification_inboxes.unread is 'Rows in notifications that are unread.';
comment on column notification_inboxes.mail_due_at is
  'When the next mail is due; while one is sent, the end of the lease. Null if nothing waits.';
comment on column notification_inboxes.mailed_at is 'When the last mail was sent; null if never.';
comment on column notification_inboxes.mail_failures is 'Consecutive failed attempts to mail.';
comment on table notifications is 'Notifications of users.';
comment on column notifications.id is
  'Changes when another notice is added, so that the notification moves to the top.';
comment on column notifications.notice_id is 'The newest of the notices that it stands for.';
comment on column notifications.count is 'How many notices it stands for.';
comment on column notifications.read_at is 'Null while unread.';
comment on table notification_mails is 'Notices that wait for the next mail to a user.';
comment on table notification_fan_outs is
  'Notices that are being given to everybody who signed a petition, in the order of signature ids.';
comment on column notification_fan_outs.except_ids is 'Users who caused it or were notified otherwise.';
comment on column notification_fan_outs.after_id is 'The last signature whose signer was notified.';
comment on column notification_fan_outs.stepped_at is 'When the last step was made.';

-- Webhooks
comment on table webhook_endpoints is 'URLs to which events are delivered.';
comment on column webhook_endpoints.user_id is 'Null once it was deleted: the row goes in the background.';
comment on column webhook_endpoints.org_id is
  'The organization to whose events it is limited; null for none. No foreign key: the endpoint outlives it and then '
  'gets nothing.';
comment on column webhook_endpoints.secret_sealed is 'The secret that signs deliveries, encrypted; null once deleted.';
comment on column webhook_endpoints.previous_sealed is
  'The secret before the last rotation, encrypted. Signs too until previous_until.';
comment on column webhook_endpoints.failing_since is
  'The first failure after which no delivery succeeded; null if the last one did.';
comment on table webhook_payloads is 'Bodies of deliveries: written once for all endpoints and attempts.';
comment on column webhook_payloads.transaction is
  'The place of the event in the log; null for test events, which are not in it.';
comment on column webhook_payloads.body is
  'Null after the account of a user whom it named was erased. Written again when needed.';
comment on column webhook_payloads.named is 'Users whom the body names.';
comment on table webhook_deliveries is 'Deliveries: one event for one endpoint.';
comment on column webhook_deliveries.event is 'The type of the event.';
comment on column webhook_deliveries.attempts is 'Attempts that have ended.';
comment on column webhook_deliveries.response_status is 'HTTP status of the last attempt; null without an answer.';
comment on column webhook_deliveries.error is 'Why the last attempt failed; null if it did not.';
comment on column webhook_deliveries.next_attempt_at is 'Null once it is delivered or has failed.';
comment on column webhook_deliveries.leased_until is
  'Until when the delivery belongs to the process that took it. In no index, so that taking one writes none.';

-- Search
comment on table search_documents is
  'The searchable form of each listed petition. No foreign key: writers of petitions and of documents never wait '
  'for each other.';
comment on column search_documents.title is 'Words of title (weight A) and tags (B), for ranking.';
comment on column search_documents.document is
  'Words and stems of title, tags and description, and lexemes for filters, such as "=status closed".';
comment on column search_documents.known is 'Bucket of the order "most signed": see search_known().';
comment on column search_documents.day is 'Bucket of the order "newest": days from 1970 to the date of the petition.';
comment on column search_documents.trend is 'Bucket of the order "trending": whole days of petitions.trend.';
comment on table search_sample is 'A random 16th of the documents, for estimating totals and facets.';
comment on column search_sample.is_coarse is 'Whether the row is in the coarse sample: a 16th of the sample.';
comment on table search_words is 'Words of titles and tags, for correcting typing errors.';
comment on column search_words.titles is 'In about how many titles.';
comment on column search_words.variants is 'Prefixes of the word, whole and without any one letter.';
comment on table search_languages is 'About how many documents are in each language.';
comment on table search_changes is
  'Petitions whose documents must be written again. Each change adds a row, so that none is lost while the indexer '
  'reads.';

-- Figures
comment on table signature_days is 'Signatures given on each day (UTC), on all petitions, kept by a follower.';
comment on table signature_hours is
  'Counted signatures by petition and hour, kept by a follower. Withdrawn and invalidated ones are subtracted from '
  'the hour in which they were given. No foreign keys: events may be read after the petition is gone.';
comment on table signature_place_hours is
  'As signature_hours, by place, for maps of the last week. Older rows are deleted.';
comment on column signature_place_hours.place is 'As signatures.place.';
comment on table signature_region_days is 'As signature_hours, by day and region.';
comment on column signature_region_days.region is 'A region such as GB.ENG, or a country; empty if unknown.';
comment on table signature_source_days is 'As signature_hours, by day and source.';
comment on column signature_source_days.source is 'As signatures.source; direct if that is null.';
comment on table all_place_hours is 'signature_place_hours of all petitions together.';
comment on table all_country_days is
  'Counted signatures of all petitions by day and country; the country is empty if unknown.';
comment on table rebuilt_sums is
  'Petitions whose sums were computed from the rows. The follower skips their events up to this place, and then '
  'deletes the row.';
comment on table petition_views is
  'Reads of petitions by others than their creators, by day (UTC) and source. A hundred sources a day, and the rest '
  'together.';

-- Moderation
comment on table reports is 'Reports of content and accounts.';
comment on column reports.target_id is 'No foreign key: a report outlives its target.';
comment on column reports.reporter_id is 'Null for reporters without an account, and after the account was erased.';
comment on column reports.reporter_mailbox is
  'Keyed hash of the mailbox of a reporter without an account; null once the report is decided.';
comment on column reports.network is 'Keyed hash of the reporter''s network; null once the report is decided.';
comment on column reports.author_id is
  'Whose content was reported. No foreign key, so that erasing an account locks no report.';
comment on column reports.petition_id is 'Of a reported signature, by which its row is found; else null.';
comment on column reports.snapshot is
  'Title and text when it was reported. Null after the author''s account was erased, or 6 months after the '
  'decision.';
comment on column reports.action is
  'What a moderator decided on this report; null if open, or the target was judged otherwise.';
comment on column reports.resolved_by is 'Null if open, or after the account was erased.';
comment on table pending_reports is
  'Reports by people without an account that wait for confirmation by the link or the code in the mail.';
comment on column pending_reports.input is 'The report as the API takes it; empty after confirmation.';
comment on column pending_reports.author_id is 'As in reports, and so are petition_id and snapshot.';
comment on column pending_reports.network is 'Keyed hash of the network that sent the form.';
comment on column pending_reports.browser_hash is 'Keyed hash of the browser that sent the form.';
comment on column pending_reports.token_hash is 'Keyed hash of the token in the link.';
comment on column pending_reports.tries is 'Codes that were tried.';
comment on column pending_reports.report_id is 'The report after confirmation; null until then.';
comment on table report_contacts is
  'Addresses of reporters without an account, who are mailed what became of their report.';
comment on table warnings is 'Warnings of moderators to users.';
comment on column warnings.moderator_id is 'No foreign key, so that erasing a moderator reads no warnings.';
comment on column warnings.report_id is 'The report that led to it; null for none.';
comment on table moderation_decisions is
  'Decisions of moderators of which those concerned are notified, and about which they can complain.';
comment on column moderation_decisions.act is 'What was done, such as hide_comment.';
comment on column moderation_decisions.user_id is
  'Whom it concerns; null if only reporters are notified, or after the account was erased.';
comment on column moderation_decisions.reason is
  'What the user is told; null if nothing, or after the account was erased.';
comment on column moderation_decisions.rule is 'The reason of the report that led to it; null for none.';
comment on column moderation_decisions.report_ids is 'Reports that it resolved, whose reporters are notified.';
comment on column moderation_decisions.moderator_id is 'Null after the account was erased.';
comment on column moderation_decisions.expires_at is 'Until when people can complain.';
comment on table complaints is 'Complaints about decisions: one for each side.';
comment on column complaints.side is 'author: whom the decision concerns. reporter: who had reported it.';
comment on column complaints.user_id is 'Null for reporters without an account, and after the account was erased.';
comment on column complaints.text is 'Null after the account was erased.';
comment on column complaints.report_id is 'The report of a reporter without an account; else null.';
comment on column complaints.same_moderator is 'Whether the moderator of the decision also decided the complaint.';

-- Pages
comment on table kept_forms is 'Forms that were sent without a login, until their senders have logged in.';
comment on column kept_forms.token_hash is 'Keyed hash of the token in the sender''s cookie.';
comment on column kept_forms.form is 'The name of the form''s route.';
comment on column kept_forms.content is
  'Path, parameters and values, encrypted with a key that is derived from the token.';

-- Functions
comment on function event_transaction() is
  'The transaction under which an event is stored: its own, or the newest that has ended, if that is newer. A '
  'transaction gets its number before it waits for locks, so others with higher numbers may store events of the '
  'same petition first.';
comment on function told_in() is 'The name of event_transaction() in the version before; dropped by a later one.';
comment on function renumber_restored_log() is
  'Renumbers the event log if it was restored from another server, whose transactions had higher numbers.';
comment on function uuid_v7() is 'A UUIDv7 (RFC 9562), which sorts by time. PostgreSQL has uuidv7() since version 18.';
comment on function trend_after(double precision, double precision, timestamptz) is
  'The trend after signatures of this weight were added at this time; a negative weight removes them.';
comment on function canonical_address(text) is
  'The mailbox of an address: without case and +tag, for Gmail without dots. For accounts that a backfill has not '
  'reached.';
comment on function mailbox_on(uuid, bytea) is
  'Hash of a mailbox for one petition, so that signatures of different petitions cannot be joined by it.';
comment on function withdrawn_signature(uuid, bytea, uuid) is
  'The state that a signature gets that is given again after it was withdrawn. Volatile, to see what was committed '
  'while its statement waited for the petition.';
comment on function invalidation_of_withdrawn(uuid, uuid) is 'As withdrawn_signature(), for versions before mailboxes.';
comment on function complete_signature() is
  'Sets state and mailbox of signatures that versions before mailboxes store. Skips a second signature of a '
  'mailbox.';
comment on function state_follows_rule() is
  'Sets the state of signatures whose rule is changed by versions before states.';
comment on function prove_signatures() is 'Marks the signatures of an account as proven when its address is verified.';
comment on function set_sort_keys() is 'Sets the sort keys of petitions that are inserted with a count.';
comment on function notification_id(uuid) is
  'An id with the time of the notice and random last bits, so that notifications sort like notices.';
comment on function replace_owner() is
  'Makes the oldest admin, else member, the owner of an organization without one. Deletes it if nobody is left.';
comment on function hide_sharer(uuid, boolean) is
  'Hides a user in all leaderboards or shows them again, in the order of petitions.';
comment on function is_sampled_for_search(uuid) is 'Whether the document of a petition is in search_sample.';
comment on function search_known(integer, timestamptz) is
  'floor(2 * log2(1 + signatures)) * 10,000 + months from 1970 to the date of the petition. Changes when signatures '
  'grow by 41%.';
comment on function search_day(timestamptz) is 'Days from 1970.';
comment on function search_trend(double precision) is 'Whole days of a trend.';
comment on function name_words(text) is
  'The words of a name in lower case and without accents, for the index of users by name.';
comment on function picture_tokens(text) is 'Tokens of the pictures of this service that a text shows.';
