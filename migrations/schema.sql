-- The schema after all migrations, for reading: it is never run. Comments are those that the database holds.
-- Written by `npm run schema` with PostgreSQL 15; run it after each new migration. test/schema.test.ts compares.

-- Changes of an account's address: confirmed from the new one. The old one stays reserved for 7 days, in which the
-- change can be undone from it.
CREATE TABLE address_changes (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    old_email text NOT NULL,
    new_email text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    -- Until when the change can be confirmed.
    expires_at timestamp(3) with time zone DEFAULT (now() + '24:00:00'::interval) NOT NULL,
    -- Null until confirmed.
    confirmed_at timestamp(3) with time zone,
    -- Null unless undone.
    undone_at timestamp(3) with time zone,
    CONSTRAINT address_changes_new_email_check CHECK ((length(new_email) <= 254))
);
ALTER TABLE ONLY address_changes ADD CONSTRAINT address_changes_pkey PRIMARY KEY (id);
CREATE INDEX address_changes_created_at_idx ON address_changes USING btree (created_at);
CREATE INDEX address_changes_reserved ON address_changes USING btree (lower(old_email)) WHERE ((confirmed_at IS NOT NULL) AND (undone_at IS NULL));
CREATE INDEX address_changes_user_id_idx ON address_changes USING btree (user_id);
ALTER TABLE ONLY address_changes ADD CONSTRAINT address_changes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;

-- Counted signatures of all petitions by day and country; the country is empty if unknown.
CREATE TABLE all_country_days (
    day date NOT NULL,
    country text NOT NULL,
    count integer NOT NULL
);
ALTER TABLE ONLY all_country_days ADD CONSTRAINT all_country_days_pkey PRIMARY KEY (day, country);

-- signature_place_hours of all petitions together.
CREATE TABLE all_place_hours (
    hour timestamp(0) with time zone NOT NULL,
    place text NOT NULL,
    count integer NOT NULL
);
ALTER TABLE ONLY all_place_hours ADD CONSTRAINT all_place_hours_pkey PRIMARY KEY (hour, place);

-- Drafts of petitions that were written without an account, for 7 days. They become petitions of the account that
-- claims them.
CREATE TABLE anonymous_drafts (
    -- Also the id of the petition that the draft becomes.
    id uuid NOT NULL,
    -- Keyed hash of the token in the cookie of the browser that wrote it.
    token_hash bytea NOT NULL,
    -- Input of the petition in JSON, encrypted by a key of the token.
    content bytea NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY anonymous_drafts ADD CONSTRAINT anonymous_drafts_pkey PRIMARY KEY (id);
CREATE INDEX anonymous_drafts_created_at_idx ON anonymous_drafts USING btree (created_at);
CREATE INDEX anonymous_drafts_token_hash_idx ON anonymous_drafts USING btree (token_hash);

-- What signers think of the answer of a decision maker. Political opinions: who holds which is shown to nobody else.
-- Ends with the signature.
CREATE TABLE answer_opinions (
    response_id uuid NOT NULL,
    user_id uuid NOT NULL,
    petition_id uuid NOT NULL,
    -- The signature of the user on the petition.
    signature_id uuid NOT NULL,
    opinion text NOT NULL,
    -- Whether the signature is counted. A trigger on signatures keeps it.
    counts boolean DEFAULT true NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    -- When the signer last changed it; null if never.
    changed_at timestamp(3) with time zone,
    CONSTRAINT answer_opinions_opinion_check CHECK ((opinion = ANY (ARRAY['answers'::text, 'partly'::text, 'not'::text])))
);
ALTER TABLE ONLY answer_opinions ADD CONSTRAINT answer_opinions_pkey PRIMARY KEY (user_id, response_id);
CREATE INDEX answer_opinions_of_response ON answer_opinions USING btree (response_id, counts, opinion);
CREATE INDEX answer_opinions_of_signature ON answer_opinions USING btree (petition_id, signature_id);
ALTER TABLE ONLY answer_opinions ADD CONSTRAINT answer_opinions_petition_id_signature_id_fkey FOREIGN KEY (petition_id, signature_id) REFERENCES signatures(petition_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY answer_opinions ADD CONSTRAINT answer_opinions_response_id_fkey FOREIGN KEY (response_id) REFERENCES decision_maker_responses(id) ON DELETE CASCADE;
ALTER TABLE ONLY answer_opinions ADD CONSTRAINT answer_opinions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;

-- Keys by which programs act for the user who created them.
CREATE TABLE api_keys (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    -- The organization for which the key acts, while its user is owner or admin there.
    org_id uuid,
    name text NOT NULL,
    -- The highest of read, read_write and full applies.
    scopes text[] NOT NULL,
    -- The beginning of the key, by which people recognise it.
    prefix text NOT NULL,
    -- Keyed hash.
    key_hash bytea NOT NULL,
    -- Null if it never expires.
    expires_at timestamp(3) with time zone,
    -- Accurate to a minute; null if never used.
    last_used_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    -- Live keys work everywhere, test keys outside production. Decides instead of the prefix, which older keys have by
    -- NODE_ENV.
    environment text DEFAULT 'live'::text NOT NULL,
    CONSTRAINT api_keys_environment_check CHECK ((environment = ANY (ARRAY['live'::text, 'test'::text]))),
    CONSTRAINT api_keys_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
    CONSTRAINT api_keys_scopes_check CHECK (((cardinality(scopes) > 0) AND (scopes <@ '{read,read_write,full}'::text[])))
);
ALTER TABLE ONLY api_keys ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);
CREATE UNIQUE INDEX api_keys_by_hash ON api_keys USING btree (key_hash);
CREATE INDEX api_keys_of_org ON api_keys USING btree (org_id) WHERE (org_id IS NOT NULL);
CREATE INDEX api_keys_of_user ON api_keys USING btree (user_id, id DESC);
ALTER TABLE ONLY api_keys ADD CONSTRAINT api_keys_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE;
ALTER TABLE ONLY api_keys ADD CONSTRAINT api_keys_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;

-- Acts of moderators and administrators. A trigger refuses to change or delete rows.
CREATE TABLE audit_log (
    id uuid NOT NULL,
    -- No foreign key: the log outlives accounts.
    actor_id uuid,
    action text NOT NULL,
    target_type text NOT NULL,
    target_id uuid,
    details jsonb DEFAULT '{}'::jsonb NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY audit_log ADD CONSTRAINT audit_log_pkey PRIMARY KEY (id);
CREATE INDEX audit_log_by_action ON audit_log USING btree (action, id);
CREATE INDEX audit_log_by_actor ON audit_log USING btree (actor_id, id);
CREATE INDEX audit_log_by_target ON audit_log USING btree (target_id, id);
CREATE TRIGGER audit_log_is_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON audit_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Reasons of acts in the audit log. Separate, since they may name a person and are deleted with that account.
CREATE TABLE audit_reasons (
    -- The id in audit_log.
    act_id uuid NOT NULL,
    -- Whom the reason is about.
    user_id uuid,
    reason text NOT NULL,
    CONSTRAINT audit_reasons_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 2000)))
);
ALTER TABLE ONLY audit_reasons ADD CONSTRAINT audit_reasons_pkey PRIMARY KEY (act_id);
CREATE INDEX audit_reasons_about_user ON audit_reasons USING btree (user_id);

-- How far each backfill has come. Workers fill in existing rows in small steps.
CREATE TABLE backfills (
    name text NOT NULL,
    -- Where the next step begins, in a form of the backfill; null: at the start.
    cursor text,
    -- Rows that were filled in so far.
    rows bigint DEFAULT 0 NOT NULL,
    -- Expected number of rows; null if unknown.
    total bigint,
    started_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    completed_at timestamp with time zone
);
ALTER TABLE ONLY backfills ADD CONSTRAINT backfills_pkey PRIMARY KEY (name);

-- When backups of the instance were taken: written by `npm run backup-taken`, shown to administrators.
CREATE TABLE backups (
    taken_at timestamp(3) with time zone NOT NULL
);
ALTER TABLE ONLY backups ADD CONSTRAINT backups_pkey PRIMARY KEY (taken_at);

-- Sessions of browsers, whose cookie is replaced from time to time.
CREATE TABLE browser_sessions (
    session_id uuid NOT NULL,
    -- The number of the newest cookie. An older one that comes back was stolen and ends the session.
    generation integer DEFAULT 1 NOT NULL,
    rotated_at timestamp with time zone DEFAULT now() NOT NULL,
    -- Whether the newest cookie has come back. Until then the one before is valid, since the answer may have been lost.
    seen boolean DEFAULT true NOT NULL
);
ALTER TABLE ONLY browser_sessions ADD CONSTRAINT browser_sessions_pkey PRIMARY KEY (session_id);
ALTER TABLE ONLY browser_sessions ADD CONSTRAINT browser_sessions_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE;

-- Categories of petitions.
CREATE TABLE categories (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    -- In English.
    name text NOT NULL,
    slug text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    -- Names in other languages, by language code.
    names jsonb DEFAULT '{}'::jsonb NOT NULL,
    -- Lists go by it, then by name; those without one come last.
    "position" integer,
    -- The category that has its petitions now, never a merged one itself. Its id and slug lead to that one.
    merged_into uuid,
    CONSTRAINT categories_check CHECK ((merged_into <> id)),
    CONSTRAINT categories_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
    CONSTRAINT categories_names_check CHECK ((jsonb_typeof(names) = 'object'::text)),
    CONSTRAINT categories_position_check CHECK ((("position" >= 0) AND ("position" <= 1000)))
);
ALTER TABLE ONLY categories ADD CONSTRAINT categories_pkey PRIMARY KEY (id);
ALTER TABLE ONLY categories ADD CONSTRAINT categories_slug_key UNIQUE (slug);
CREATE UNIQUE INDEX categories_name_key ON categories USING btree (lower(name));
ALTER TABLE ONLY categories ADD CONSTRAINT categories_merged_into_fkey FOREIGN KEY (merged_into) REFERENCES categories(id);

-- Comments and replies. Each knows the top of its thread, whose row is locked before anything in the thread changes.
CREATE TABLE comments (
    id uuid NOT NULL,
    petition_id uuid NOT NULL,
    -- Null after the author's account was erased, and for placeholders.
    user_id uuid,
    -- The top of the thread; its own id for a top-level comment.
    root_id uuid NOT NULL,
    -- Null for a top-level comment.
    parent_id uuid,
    body text NOT NULL,
    is_hidden boolean DEFAULT false NOT NULL,
    -- Of the top of a thread: replies at any depth that everybody sees. Always exact.
    reply_count integer DEFAULT 0 NOT NULL,
    -- Of the top of a thread: the newest reply there ever was.
    last_reply_id uuid,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    -- Set for placeholders, which keep the place of a deleted comment with replies; else null.
    deleted_at timestamp(3) with time zone,
    -- Whether it is hidden only because its author is suspended.
    hidden_with_author boolean DEFAULT false NOT NULL,
    CONSTRAINT comments_check CHECK (((parent_id IS NULL) = (root_id = id))),
    CONSTRAINT comments_check1 CHECK (((parent_id IS NULL) OR ((reply_count = 0) AND (last_reply_id IS NULL)))),
    CONSTRAINT comments_check2 CHECK (
CASE
    WHEN (deleted_at IS NULL) THEN ((length(body) >= 1) AND (length(body) <= 2000))
    ELSE ((body = ''::text) AND (user_id IS NULL) AND (NOT is_hidden))
END),
    CONSTRAINT comments_check3 CHECK (((NOT hidden_with_author) OR is_hidden)),
    CONSTRAINT comments_reply_count_check CHECK ((reply_count >= 0))
);
ALTER TABLE ONLY comments ADD CONSTRAINT comments_pkey PRIMARY KEY (id);
ALTER TABLE ONLY comments ADD CONSTRAINT comments_thread UNIQUE (root_id, id);
CREATE INDEX comments_answered ON comments USING btree (petition_id, last_reply_id) WHERE (parent_id IS NULL);
CREATE INDEX comments_of_petition ON comments USING btree (petition_id);
CREATE INDEX comments_of_user ON comments USING btree (user_id);
CREATE INDEX comments_popular ON comments USING btree (petition_id, reply_count DESC, id DESC) WHERE (parent_id IS NULL);
CREATE INDEX comments_recent ON comments USING btree (petition_id, id DESC) WHERE (parent_id IS NULL);
CREATE INDEX comments_replies ON comments USING btree (root_id, parent_id);
ALTER TABLE ONLY comments ADD CONSTRAINT comments_parent FOREIGN KEY (root_id, parent_id) REFERENCES comments(root_id, id);
ALTER TABLE ONLY comments ADD CONSTRAINT comments_petition_id_fkey FOREIGN KEY (petition_id) REFERENCES petitions(id) ON DELETE CASCADE;
ALTER TABLE ONLY comments ADD CONSTRAINT comments_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE SET NULL;

-- Complaints about decisions: one for each side.
CREATE TABLE complaints (
    id uuid NOT NULL,
    decision_id uuid NOT NULL,
    -- author: whom the decision concerns. reporter: who had reported it.
    side text NOT NULL,
    -- Null for reporters without an account, and after the account was erased.
    user_id uuid,
    -- Null after the account was erased.
    text text,
    status text DEFAULT 'open'::text NOT NULL,
    decided_by uuid,
    decision_reason text,
    -- Whether the moderator of the decision also decided the complaint.
    same_moderator boolean DEFAULT false NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    decided_at timestamp(3) with time zone,
    -- The report of a reporter without an account; else null.
    report_id uuid,
    CONSTRAINT complaints_check CHECK (((status = 'open'::text) = (decided_at IS NULL))),
    CONSTRAINT complaints_decision_reason_check CHECK (((length(decision_reason) >= 1) AND (length(decision_reason) <= 2000))),
    CONSTRAINT complaints_side_check CHECK ((side = ANY (ARRAY['author'::text, 'reporter'::text]))),
    CONSTRAINT complaints_status_check CHECK ((status = ANY (ARRAY['open'::text, 'upheld'::text, 'reversed'::text]))),
    CONSTRAINT complaints_text_check CHECK (((length(text) >= 1) AND (length(text) <= 2000)))
);
ALTER TABLE ONLY complaints ADD CONSTRAINT complaints_decision_id_side_key UNIQUE (decision_id, side);
ALTER TABLE ONLY complaints ADD CONSTRAINT complaints_pkey PRIMARY KEY (id);
CREATE INDEX complaints_by_status ON complaints USING btree (status, id);
CREATE INDEX complaints_by_user ON complaints USING btree (user_id, id);
CREATE INDEX complaints_decided_by ON complaints USING btree (decided_by);
ALTER TABLE ONLY complaints ADD CONSTRAINT complaints_decision_id_fkey FOREIGN KEY (decision_id) REFERENCES moderation_decisions(id);

-- Deliveries of a petition to a decision maker, each with a link to the portal. The newest link works.
CREATE TABLE decision_maker_links (
    id uuid NOT NULL,
    -- Null after the decision maker was removed from the petition.
    decision_maker_id uuid,
    -- Keyed hash of the token, which is derived from the id and stored nowhere.
    token_hash bytea NOT NULL,
    -- What is attached to the mail.
    summary text NOT NULL,
    -- The creator's words in the mail; null once it was sent.
    message text,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    -- When the mail server accepted the mail; null until then.
    sent_at timestamp(3) with time zone,
    -- When the mail failed permanently, or bounced; null otherwise.
    failed_at timestamp(3) with time zone,
    -- When the link was first opened; null until then.
    opened_at timestamp(3) with time zone,
    -- When a newer delivery ended the link; null for the newest.
    replaced_at timestamp(3) with time zone,
    -- Keyed hash of the mailbox to which the mail went, to find it by a bounce; null if unknown.
    mailbox bytea,
    CONSTRAINT decision_maker_links_check CHECK (((sent_at IS NULL) OR (failed_at IS NULL))),
    CONSTRAINT decision_maker_links_check1 CHECK (((message IS NULL) OR ((sent_at IS NULL) AND (failed_at IS NULL)))),
    CONSTRAINT decision_maker_links_message_check CHECK ((length(message) <= 2000)),
    CONSTRAINT decision_maker_links_summary_check CHECK ((summary = ANY (ARRAY['pdf'::text, 'csv'::text, 'none'::text])))
);
ALTER TABLE ONLY decision_maker_links ADD CONSTRAINT decision_maker_links_pkey PRIMARY KEY (id);
ALTER TABLE ONLY decision_maker_links ADD CONSTRAINT decision_maker_links_token_hash_key UNIQUE (token_hash);
CREATE UNIQUE INDEX decision_maker_links_current ON decision_maker_links USING btree (decision_maker_id) WHERE (replaced_at IS NULL);
CREATE INDEX decision_maker_links_decision_maker_id_idx ON decision_maker_links USING btree (decision_maker_id);
CREATE INDEX decision_maker_links_mailbox ON decision_maker_links USING btree (mailbox) WHERE (mailbox IS NOT NULL);
CREATE INDEX decision_maker_links_pending ON decision_maker_links USING btree (decision_maker_id) WHERE ((sent_at IS NULL) AND (failed_at IS NULL) AND (replaced_at IS NULL));
ALTER TABLE ONLY decision_maker_links ADD CONSTRAINT decision_maker_links_decision_maker_id_fkey FOREIGN KEY (decision_maker_id) REFERENCES decision_makers(id) ON DELETE SET NULL;

-- Responses of decision makers, one by each link.
CREATE TABLE decision_maker_responses (
    id uuid NOT NULL,
    petition_id uuid NOT NULL,
    -- As maker_id, in rows of the release before that column existed; null in others.
    decision_maker_id uuid,
    body text NOT NULL,
    status text,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    -- Null until it is published, by the creator or when its time has come.
    published_at timestamp(3) with time zone,
    -- The domain of the address to which the link was mailed; null for responses before the column existed.
    answered_from text,
    -- Who responded.
    maker_id uuid,
    -- The link by which it was given; null for responses before the column existed.
    link_id uuid,
    -- The decision maker says that it is not theirs to decide.
    not_responsible boolean DEFAULT false NOT NULL,
    -- Whose it is instead; null if they do not say.
    responsible text,
    CONSTRAINT decision_maker_responses_body_check CHECK (((length(body) >= 1) AND (length(body) <= 10000))),
    CONSTRAINT decision_maker_responses_responsible_check CHECK (((responsible IS NULL) OR (not_responsible AND ((length(responsible) >= 1) AND (length(responsible) <= 300))))),
    CONSTRAINT decision_maker_responses_status_check CHECK ((status = ANY (ARRAY['acknowledged'::text, 'supportive'::text, 'opposed'::text, 'neutral'::text])))
);
ALTER TABLE ONLY decision_maker_responses ADD CONSTRAINT decision_maker_responses_once UNIQUE (decision_maker_id);
ALTER TABLE ONLY decision_maker_responses ADD CONSTRAINT decision_maker_responses_pkey PRIMARY KEY (id);
CREATE UNIQUE INDEX decision_maker_responses_by_link ON decision_maker_responses USING btree (link_id);
CREATE INDEX decision_maker_responses_by_maker ON decision_maker_responses USING btree (maker_id, id);
CREATE INDEX decision_maker_responses_due ON decision_maker_responses USING btree (created_at) WHERE (published_at IS NULL);
CREATE INDEX decision_maker_responses_petition_id_id_idx ON decision_maker_responses USING btree (petition_id, id DESC);
ALTER TABLE ONLY decision_maker_responses ADD CONSTRAINT decision_maker_responses_decision_maker_id_fkey FOREIGN KEY (decision_maker_id) REFERENCES decision_makers(id);
ALTER TABLE ONLY decision_maker_responses ADD CONSTRAINT decision_maker_responses_link_id_fkey FOREIGN KEY (link_id) REFERENCES decision_maker_links(id) ON DELETE SET NULL;
ALTER TABLE ONLY decision_maker_responses ADD CONSTRAINT decision_maker_responses_maker_id_fkey FOREIGN KEY (maker_id) REFERENCES decision_makers(id);
ALTER TABLE ONLY decision_maker_responses ADD CONSTRAINT decision_maker_responses_petition_id_fkey FOREIGN KEY (petition_id) REFERENCES petitions(id) ON DELETE CASCADE;
CREATE TRIGGER decision_maker_responses_maker BEFORE INSERT ON decision_maker_responses FOR EACH ROW EXECUTE FUNCTION fill_maker_of_response();

-- People to whom a petition is addressed and delivered.
CREATE TABLE decision_makers (
    id uuid NOT NULL,
    petition_id uuid NOT NULL,
    name text NOT NULL,
    -- Their office.
    title text,
    -- Null after the account of the petition's creator was erased.
    email text,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    -- When a moderator checked who it is; null if not.
    verified_at timestamp(3) with time zone,
    -- Null after the account was erased.
    verified_by uuid,
    CONSTRAINT decision_makers_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
    CONSTRAINT decision_makers_title_check CHECK ((length(title) <= 200))
);
ALTER TABLE ONLY decision_makers ADD CONSTRAINT decision_makers_pkey PRIMARY KEY (id);
CREATE UNIQUE INDEX decision_makers_once ON decision_makers USING btree (petition_id, lower(email));
CREATE INDEX decision_makers_petition_id_idx ON decision_makers USING btree (petition_id);
CREATE INDEX decision_makers_verified_by_idx ON decision_makers USING btree (verified_by) WHERE (verified_by IS NOT NULL);
ALTER TABLE ONLY decision_makers ADD CONSTRAINT decision_makers_petition_id_fkey FOREIGN KEY (petition_id) REFERENCES petitions(id) ON DELETE CASCADE;

-- How far each follower has read the event log: up to and including this place.
CREATE TABLE event_followers (
    name text NOT NULL,
    transaction xid8 NOT NULL,
    "position" bigint NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY event_followers ADD CONSTRAINT event_followers_pkey PRIMARY KEY (name);

-- The event log: what happened, in the order of (transaction, position). Rows are written in the transaction that
-- causes them and never change. The oldest are deleted after a time.
CREATE TABLE events (
    -- The transaction that stored the event, or a newer one that had ended: see event_transaction(). Readers stop
    -- before the oldest transaction in progress.
    transaction xid8 DEFAULT event_transaction() NOT NULL,
    "position" bigint NOT NULL,
    id uuid DEFAULT uuid_v7() NOT NULL,
    type text NOT NULL,
    -- Null for events of no petition. No foreign key: events outlive petitions.
    petition_id uuid,
    actor_type text NOT NULL,
    -- The user who caused it; null for the system and for unknown actors.
    actor_id uuid,
    data jsonb DEFAULT '{}'::jsonb NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    CONSTRAINT events_actor_type_check CHECK ((actor_type = ANY (ARRAY['user'::text, 'api_key'::text, 'decision_maker'::text, 'admin'::text, 'system'::text])))
);
ALTER TABLE events ALTER COLUMN "position" ADD GENERATED ALWAYS AS IDENTITY ( SEQUENCE NAME events_position_seq START WITH 1 INCREMENT BY 1 NO MINVALUE NO MAXVALUE CACHE 1 );
ALTER TABLE ONLY events ADD CONSTRAINT events_pkey PRIMARY KEY (transaction, "position");
CREATE INDEX events_by_id ON events USING brin (id) WITH (pages_per_range='16', autosummarize='on');
CREATE INDEX events_of_petition ON events USING btree (petition_id, transaction, "position") WHERE (type <> 'comment.created'::text);

-- Slugs that petitions had before their first publication, where their titles changed. They lead to the petition, and
-- no other gets them.
CREATE TABLE former_slugs (
    slug text NOT NULL,
    petition_id uuid NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY former_slugs ADD CONSTRAINT former_slugs_pkey PRIMARY KEY (slug);
CREATE INDEX former_slugs_petition_id_idx ON former_slugs USING btree (petition_id);
ALTER TABLE ONLY former_slugs ADD CONSTRAINT former_slugs_petition_id_fkey FOREIGN KEY (petition_id) REFERENCES petitions(id) ON DELETE CASCADE;

-- Answers to requests with an Idempotency-Key. A repeated request within 24 hours gets the stored answer.
CREATE TABLE idempotency_keys (
    -- Keyed hash of the user, the method and path, and the Idempotency-Key.
    key_hash bytea NOT NULL,
    -- SHA-256 of the body. Another body with the same key is refused.
    request_hash bytea NOT NULL,
    -- Encrypted; only the Idempotency-Key opens it.
    answer bytea NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY idempotency_keys ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (key_hash);
CREATE INDEX idempotency_keys_created_at_idx ON idempotency_keys USING btree (created_at);

-- Checks that requests with an Idempotency-Key make before their transaction, such as a CAPTCHA, so that each is made
-- once. Unlogged: after a crash of PostgreSQL they are made again.
CREATE UNLOGGED TABLE idempotent_checks (
    -- SHA-256 of the key and the body, as hashed in idempotency_keys.
    id bytea NOT NULL,
    -- A check that is not done 15 seconds later may be made by another process.
    begun_at timestamp with time zone DEFAULT now() NOT NULL,
    is_done boolean DEFAULT false NOT NULL,
    CONSTRAINT idempotent_checks_id_check CHECK ((length(id) = 32))
);
ALTER TABLE ONLY idempotent_checks ADD CONSTRAINT idempotent_checks_pkey PRIMARY KEY (id);

-- One row: what runs on this database.
CREATE TABLE instance (
    is_only boolean DEFAULT true NOT NULL,
    -- The version of the software that migrated the database last.
    version text NOT NULL,
    -- BASE_URL of the process that started last, for commands that are run without that setting.
    base_url text,
    CONSTRAINT instance_is_only_check CHECK (is_only)
);
ALTER TABLE ONLY instance ADD CONSTRAINT instance_pkey PRIMARY KEY (is_only);

-- Unusual growth that the watcher of signatures found.
CREATE TABLE integrity_alerts (
    id uuid NOT NULL,
    petition_id uuid NOT NULL,
    kind text NOT NULL,
    -- The id of the network on this petition, the domain, the country, or the start of the burst.
    value text NOT NULL,
    since timestamp with time zone NOT NULL,
    -- When the cause was last seen.
    last_at timestamp with time zone NOT NULL,
    -- Signatures of this cause in its largest window.
    signatures integer NOT NULL,
    -- How many were expected in that window.
    usual real NOT NULL,
    CONSTRAINT integrity_alerts_kind_check CHECK ((kind = ANY (ARRAY['burst'::text, 'network'::text, 'domain'::text, 'mailbox'::text, 'country'::text])))
);
ALTER TABLE ONLY integrity_alerts ADD CONSTRAINT integrity_alerts_pkey PRIMARY KEY (id);
CREATE INDEX integrity_alerts_petition_id_last_at_idx ON integrity_alerts USING btree (petition_id, last_at);
ALTER TABLE ONLY integrity_alerts ADD CONSTRAINT integrity_alerts_petition_id_fkey FOREIGN KEY (petition_id) REFERENCES petitions(id) ON DELETE CASCADE;

-- How far the watcher of signatures has read. One row.
CREATE TABLE integrity_watch (
    -- Always true: the table has one row.
    is_single boolean DEFAULT true NOT NULL,
    read_until timestamp with time zone NOT NULL,
    -- The lease of the process that makes the next step.
    claimed_until timestamp with time zone NOT NULL,
    CONSTRAINT integrity_watch_is_single_check CHECK (is_single)
);
ALTER TABLE ONLY integrity_watch ADD CONSTRAINT integrity_watch_pkey PRIMARY KEY (is_single);

-- Rules by which moderators invalidate signatures of a petition, and the progress of the job that applies or undoes
-- them. A signature matches if it meets all conditions that are not null.
CREATE TABLE invalidations (
    id uuid NOT NULL,
    -- Short id, for signatures.invalidated_by.
    number integer NOT NULL,
    petition_id uuid NOT NULL,
    -- Hash of a network as 10 hexadecimal digits, or of an address in it as 16: the bits of signatures.origin.
    network text,
    country text,
    domain text,
    -- Whether only disposable addresses match.
    disposable boolean NOT NULL,
    signed_from timestamp(3) with time zone,
    signed_until timestamp(3) with time zone,
    -- Mail domains that domain and disposable stood for when the rule was made; null without these.
    domains text[],
    -- Null after the account that it is about was erased.
    reason text,
    state text DEFAULT 'applying'::text NOT NULL,
    -- Valid signatures that matched when the rule was made.
    matched integer NOT NULL,
    -- Signatures that were invalidated so far.
    invalidated integer DEFAULT 0 NOT NULL,
    -- Signatures that were restored so far.
    restored integer DEFAULT 0 NOT NULL,
    -- The last signature that the job has examined; null at the start.
    looked_at uuid,
    -- The last signature whose signer was notified; null at the start.
    told uuid,
    created_by uuid,
    undone_by uuid,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    applied_at timestamp(3) with time zone,
    undone_at timestamp(3) with time zone,
    -- The creator of the petition, with whose account the reason is erased.
    about uuid,
    CONSTRAINT invalidations_check CHECK (((network IS NOT NULL) OR (country IS NOT NULL) OR (domains IS NOT NULL) OR (signed_from IS NOT NULL) OR (signed_until IS NOT NULL))),
    CONSTRAINT invalidations_network_check CHECK ((network ~ '^[0-9a-f]{10}([0-9a-f]{6})?$'::text)),
    CONSTRAINT invalidations_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 1000))),
    CONSTRAINT invalidations_state_check CHECK ((state = ANY (ARRAY['applying'::text, 'applied'::text, 'undoing'::text, 'undone'::text])))
);
ALTER TABLE invalidations ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY ( SEQUENCE NAME invalidations_number_seq START WITH 1 INCREMENT BY 1 NO MINVALUE NO MAXVALUE CACHE 1 );
ALTER TABLE ONLY invalidations ADD CONSTRAINT invalidations_number_key UNIQUE (number);
ALTER TABLE ONLY invalidations ADD CONSTRAINT invalidations_pkey PRIMARY KEY (id);
CREATE INDEX invalidations_about_user ON invalidations USING btree (about) WHERE (about IS NOT NULL);
CREATE INDEX invalidations_of_petition ON invalidations USING btree (petition_id, id DESC);
CREATE UNIQUE INDEX invalidations_one_at_a_time ON invalidations USING btree (petition_id) WHERE (state = ANY (ARRAY['applying'::text, 'undoing'::text]));
ALTER TABLE ONLY invalidations ADD CONSTRAINT invalidations_created_by_fkey FOREIGN KEY (created_by) REFERENCES users(id) ON DELETE SET NULL;
ALTER TABLE ONLY invalidations ADD CONSTRAINT invalidations_petition_id_fkey FOREIGN KEY (petition_id) REFERENCES petitions(id) ON DELETE CASCADE;
ALTER TABLE ONLY invalidations ADD CONSTRAINT invalidations_undone_by_fkey FOREIGN KEY (undone_by) REFERENCES users(id) ON DELETE SET NULL;

-- Heartbeats of the processes that run jobs. Jobs of a process whose heartbeat stops are unlocked.
CREATE TABLE job_workers (
    -- The id of the worker in graphile_worker.
    id text NOT NULL,
    seen_at timestamp with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY job_workers ADD CONSTRAINT job_workers_pkey PRIMARY KEY (id);

-- Forms that were sent without a login, until their senders have logged in.
CREATE TABLE kept_forms (
    -- Keyed hash of the token in the sender's cookie.
    token_hash bytea NOT NULL,
    -- The name of the form's route.
    form text NOT NULL,
    -- Path, parameters and values, encrypted with a key that is derived from the token.
    content bytea NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    -- Keyed hash of the token and the account that opened the form first; null until then.
    opener_hash bytea
);
ALTER TABLE ONLY kept_forms ADD CONSTRAINT kept_forms_pkey PRIMARY KEY (token_hash);
CREATE INDEX kept_forms_created_at_idx ON kept_forms USING btree (created_at);

-- Proofs that somebody reads a mailbox, by a link or a code, to sign in or to confirm what needs a password otherwise.
CREATE TABLE mail_challenges (
    id uuid NOT NULL,
    email text NOT NULL,
    -- Keyed hash of the canonical address.
    mailbox bytea NOT NULL,
    -- Keyed hash of the token in the link.
    token_hash bytea NOT NULL,
    -- The path to go to afterwards.
    redirect text,
    language text NOT NULL,
    -- Name and password hash of a registration, for the account that the answer creates; else null.
    registration jsonb,
    -- Keyed hash of the browser that asked; null by API.
    browser_hash bytea,
    -- False if too many mails went to the mailbox: it can never be answered.
    is_mailed boolean NOT NULL,
    -- Codes that were tried.
    tries smallint DEFAULT 0 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    expires_at timestamp(3) with time zone DEFAULT (now() + '00:15:00'::interval) NOT NULL,
    -- Null until answered.
    used_at timestamp(3) with time zone,
    CONSTRAINT mail_challenges_email_check CHECK ((length(email) <= 254))
);
ALTER TABLE ONLY mail_challenges ADD CONSTRAINT mail_challenges_pkey PRIMARY KEY (id);
ALTER TABLE ONLY mail_challenges ADD CONSTRAINT mail_challenges_token_hash_key UNIQUE (token_hash);
CREATE INDEX mail_challenges_expires_at_idx ON mail_challenges USING btree (expires_at);
CREATE INDEX mail_challenges_mailbox_id_idx ON mail_challenges USING btree (mailbox, id DESC);

-- Mailboxes that get no mail of some kinds. Rows outlive the account.
CREATE TABLE mail_suppressions (
    -- Keyed hash of the canonical address.
    mailbox bytea NOT NULL,
    -- bounced: mail failed permanently. complained: its owner marked a mail as spam. unsubscribed: its owner wants no
    -- mail that strangers or lists cause.
    cause text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT mail_suppressions_cause_check CHECK ((cause = ANY (ARRAY['bounced'::text, 'complained'::text, 'unsubscribed'::text])))
);
ALTER TABLE ONLY mail_suppressions ADD CONSTRAINT mail_suppressions_pkey PRIMARY KEY (mailbox, cause);

-- Uploaded pictures. The files are in the blob store.
CREATE TABLE media (
    id uuid NOT NULL,
    -- Null after the account was erased, if something still shows the picture.
    user_id uuid,
    entity_type text NOT NULL,
    -- The record whose picture it becomes once it is ready; null if none was named.
    record_id uuid,
    -- The names of the files are derived from it.
    token text NOT NULL,
    content_type text NOT NULL,
    status text DEFAULT 'pending'::text NOT NULL,
    -- Why confirming was refused; null otherwise. Confirming again gives the same answer.
    refusal text,
    -- [{size, width, height}], smallest first. size is the intended width and part of the name of the file.
    variants jsonb DEFAULT '[]'::jsonb NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    -- To the microsecond: of two pictures for one record the later one stays.
    confirmed_at timestamp with time zone,
    -- Whether the upload was removed after its address had expired, until when it could be written again.
    upload_removed boolean DEFAULT false NOT NULL,
    -- What the picture shows, for the record.
    image_alt text,
    -- Why processing failed after it was accepted; null otherwise.
    failure text,
    -- How often decoding took too long.
    slow_decodings integer DEFAULT 0 NOT NULL,
    CONSTRAINT media_check CHECK (((refusal IS NULL) OR (status = 'failed'::text))),
    CONSTRAINT media_check1 CHECK (((confirmed_at IS NULL) = ((status = 'pending'::text) OR (refusal IS NOT NULL)))),
    CONSTRAINT media_check2 CHECK (((status = 'ready'::text) = (variants <> '[]'::jsonb))),
    CONSTRAINT media_content_type_check CHECK ((content_type = ANY (ARRAY['image/jpeg'::text, 'image/png'::text, 'image/webp'::text, 'image/gif'::text, 'image/avif'::text]))),
    CONSTRAINT media_entity_type_check CHECK ((entity_type = ANY (ARRAY['petition_image'::text, 'petition_update_image'::text, 'user_avatar'::text, 'org_logo'::text, 'org_cover'::text]))),
    CONSTRAINT media_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'uploaded'::text, 'processing'::text, 'ready'::text, 'failed'::text]))),
    CONSTRAINT media_token_check CHECK ((token ~ '^[0-9a-f]{32}$'::text))
);
ALTER TABLE ONLY media ADD CONSTRAINT media_pkey PRIMARY KEY (id);
ALTER TABLE ONLY media ADD CONSTRAINT media_token_key UNIQUE (token);
ALTER TABLE media ADD CONSTRAINT media_image_alt CHECK (((length(image_alt) >= 1) AND (length(image_alt) <= 300))) NOT VALID;
CREATE INDEX media_of_record ON media USING btree (record_id, confirmed_at) WHERE (record_id IS NOT NULL);
CREATE INDEX media_of_user ON media USING btree (user_id, id) WHERE (user_id IS NOT NULL);
CREATE INDEX media_to_sweep ON media USING btree (created_at) WHERE (NOT upload_removed);
ALTER TABLE ONLY media ADD CONSTRAINT media_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE SET NULL;

-- Who belongs to an organization. Writers lock the organization first. If the account of the owner is erased, the
-- oldest admin, else member, becomes the owner.
CREATE TABLE memberships (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    user_id uuid NOT NULL,
    role text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    CONSTRAINT memberships_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'member'::text])))
);
ALTER TABLE ONLY memberships ADD CONSTRAINT memberships_once UNIQUE (user_id, org_id);
ALTER TABLE ONLY memberships ADD CONSTRAINT memberships_pkey PRIMARY KEY (id);
CREATE INDEX memberships_by_role ON memberships USING btree (org_id, role, id);
CREATE INDEX memberships_of_organization ON memberships USING btree (org_id, id);
CREATE UNIQUE INDEX memberships_one_owner ON memberships USING btree (org_id) WHERE (role = 'owner'::text);
ALTER TABLE ONLY memberships ADD CONSTRAINT memberships_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE;
ALTER TABLE ONLY memberships ADD CONSTRAINT memberships_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
CREATE TRIGGER memberships_counted AFTER INSERT OR DELETE ON memberships FOR EACH ROW EXECUTE FUNCTION count_members();
CREATE TRIGGER memberships_keep_an_owner AFTER DELETE ON memberships FOR EACH ROW WHEN ((old.role = 'owner'::text)) EXECUTE FUNCTION replace_owner();

-- The migrations that were applied, by file name.
CREATE TABLE migrations (
    name text NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY migrations ADD CONSTRAINT migrations_pkey PRIMARY KEY (name);

-- Thresholds of the count that petitions have reached: each once, by one signature.
CREATE TABLE milestones (
    petition_id uuid NOT NULL,
    threshold integer NOT NULL,
    signature_id uuid NOT NULL,
    reached_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY milestones ADD CONSTRAINT milestones_pkey PRIMARY KEY (petition_id, threshold);
ALTER TABLE ONLY milestones ADD CONSTRAINT milestones_petition_id_fkey FOREIGN KEY (petition_id) REFERENCES petitions(id) ON DELETE CASCADE;

-- Decisions of moderators of which those concerned are notified, and about which they can complain.
CREATE TABLE moderation_decisions (
    id uuid NOT NULL,
    -- What was done, such as hide_comment.
    act text NOT NULL,
    target_type text NOT NULL,
    target_id uuid NOT NULL,
    petition_id uuid,
    -- Whom it concerns; null if only reporters are notified, or after the account was erased.
    user_id uuid,
    -- What the user is told; null if nothing, or after the account was erased.
    reason text,
    -- The reason of the report that led to it; null for none.
    rule text,
    -- Reports that it resolved, whose reporters are notified.
    report_ids uuid[] DEFAULT '{}'::uuid[] NOT NULL,
    -- Null after the account was erased.
    moderator_id uuid,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    -- Until when people can complain.
    expires_at timestamp(3) with time zone DEFAULT (now() + '6 mons'::interval) NOT NULL,
    CONSTRAINT moderation_decisions_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 2000)))
);
ALTER TABLE ONLY moderation_decisions ADD CONSTRAINT moderation_decisions_pkey PRIMARY KEY (id);
CREATE INDEX moderation_decisions_about_user ON moderation_decisions USING btree (user_id, id);
CREATE INDEX moderation_decisions_by_moderator ON moderation_decisions USING btree (moderator_id);

-- Contents of notifications, stored once for all recipients.
CREATE TABLE notices (
    id uuid NOT NULL,
    event_id uuid NOT NULL,
    type text NOT NULL,
    -- Unread notices of one group are shown as one, with their number; null: shown alone.
    group_id uuid,
    petition_id uuid,
    -- Title of the petition or name of the organization.
    about text NOT NULL,
    -- Such as the title of an update or the reason of a rejection. Null if there is none, or it was erased.
    detail text,
    -- Ids and slugs by which clients link, as the API shows them.
    data jsonb NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    -- The only recipient, with whose account it is deleted; null for others.
    for_user_id uuid
);
ALTER TABLE ONLY notices ADD CONSTRAINT notices_event_id_type_key UNIQUE (event_id, type);
ALTER TABLE ONLY notices ADD CONSTRAINT notices_pkey PRIMARY KEY (id);
CREATE INDEX notices_created_at_idx ON notices USING btree (created_at);
CREATE INDEX notices_for_user ON notices USING btree (for_user_id) WHERE (for_user_id IS NOT NULL);
CREATE INDEX notices_of_organization ON notices USING btree (((data ->> 'org_id'::text))) WHERE (data ? 'org_id'::text);
CREATE INDEX notices_of_petition ON notices USING btree (petition_id) WHERE (petition_id IS NOT NULL);
CREATE INDEX notices_of_update ON notices USING btree (((data ->> 'update_id'::text))) WHERE (data ? 'update_id'::text);

-- Notices that are being given to everybody who signed a petition, in the order of signature ids.
CREATE TABLE notification_fan_outs (
    notice_id uuid NOT NULL,
    petition_id uuid NOT NULL,
    -- Users who caused it or were notified otherwise.
    except_ids uuid[] NOT NULL,
    -- The last signature whose signer was notified; for followers, the last of them.
    after_id uuid DEFAULT '00000000-0000-0000-0000-000000000000'::uuid NOT NULL,
    -- When the last step was made.
    stepped_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    audience text DEFAULT 'signers'::text NOT NULL,
    CONSTRAINT notification_fan_outs_audience_check CHECK ((audience = ANY (ARRAY['signers'::text, 'followers'::text])))
);
ALTER TABLE ONLY notification_fan_outs ADD CONSTRAINT notification_fan_outs_pkey PRIMARY KEY (notice_id);
CREATE INDEX notification_fan_outs_petition_id_idx ON notification_fan_outs USING btree (petition_id);
ALTER TABLE ONLY notification_fan_outs ADD CONSTRAINT notification_fan_outs_notice_id_fkey FOREIGN KEY (notice_id) REFERENCES notices(id) ON DELETE CASCADE;
ALTER TABLE ONLY notification_fan_outs ADD CONSTRAINT notification_fan_outs_petition_id_fkey FOREIGN KEY (petition_id) REFERENCES petitions(id) ON DELETE CASCADE;

-- One row for each user who was ever notified. Locked, in the order of user ids, before notifications of the user
-- change.
CREATE TABLE notification_inboxes (
    user_id uuid NOT NULL,
    -- Rows in notifications.
    total integer DEFAULT 0 NOT NULL,
    -- Rows in notifications that are unread.
    unread integer DEFAULT 0 NOT NULL,
    -- When the next mail is due; while one is sent, the end of the lease. Null if nothing waits.
    mail_due_at timestamp with time zone,
    -- When the last mail was sent; null if never.
    mailed_at timestamp with time zone,
    -- Consecutive failed attempts to mail.
    mail_failures smallint DEFAULT 0 NOT NULL,
    CONSTRAINT notification_inboxes_check CHECK (((unread >= 0) AND (unread <= total)))
)
WITH (fillfactor='80');
ALTER TABLE ONLY notification_inboxes ADD CONSTRAINT notification_inboxes_pkey PRIMARY KEY (user_id);
CREATE INDEX notification_mails_due ON notification_inboxes USING btree (mail_due_at) WHERE (mail_due_at IS NOT NULL);
CREATE INDEX notification_mails_failing ON notification_inboxes USING btree (mail_failures, user_id) WHERE (mail_failures > 0);
ALTER TABLE ONLY notification_inboxes ADD CONSTRAINT notification_inboxes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;

-- Notices that wait for the next mail to a user.
CREATE TABLE notification_mails (
    user_id uuid NOT NULL,
    notice_id uuid NOT NULL
);
ALTER TABLE ONLY notification_mails ADD CONSTRAINT notification_mails_pkey PRIMARY KEY (user_id, notice_id);
ALTER TABLE ONLY notification_mails ADD CONSTRAINT notification_mails_user_id_fkey FOREIGN KEY (user_id) REFERENCES notification_inboxes(user_id) ON DELETE CASCADE;

-- Notifications of users.
CREATE TABLE notifications (
    user_id uuid NOT NULL,
    -- Changes when another notice is added, so that the notification moves to the top.
    id uuid NOT NULL,
    -- The newest of the notices that it stands for.
    notice_id uuid NOT NULL,
    group_id uuid,
    -- How many notices it stands for.
    count integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    -- Null while unread.
    read_at timestamp(3) with time zone,
    CONSTRAINT notifications_count_check CHECK ((count >= 1))
);
ALTER TABLE ONLY notifications ADD CONSTRAINT notifications_once UNIQUE (user_id, notice_id);
ALTER TABLE ONLY notifications ADD CONSTRAINT notifications_pkey PRIMARY KEY (user_id, id);
CREATE INDEX notifications_by_age ON notifications USING brin (created_at);
CREATE UNIQUE INDEX notifications_folded ON notifications USING btree (user_id, group_id) WHERE ((read_at IS NULL) AND (group_id IS NOT NULL));
CREATE INDEX notifications_unread ON notifications USING btree (user_id, id) WHERE (read_at IS NULL);
ALTER TABLE ONLY notifications ADD CONSTRAINT notifications_user_id_fkey FOREIGN KEY (user_id) REFERENCES notification_inboxes(user_id) ON DELETE CASCADE;

-- An authorization code and the family of tokens that it gives. Writers lock its grant first.
CREATE TABLE oauth_authorizations (
    id uuid NOT NULL,
    grant_id uuid NOT NULL,
    -- Keyed hash.
    code_hash bytea NOT NULL,
    redirect_uri text NOT NULL,
    -- S256 of the verifier (RFC 7636); null for a confidential client that sent none.
    code_challenge text,
    scopes text[] NOT NULL,
    -- When the code was exchanged for tokens; null until then.
    exchanged_at timestamp with time zone,
    -- Of the code; once it is exchanged, of the newest refresh token.
    expires_at timestamp with time zone NOT NULL
);
ALTER TABLE ONLY oauth_authorizations ADD CONSTRAINT oauth_authorizations_code_hash_key UNIQUE (code_hash);
ALTER TABLE ONLY oauth_authorizations ADD CONSTRAINT oauth_authorizations_pkey PRIMARY KEY (id);
CREATE INDEX oauth_authorizations_expires_at_idx ON oauth_authorizations USING btree (expires_at);
CREATE INDEX oauth_authorizations_grant_id_idx ON oauth_authorizations USING btree (grant_id);
ALTER TABLE ONLY oauth_authorizations ADD CONSTRAINT oauth_authorizations_grant_id_fkey FOREIGN KEY (grant_id) REFERENCES oauth_grants(id) ON DELETE CASCADE;

-- Applications that act for users (RFC 6749). The id is the client_id.
CREATE TABLE oauth_clients (
    id uuid NOT NULL,
    owner_id uuid NOT NULL,
    name text NOT NULL,
    redirect_uris text[] NOT NULL,
    -- Keyed hash; null for public clients, which cannot keep a secret.
    secret_hash bytea,
    scopes text[] NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    CONSTRAINT oauth_clients_check CHECK (((secret_hash IS NOT NULL) OR (cardinality(redirect_uris) > 0))),
    CONSTRAINT oauth_clients_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
    CONSTRAINT oauth_clients_scopes_check CHECK ((cardinality(scopes) > 0))
);
ALTER TABLE ONLY oauth_clients ADD CONSTRAINT oauth_clients_pkey PRIMARY KEY (id);
CREATE INDEX oauth_clients_of_owner ON oauth_clients USING btree (owner_id, id);
ALTER TABLE ONLY oauth_clients ADD CONSTRAINT oauth_clients_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users(id) ON DELETE CASCADE;

-- What a user has allowed an application, over all times that they were asked.
CREATE TABLE oauth_grants (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    client_id uuid NOT NULL,
    scopes text[] NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    -- Null if never used.
    last_used_at timestamp(3) with time zone
);
ALTER TABLE ONLY oauth_grants ADD CONSTRAINT oauth_grants_once UNIQUE (user_id, client_id);
ALTER TABLE ONLY oauth_grants ADD CONSTRAINT oauth_grants_pkey PRIMARY KEY (id);
CREATE INDEX oauth_grants_client_id_idx ON oauth_grants USING btree (client_id);
CREATE INDEX oauth_grants_listed ON oauth_grants USING btree (user_id, id);
ALTER TABLE ONLY oauth_grants ADD CONSTRAINT oauth_grants_client_id_fkey FOREIGN KEY (client_id) REFERENCES oauth_clients(id) ON DELETE CASCADE;
ALTER TABLE ONLY oauth_grants ADD CONSTRAINT oauth_grants_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;

-- Refresh tokens of applications. Used ones are kept, to recognise reuse.
CREATE TABLE oauth_refresh_tokens (
    -- Keyed hash.
    token_hash bytea NOT NULL,
    authorization_id uuid NOT NULL,
    -- When it was replaced; null for the newest.
    used_at timestamp with time zone
);
ALTER TABLE ONLY oauth_refresh_tokens ADD CONSTRAINT oauth_refresh_tokens_pkey PRIMARY KEY (token_hash);
CREATE INDEX oauth_refresh_tokens_authorization_id_idx ON oauth_refresh_tokens USING btree (authorization_id);
CREATE UNIQUE INDEX oauth_refresh_tokens_one_unused ON oauth_refresh_tokens USING btree (authorization_id) WHERE (used_at IS NULL);
CREATE INDEX oauth_refresh_tokens_used_at_idx ON oauth_refresh_tokens USING btree (used_at) WHERE (used_at IS NOT NULL);
ALTER TABLE ONLY oauth_refresh_tokens ADD CONSTRAINT oauth_refresh_tokens_authorization_id_fkey FOREIGN KEY (authorization_id) REFERENCES oauth_authorizations(id) ON DELETE CASCADE;

-- Links in mails to accounts. Deleted when used.
CREATE TABLE one_time_tokens (
    -- Keyed hash.
    token_hash bytea NOT NULL,
    purpose text NOT NULL,
    user_id uuid NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT one_time_tokens_purpose_check CHECK ((purpose = ANY (ARRAY['verify-email'::text, 'reset-password'::text, 'end-access'::text])))
);
ALTER TABLE ONLY one_time_tokens ADD CONSTRAINT one_time_tokens_pkey PRIMARY KEY (token_hash);
CREATE INDEX one_time_tokens_expires_at_idx ON one_time_tokens USING btree (expires_at);
CREATE INDEX one_time_tokens_user_id_idx ON one_time_tokens USING btree (user_id);
ALTER TABLE ONLY one_time_tokens ADD CONSTRAINT one_time_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;

-- Organizations, for which their owner and admins publish petitions.
CREATE TABLE organizations (
    id uuid NOT NULL,
    name text NOT NULL,
    slug text NOT NULL,
    description text,
    logo_url text,
    cover_url text,
    website text,
    -- Set by administrators.
    verified boolean DEFAULT false NOT NULL,
    -- The subscription, set by administrators.
    tier text DEFAULT 'free'::text NOT NULL,
    subscription_status text DEFAULT 'active'::text NOT NULL,
    -- Until when the subscription is paid; null if unknown.
    current_period_end timestamp(3) with time zone,
    -- Rows in memberships; kept by a trigger.
    member_count integer DEFAULT 0 NOT NULL,
    -- Listed petitions; kept by a trigger on petitions.
    petition_count integer DEFAULT 0 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    CONSTRAINT organizations_description_check CHECK ((length(description) <= 1000)),
    CONSTRAINT organizations_member_count_check CHECK ((member_count >= 0)),
    CONSTRAINT organizations_name_check CHECK (((length(name) >= 2) AND (length(name) <= 100))),
    CONSTRAINT organizations_petition_count_check CHECK ((petition_count >= 0)),
    CONSTRAINT organizations_subscription_status_check CHECK ((subscription_status = ANY (ARRAY['active'::text, 'past_due'::text, 'canceled'::text]))),
    CONSTRAINT organizations_tier_check CHECK ((tier = ANY (ARRAY['free'::text, 'pro'::text, 'enterprise'::text])))
);
ALTER TABLE ONLY organizations ADD CONSTRAINT organizations_pkey PRIMARY KEY (id);
ALTER TABLE ONLY organizations ADD CONSTRAINT organizations_slug_key UNIQUE (slug);
CREATE INDEX organizations_by_cover ON organizations USING btree (cover_url) WHERE (cover_url IS NOT NULL);
CREATE INDEX organizations_by_logo ON organizations USING btree (logo_url) WHERE (logo_url IS NOT NULL);
CREATE UNIQUE INDEX organizations_name_key ON organizations USING btree (lower(name));
CREATE INDEX organizations_verified ON organizations USING btree (id) WHERE verified;
CREATE TRIGGER organizations_forgotten_in_notices AFTER DELETE ON organizations FOR EACH ROW EXECUTE FUNCTION forget_organization_in_notices();

-- Payments for promotions. They outlive petition and account.
CREATE TABLE payments (
    id uuid NOT NULL,
    petition_id uuid,
    payer_id uuid,
    -- In the smallest unit of the currency.
    amount integer NOT NULL,
    -- ISO 4217.
    currency text NOT NULL,
    status text DEFAULT 'pending'::text NOT NULL,
    -- The name of the payment provider.
    provider text NOT NULL,
    -- The id of the payment at the provider; null if it gave none.
    reference text,
    -- Where the payer pays; null if the provider has no such page.
    checkout_url text,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    completed_at timestamp(3) with time zone,
    CONSTRAINT payments_amount_check CHECK ((amount >= 100)),
    CONSTRAINT payments_check CHECK (((status = 'completed'::text) = (completed_at IS NOT NULL))),
    CONSTRAINT payments_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
    CONSTRAINT payments_reference_check CHECK ((length(reference) <= 200)),
    CONSTRAINT payments_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'completed'::text, 'failed'::text])))
);
ALTER TABLE ONLY payments ADD CONSTRAINT payments_pkey PRIMARY KEY (id);
CREATE INDEX payments_of_payer ON payments USING btree (payer_id, id DESC);
CREATE INDEX payments_of_petition ON payments USING btree (petition_id, id DESC);
ALTER TABLE ONLY payments ADD CONSTRAINT payments_payer_id_fkey FOREIGN KEY (payer_id) REFERENCES users(id) ON DELETE SET NULL;
ALTER TABLE ONLY payments ADD CONSTRAINT payments_petition_id_fkey FOREIGN KEY (petition_id) REFERENCES petitions(id) ON DELETE SET NULL;

-- Reports by people without an account that wait for confirmation by the link or the code in the mail.
CREATE TABLE pending_reports (
    id uuid NOT NULL,
    email text NOT NULL,
    -- The report as the API takes it; empty after confirmation.
    input jsonb NOT NULL,
    -- As in reports, and so are petition_id and snapshot.
    author_id uuid,
    petition_id uuid,
    snapshot jsonb,
    -- Keyed hash of the network that sent the form.
    network bytea,
    language text NOT NULL,
    -- Keyed hash of the browser that sent the form.
    browser_hash bytea NOT NULL,
    -- Keyed hash of the token in the link.
    token_hash bytea NOT NULL,
    -- Codes that were tried.
    tries smallint DEFAULT 0 NOT NULL,
    -- The report after confirmation; null until then.
    report_id uuid,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    expires_at timestamp(3) with time zone DEFAULT (now() + '24:00:00'::interval) NOT NULL,
    CONSTRAINT pending_reports_email_check CHECK ((length(email) <= 254))
);
ALTER TABLE ONLY pending_reports ADD CONSTRAINT pending_reports_pkey PRIMARY KEY (id);
ALTER TABLE ONLY pending_reports ADD CONSTRAINT pending_reports_token_hash_key UNIQUE (token_hash);
CREATE INDEX pending_reports_author_id_idx ON pending_reports USING btree (author_id);
CREATE INDEX pending_reports_expires_at_idx ON pending_reports USING btree (expires_at);
CREATE INDEX pending_reports_lower_idx ON pending_reports USING btree (lower(email));

-- Signatures given by mail that wait for confirmation by the link or the code in the mail.
CREATE TABLE pending_signatures (
    id uuid NOT NULL,
    petition_id uuid NOT NULL,
    email text NOT NULL,
    display_name text NOT NULL,
    -- The signature as the API takes it; empty after confirmation.
    input jsonb NOT NULL,
    -- Whether the access code of a private petition was given.
    has_code boolean NOT NULL,
    -- The language of the mails.
    language text NOT NULL,
    -- Keyed hash of the browser that sent the form; null by API.
    browser_hash bytea,
    -- Keyed hash of the token in the link.
    token_hash bytea NOT NULL,
    -- Codes that were tried.
    tries smallint DEFAULT 0 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    expires_at timestamp(3) with time zone DEFAULT (now() + '24:00:00'::interval) NOT NULL,
    -- The signature after confirmation; null until then.
    signature_id uuid,
    -- When the mail server accepted the first mail; null until then.
    mailed_at timestamp(3) with time zone,
    -- When the reminder was due; null until then.
    reminded_at timestamp(3) with time zone,
    -- When the reminder was handed to the mail server. It is sent once.
    reminder_sent_at timestamp(3) with time zone,
    CONSTRAINT pending_signatures_display_name_check CHECK (((length(display_name) >= 1) AND (length(display_name) <= 100))),
    CONSTRAINT pending_signatures_email_check CHECK ((length(email) <= 254))
);
ALTER TABLE ONLY pending_signatures ADD CONSTRAINT pending_signatures_pkey PRIMARY KEY (id);
ALTER TABLE ONLY pending_signatures ADD CONSTRAINT pending_signatures_token_hash_key UNIQUE (token_hash);
CREATE INDEX pending_signatures_expires_at_idx ON pending_signatures USING btree (expires_at);
CREATE INDEX pending_signatures_lower_idx ON pending_signatures USING btree (lower(email));

-- Who is reminded before a petition closes, unless they have signed it by then.
CREATE TABLE petition_follows (
    petition_id uuid NOT NULL,
    user_id uuid NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY petition_follows ADD CONSTRAINT petition_follows_pkey PRIMARY KEY (petition_id, user_id);
CREATE INDEX petition_follows_of_user ON petition_follows USING btree (user_id);
ALTER TABLE ONLY petition_follows ADD CONSTRAINT petition_follows_petition_id_fkey FOREIGN KEY (petition_id) REFERENCES petitions(id) ON DELETE CASCADE;
ALTER TABLE ONLY petition_follows ADD CONSTRAINT petition_follows_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;

-- Sources of imported petitions. Importing again adds nothing.
CREATE TABLE petition_imports (
    source text NOT NULL,
    external_id text NOT NULL,
    petition_id uuid NOT NULL
);
ALTER TABLE ONLY petition_imports ADD CONSTRAINT petition_imports_pkey PRIMARY KEY (source, external_id);
CREATE INDEX petition_imports_petition_id_idx ON petition_imports USING btree (petition_id);
ALTER TABLE ONLY petition_imports ADD CONSTRAINT petition_imports_petition_id_fkey FOREIGN KEY (petition_id) REFERENCES petitions(id) ON DELETE CASCADE;

-- People who organize a petition beside its creator, and those who were invited to.
CREATE TABLE petition_organizers (
    id uuid NOT NULL,
    petition_id uuid NOT NULL,
    -- The address to which the invitation was mailed; null once the account of that address was erased.
    email text,
    -- Who accepted the invitation; null while it waits.
    user_id uuid,
    -- Editors change text, pictures and decision makers and write updates; authors write updates.
    role text NOT NULL,
    -- Keyed hash of the token in the mail, which is derived from the id and stored nowhere.
    token_hash bytea,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    -- When the invitation ends if nobody accepts it. Null once it was accepted.
    expires_at timestamp(3) with time zone,
    accepted_at timestamp(3) with time zone,
    -- When the creator offered them the petition; null if not. At most one on a petition.
    hand_over_offered_at timestamp(3) with time zone,
    CONSTRAINT petition_organizers_check CHECK (((user_id IS NULL) = (accepted_at IS NULL))),
    CONSTRAINT petition_organizers_check1 CHECK (((email IS NOT NULL) OR (user_id IS NOT NULL))),
    CONSTRAINT petition_organizers_check2 CHECK (((hand_over_offered_at IS NULL) OR (user_id IS NOT NULL))),
    CONSTRAINT petition_organizers_email_check CHECK ((length(email) <= 320)),
    CONSTRAINT petition_organizers_role_check CHECK ((role = ANY (ARRAY['editor'::text, 'author'::text])))
);
ALTER TABLE ONLY petition_organizers ADD CONSTRAINT petition_organizers_pkey PRIMARY KEY (id);
ALTER TABLE ONLY petition_organizers ADD CONSTRAINT petition_organizers_token_hash_key UNIQUE (token_hash);
CREATE UNIQUE INDEX petition_organizers_by_address ON petition_organizers USING btree (petition_id, lower(email));
CREATE INDEX petition_organizers_by_email ON petition_organizers USING btree (lower(email));
CREATE UNIQUE INDEX petition_organizers_by_user ON petition_organizers USING btree (petition_id, user_id) WHERE (user_id IS NOT NULL);
CREATE INDEX petition_organizers_expiring ON petition_organizers USING btree (expires_at) WHERE (user_id IS NULL);
CREATE UNIQUE INDEX petition_organizers_offered ON petition_organizers USING btree (petition_id) WHERE (hand_over_offered_at IS NOT NULL);
CREATE INDEX petition_organizers_user_id_idx ON petition_organizers USING btree (user_id, petition_id) WHERE (user_id IS NOT NULL);
ALTER TABLE ONLY petition_organizers ADD CONSTRAINT petition_organizers_petition_id_fkey FOREIGN KEY (petition_id) REFERENCES petitions(id) ON DELETE CASCADE;
ALTER TABLE ONLY petition_organizers ADD CONSTRAINT petition_organizers_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;

-- Texts of petitions: each version that was published, and the draft.
CREATE TABLE petition_versions (
    petition_id uuid NOT NULL,
    version integer NOT NULL,
    -- Null after a moderator removed the text.
    title text,
    -- Null after a moderator removed the text.
    description text,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    -- SHA-256 of title, line feed and description; set when a moderator removes the text.
    text_hash bytea,
    -- Null after the account that it is about was erased.
    redaction_reason text,
    -- signature_count when the version replaced the one before; null for the first one and for versions before the
    -- column existed.
    signatures_before integer
);
ALTER TABLE ONLY petition_versions ADD CONSTRAINT petition_versions_pkey PRIMARY KEY (petition_id, version);
ALTER TABLE petition_versions ADD CONSTRAINT petition_versions_hashed CHECK (((num_nulls(title, description) = 0) OR (text_hash IS NOT NULL))) NOT VALID;
ALTER TABLE ONLY petition_versions ADD CONSTRAINT petition_versions_petition_id_fkey FOREIGN KEY (petition_id) REFERENCES petitions(id) ON DELETE CASCADE;

-- Reads of petitions by others than their creators, by day (UTC) and source. A hundred sources a day, and the rest
-- together.
CREATE TABLE petition_views (
    petition_id uuid NOT NULL,
    day date NOT NULL,
    source text NOT NULL,
    views integer NOT NULL
);
ALTER TABLE ONLY petition_views ADD CONSTRAINT petition_views_pkey PRIMARY KEY (petition_id, day, source);

-- Petitions. The row changes with each group of signatures: fillfactor leaves room for that, and writers lock it last
-- and briefly.
CREATE TABLE petitions (
    id uuid NOT NULL,
    -- The last part of the address of the page.
    slug text NOT NULL,
    -- Null after the account was erased.
    creator_id uuid,
    title text NOT NULL,
    description text NOT NULL,
    -- Number of the current title and description; signatures keep the one that they signed.
    version integer DEFAULT 1 NOT NULL,
    status text DEFAULT 'draft'::text NOT NULL,
    visibility text DEFAULT 'public'::text NOT NULL,
    signature_privacy text DEFAULT 'public'::text NOT NULL,
    -- Counted signatures and imported ones. Changes in the statement that stores or removes signatures, so it is always
    -- exact.
    signature_count integer DEFAULT 0 NOT NULL,
    -- Signatures that an import gave as a number only.
    imported_signature_count integer DEFAULT 0 NOT NULL,
    signature_goal integer,
    -- Hotness: log2 of the sum over its signatures of 2^(days from 1970 to the signature). 0 without signatures.
    trend double precision DEFAULT 0 NOT NULL,
    category_id uuid,
    tags text[] DEFAULT '{}'::text[] NOT NULL,
    -- The tags in lower case, for filters.
    tag_keys text[] DEFAULT '{}'::text[] NOT NULL,
    image_url text,
    location_city text,
    location_region text,
    location_country text,
    -- The organization for which it is published; null for none.
    org_id uuid,
    victory_message text,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    -- Null for drafts that were never published.
    published_at timestamp(3) with time zone,
    -- Null unless closed or won.
    closed_at timestamp(3) with time zone,
    -- Null unless deleted. The row stays for its signatures.
    deleted_at timestamp(3) with time zone,
    -- The date for "newest first": of publishing, else of creation.
    sort_at timestamp(3) with time zone GENERATED ALWAYS AS (COALESCE(published_at, created_at)) STORED NOT NULL,
    -- Whether everybody sees it in lists.
    listed boolean GENERATED ALWAYS AS (((visibility = 'public'::text) AND (status = ANY (ARRAY['active'::text, 'closed'::text, 'victory'::text])) AND (deleted_at IS NULL))) STORED NOT NULL,
    -- When the status changed last.
    status_since timestamp(3) with time zone DEFAULT now() NOT NULL,
    -- Whether it is under review only because its creator is suspended.
    hidden_with_creator boolean DEFAULT false NOT NULL,
    -- Invalid signatures. Not part of signature_count.
    invalid_signature_count integer DEFAULT 0 NOT NULL,
    -- Whether origins, devices and mailboxes of its signatures were erased, some time after it ended.
    origins_forgotten boolean DEFAULT false NOT NULL,
    -- Until when it stands first in the order "trending"; null if never promoted.
    promoted_until timestamp(3) with time zone,
    -- Whether withdrawn_signatures may have rows of it. Signing looks there only then.
    has_withdrawn_invalid boolean DEFAULT false NOT NULL,
    -- The language of the text; null if unknown, then search guesses it.
    language text,
    -- signature_count as of at most 2 seconds ago. Indexed in its place, so that signing writes no index.
    sort_count integer DEFAULT 0 NOT NULL,
    -- trend as of at most 2 seconds ago. Indexed like sort_count.
    sort_trend double precision DEFAULT 0 NOT NULL,
    -- The access code of a private petition is derived from its id and this number. Increased to replace the code.
    access_code_version integer DEFAULT 0 NOT NULL,
    -- What the image shows; null if nobody has said so.
    image_alt text,
    -- When the creator last changed a text that 100 signatures or more had counted for; null if never.
    text_changed_at timestamp(3) with time zone,
    -- signature_count at that change.
    text_changed_after integer,
    -- The version that the change made.
    text_changed_version integer,
    -- When a moderator looked at the change; null while it waits.
    change_reviewed_at timestamp(3) with time zone,
    -- From then on nobody can sign. The service closes the petition then. Null if its creator has set no date.
    closes_at timestamp(3) with time zone,
    -- When people are reminded of closes_at: a day before. Null if there is no date, or once they were reminded of it.
    closing_reminder_at timestamp(3) with time zone,
    -- Names the petition in the public log. Null in rows that the backfill has not reached.
    log_id uuid DEFAULT gen_random_uuid(),
    CONSTRAINT petitions_check CHECK ((signature_count >= imported_signature_count)),
    CONSTRAINT petitions_check1 CHECK (((NOT hidden_with_creator) OR (status = 'under_review'::text))),
    CONSTRAINT petitions_description_size CHECK (((octet_length(description) >= 50) AND (octet_length(description) <= 200000))),
    CONSTRAINT petitions_imported_signature_count_check CHECK ((imported_signature_count >= 0)),
    CONSTRAINT petitions_invalid_signature_count_check CHECK ((invalid_signature_count >= 0)),
    CONSTRAINT petitions_language_check CHECK ((language ~ '^[a-z]{2}$'::text)),
    CONSTRAINT petitions_signature_goal_check CHECK ((signature_goal >= 1)),
    CONSTRAINT petitions_signature_privacy_check CHECK ((signature_privacy = ANY (ARRAY['public'::text, 'creator_only'::text, 'count_only'::text]))),
    CONSTRAINT petitions_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'under_review'::text, 'active'::text, 'closed'::text, 'victory'::text]))),
    CONSTRAINT petitions_tags_check CHECK ((cardinality(tags) <= 10)),
    CONSTRAINT petitions_title_check CHECK (((length(title) >= 5) AND (length(title) <= 200))),
    CONSTRAINT petitions_victory_message_check CHECK ((length(victory_message) <= 10000)),
    CONSTRAINT petitions_visibility_check CHECK ((visibility = ANY (ARRAY['public'::text, 'private'::text, 'unlisted'::text])))
)
WITH (autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='2000', fillfactor='80');
ALTER TABLE ONLY petitions ADD CONSTRAINT petitions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY petitions ADD CONSTRAINT petitions_slug_key UNIQUE (slug);
ALTER TABLE petitions ADD CONSTRAINT petitions_image_alt CHECK (((length(image_alt) >= 1) AND (length(image_alt) <= 300))) NOT VALID;
ALTER TABLE petitions ADD CONSTRAINT petitions_text_change CHECK ((num_nulls(text_changed_at, text_changed_after, text_changed_version) = ANY (ARRAY[0, 3]))) NOT VALID;
CREATE INDEX petitions_by_image ON petitions USING btree (image_url) WHERE (image_url IS NOT NULL);
CREATE INDEX petitions_by_pictures_in_text ON petitions USING gin (picture_tokens(description)) WHERE (description ~~ '%/media/%'::text);
CREATE INDEX petitions_by_status ON petitions USING btree (status, status_since, id) WHERE (deleted_at IS NULL);
CREATE INDEX petitions_listed_by_count ON petitions USING btree (sort_count DESC, id DESC) INCLUDE (created_at) WHERE listed;
CREATE INDEX petitions_listed_by_time ON petitions USING btree (sort_at DESC, id DESC) INCLUDE (created_at) WHERE listed;
CREATE INDEX petitions_listed_by_trend ON petitions USING btree (sort_trend DESC, id DESC) INCLUDE (created_at) WHERE listed;
CREATE INDEX petitions_of_creator ON petitions USING btree (creator_id, sort_at DESC, id DESC);
CREATE INDEX petitions_of_organization ON petitions USING btree (org_id, listed, sort_at DESC, id DESC) WHERE (org_id IS NOT NULL);
CREATE INDEX petitions_promoted ON petitions USING btree (promoted_until) WHERE (listed AND (promoted_until IS NOT NULL));
CREATE INDEX petitions_published_for ON petitions USING btree (org_id, sort_at DESC, id DESC) INCLUDE (creator_id) WHERE ((org_id IS NOT NULL) AND (deleted_at IS NULL) AND (status = ANY (ARRAY['active'::text, 'closed'::text, 'victory'::text])));
CREATE INDEX petitions_recent_by_category ON petitions USING btree (category_id, sort_at DESC, id DESC) WHERE listed;
CREATE INDEX petitions_recent_by_status ON petitions USING btree (status, sort_at DESC, id DESC) WHERE listed;
CREATE INDEX petitions_tags ON petitions USING gin (tag_keys) WHERE listed;
CREATE INDEX petitions_to_close ON petitions USING btree (closes_at) WHERE ((closes_at IS NOT NULL) AND (status = ANY (ARRAY['active'::text, 'under_review'::text])) AND (published_at IS NOT NULL) AND (deleted_at IS NULL));
CREATE INDEX petitions_to_remind_of ON petitions USING btree (closing_reminder_at) WHERE ((closing_reminder_at IS NOT NULL) AND (status = 'active'::text) AND (deleted_at IS NULL));
CREATE INDEX petitions_with_changed_text ON petitions USING btree (text_changed_at, id) WHERE ((text_changed_at IS NOT NULL) AND (change_reviewed_at IS NULL) AND (deleted_at IS NULL));
CREATE INDEX petitions_with_origins ON petitions USING btree (LEAST(closed_at, deleted_at)) WHERE ((NOT origins_forgotten) AND ((closed_at IS NOT NULL) OR (deleted_at IS NOT NULL)));
ALTER TABLE ONLY petitions ADD CONSTRAINT petitions_category_id_fkey FOREIGN KEY (category_id) REFERENCES categories(id);
ALTER TABLE ONLY petitions ADD CONSTRAINT petitions_creator_id_fkey FOREIGN KEY (creator_id) REFERENCES users(id) ON DELETE SET NULL;
ALTER TABLE ONLY petitions ADD CONSTRAINT petitions_org FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE SET NULL;
CREATE TRIGGER petitions_counted_by_organization AFTER INSERT OR DELETE OR UPDATE OF status, visibility, deleted_at, org_id ON petitions FOR EACH ROW EXECUTE FUNCTION count_petitions_of_organization();
CREATE TRIGGER petitions_counted_for_creator AFTER INSERT OR DELETE OR UPDATE OF status, visibility, deleted_at, creator_id ON petitions FOR EACH ROW EXECUTE FUNCTION count_listed_petitions();
CREATE TRIGGER petitions_deleted_in_notices AFTER UPDATE OF deleted_at ON petitions FOR EACH ROW WHEN ((new.deleted_at IS NOT NULL)) EXECUTE FUNCTION forget_petition_in_notices();
CREATE TRIGGER petitions_forgotten_in_notices AFTER DELETE ON petitions FOR EACH ROW EXECUTE FUNCTION forget_petition_in_notices();
CREATE TRIGGER petitions_forgotten_in_sums AFTER DELETE ON petitions FOR EACH ROW EXECUTE FUNCTION forget_sums_of_petition();
CREATE TRIGGER petitions_noted_for_search_when_changed AFTER UPDATE OF title, description, tags, tag_keys, status, visibility, category_id, location_country, language, deleted_at ON petitions FOR EACH ROW WHEN ((old.listed OR new.listed)) EXECUTE FUNCTION note_change_for_search();
CREATE TRIGGER petitions_noted_for_search_when_deleted AFTER DELETE ON petitions FOR EACH ROW WHEN (old.listed) EXECUTE FUNCTION note_change_for_search();
CREATE TRIGGER petitions_noted_for_search_when_inserted AFTER INSERT ON petitions FOR EACH ROW WHEN (new.listed) EXECUTE FUNCTION note_change_for_search();
CREATE TRIGGER petitions_sort_keys_set BEFORE INSERT ON petitions FOR EACH ROW WHEN ((new.signature_count > 0)) EXECUTE FUNCTION set_sort_keys();

-- Phone numbers that wait for the code that was sent to them. Deleted when confirmed.
CREATE TABLE phone_verifications (
    user_id uuid NOT NULL,
    phone text NOT NULL,
    -- Keyed hash; null until a code was sent.
    code_hash bytea,
    -- Codes that were tried; after 5 a new one is needed.
    tries smallint DEFAULT 0 NOT NULL,
    expires_at timestamp with time zone NOT NULL
);
ALTER TABLE ONLY phone_verifications ADD CONSTRAINT phone_verifications_pkey PRIMARY KEY (user_id);
ALTER TABLE ONLY phone_verifications ADD CONSTRAINT phone_verifications_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;

-- Copies of pictures of other hosts, so that pages load nothing from there.
CREATE TABLE picture_copies (
    -- SHA-256 of the URL.
    url_hash bytea NOT NULL,
    url text NOT NULL,
    -- The names of the files are derived from it.
    token text NOT NULL,
    status text DEFAULT 'wanted'::text NOT NULL,
    -- Why there is no copy, in words for people; null unless failed.
    failure text,
    -- As in media.
    variants jsonb DEFAULT '[]'::jsonb NOT NULL,
    -- Failed attempts of which a later one may succeed.
    attempts integer DEFAULT 0 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    CONSTRAINT picture_copies_check CHECK (((failure IS NOT NULL) = (status = 'failed'::text))),
    CONSTRAINT picture_copies_check1 CHECK (((status = 'ready'::text) = (variants <> '[]'::jsonb))),
    CONSTRAINT picture_copies_status_check CHECK ((status = ANY (ARRAY['wanted'::text, 'ready'::text, 'failed'::text]))),
    CONSTRAINT picture_copies_token_check CHECK ((token ~ '^[0-9a-f]{32}$'::text)),
    CONSTRAINT picture_copies_url_hash_check CHECK ((octet_length(url_hash) = 32))
);
ALTER TABLE ONLY picture_copies ADD CONSTRAINT picture_copies_pkey PRIMARY KEY (url_hash);
ALTER TABLE ONLY picture_copies ADD CONSTRAINT picture_copies_token_key UNIQUE (token);

-- Accounts whose address was proven for the first time by somebody else than who registered. They are hidden until the
-- owner of the address keeps or deletes them.
CREATE TABLE quarantined_accounts (
    -- The account of before. Its address is a placeholder.
    user_id uuid NOT NULL,
    -- The account of who proved the address; null once that was erased.
    owner_id uuid,
    -- The profile of before, which the account itself shows no more.
    display_name text NOT NULL,
    bio text,
    avatar_url text,
    -- Petitions of the account with this time in deleted_at were hidden with it.
    quarantined_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    -- When the owner was first asked what becomes of it; null if not yet.
    shown_at timestamp(3) with time zone,
    -- The slug of before, which nobody else gets meanwhile; null where its owner has had another one for longer.
    slug text
);
ALTER TABLE ONLY quarantined_accounts ADD CONSTRAINT quarantined_accounts_pkey PRIMARY KEY (user_id);
CREATE INDEX quarantined_accounts_by_avatar ON quarantined_accounts USING btree (avatar_url) WHERE (avatar_url IS NOT NULL);
CREATE INDEX quarantined_accounts_by_slug ON quarantined_accounts USING btree (slug) WHERE (slug IS NOT NULL);
CREATE INDEX quarantined_accounts_by_time ON quarantined_accounts USING btree (quarantined_at);
CREATE INDEX quarantined_accounts_of_owner ON quarantined_accounts USING btree (owner_id);
ALTER TABLE ONLY quarantined_accounts ADD CONSTRAINT quarantined_accounts_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users(id) ON DELETE SET NULL;
ALTER TABLE ONLY quarantined_accounts ADD CONSTRAINT quarantined_accounts_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;

-- Petitions whose sums were computed from the rows. The follower skips their events up to this place, and then deletes
-- the row.
CREATE TABLE rebuilt_sums (
    petition_id uuid NOT NULL,
    "position" bigint NOT NULL,
    transaction xid8 NOT NULL
);
ALTER TABLE ONLY rebuilt_sums ADD CONSTRAINT rebuilt_sums_pkey PRIMARY KEY (petition_id);

-- Refresh tokens of sessions. Used ones are kept, since reuse ends the session.
CREATE TABLE refresh_tokens (
    -- Keyed hash.
    token_hash bytea NOT NULL,
    session_id uuid NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    -- When it was replaced; null for the newest.
    used_at timestamp with time zone
);
ALTER TABLE ONLY refresh_tokens ADD CONSTRAINT refresh_tokens_pkey PRIMARY KEY (token_hash);
CREATE INDEX refresh_tokens_expires_at_idx ON refresh_tokens USING btree (expires_at);
CREATE INDEX refresh_tokens_session_id_idx ON refresh_tokens USING btree (session_id);
ALTER TABLE ONLY refresh_tokens ADD CONSTRAINT refresh_tokens_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE;

-- Keys that a rotation has replaced. They are valid until they expire.
CREATE TABLE replaced_api_keys (
    -- Keyed hash.
    key_hash bytea NOT NULL,
    -- The row of the key, which has its newest text.
    key_id uuid NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL
);
ALTER TABLE ONLY replaced_api_keys ADD CONSTRAINT replaced_api_keys_pkey PRIMARY KEY (key_hash);
CREATE INDEX replaced_api_keys_of_key ON replaced_api_keys USING btree (key_id, expires_at);
ALTER TABLE ONLY replaced_api_keys ADD CONSTRAINT replaced_api_keys_key_id_fkey FOREIGN KEY (key_id) REFERENCES api_keys(id) ON DELETE CASCADE;

-- Addresses of reporters without an account, who are mailed what became of their report.
CREATE TABLE report_contacts (
    report_id uuid NOT NULL,
    email text NOT NULL,
    language text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    CONSTRAINT report_contacts_email_check CHECK ((length(email) <= 254))
);
ALTER TABLE ONLY report_contacts ADD CONSTRAINT report_contacts_pkey PRIMARY KEY (report_id);
CREATE INDEX report_contacts_lower_idx ON report_contacts USING btree (lower(email));
ALTER TABLE ONLY report_contacts ADD CONSTRAINT report_contacts_report_id_fkey FOREIGN KEY (report_id) REFERENCES reports(id) ON DELETE CASCADE;

-- Reports of content and accounts.
CREATE TABLE reports (
    id uuid NOT NULL,
    target_type text NOT NULL,
    -- No foreign key: a report outlives its target.
    target_id uuid NOT NULL,
    -- Null for reporters without an account, and after the account was erased.
    reporter_id uuid,
    reason text NOT NULL,
    description text,
    status text DEFAULT 'open'::text NOT NULL,
    -- What a moderator decided on this report; null if open, or the target was judged otherwise.
    action text,
    -- Null if open, or after the account was erased.
    resolved_by uuid,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    resolved_at timestamp(3) with time zone,
    -- Keyed hash of the reporter's network; null once the report is decided.
    network bytea,
    -- Keyed hash of the mailbox of a reporter without an account; null once the report is decided.
    reporter_mailbox bytea,
    -- Whose content was reported. No foreign key, so that erasing an account locks no report.
    author_id uuid,
    -- Of a reported signature, by which its row is found; else null.
    petition_id uuid,
    -- Title and text when it was reported. Null after the author's account was erased, or 6 months after the decision.
    snapshot jsonb,
    CONSTRAINT reports_action_check CHECK ((action = ANY (ARRAY['dismiss'::text, 'hide_content'::text, 'suspend_user'::text, 'warn_user'::text, 'remove_petition'::text]))),
    CONSTRAINT reports_check CHECK (((status = 'open'::text) = (resolved_at IS NULL))),
    CONSTRAINT reports_check1 CHECK (((status <> 'open'::text) OR ((action IS NULL) AND (resolved_by IS NULL)))),
    CONSTRAINT reports_description_check CHECK ((length(description) <= 1000)),
    CONSTRAINT reports_one_reporter CHECK (((reporter_id IS NULL) OR (reporter_mailbox IS NULL))),
    CONSTRAINT reports_petition_check CHECK (((petition_id IS NOT NULL) = (target_type = 'signature'::text))),
    CONSTRAINT reports_reason_check CHECK ((reason = ANY (ARRAY['spam'::text, 'harassment'::text, 'hate_speech'::text, 'misinformation'::text, 'child_abuse'::text, 'other'::text]))),
    CONSTRAINT reports_snapshot_check CHECK ((length((snapshot ->> 'text'::text)) <= 2000)),
    CONSTRAINT reports_status_check CHECK ((status = ANY (ARRAY['open'::text, 'actioned'::text, 'dismissed'::text]))),
    CONSTRAINT reports_target_type_check CHECK ((target_type = ANY (ARRAY['petition'::text, 'comment'::text, 'user'::text, 'signature'::text])))
);
ALTER TABLE ONLY reports ADD CONSTRAINT reports_pkey PRIMARY KEY (id);
CREATE INDEX reports_by_author ON reports USING btree (author_id, status) WHERE (author_id IS NOT NULL);
CREATE INDEX reports_by_status ON reports USING btree (status, id);
CREATE INDEX reports_by_status_and_type ON reports USING btree (status, target_type, id);
CREATE INDEX reports_of_user ON reports USING btree (reporter_id, id);
CREATE INDEX reports_on_target ON reports USING btree (target_type, target_id, status);
CREATE UNIQUE INDEX reports_once ON reports USING btree (reporter_id, target_type, target_id) WHERE (status = 'open'::text);
CREATE UNIQUE INDEX reports_once_by_mailbox ON reports USING btree (reporter_mailbox, target_type, target_id) WHERE ((status = 'open'::text) AND (reporter_mailbox IS NOT NULL));
CREATE INDEX reports_with_old_snapshots ON reports USING btree (resolved_at) WHERE (snapshot IS NOT NULL);
ALTER TABLE ONLY reports ADD CONSTRAINT reports_reporter_id_fkey FOREIGN KEY (reporter_id) REFERENCES users(id) ON DELETE SET NULL;

-- Keys of the service, encrypted with a key derived from SECRET.
CREATE TABLE sealed_keys (
    name text NOT NULL,
    sealed bytea NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY sealed_keys ADD CONSTRAINT sealed_keys_pkey PRIMARY KEY (name);

-- Petitions whose documents must be written again. Each change adds a row, so that none is lost while the indexer
-- reads.
CREATE TABLE search_changes (
    id bigint NOT NULL,
    petition_id uuid NOT NULL
);
ALTER TABLE search_changes ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY ( SEQUENCE NAME search_changes_id_seq START WITH 1 INCREMENT BY 1 NO MINVALUE NO MAXVALUE CACHE 1 );
ALTER TABLE ONLY search_changes ADD CONSTRAINT search_changes_pkey PRIMARY KEY (id);

-- The searchable form of each listed petition. No foreign key: writers of petitions and of documents never wait for
-- each other.
CREATE TABLE search_documents (
    petition_id uuid NOT NULL,
    -- Words of title (weight A) and tags (B), for ranking.
    title tsvector NOT NULL,
    -- Words and stems of title, tags and description, and lexemes for filters, such as "=status closed".
    document tsvector NOT NULL,
    language text,
    status text NOT NULL,
    category_id uuid,
    country text,
    tag_keys text[] NOT NULL,
    -- Bucket of the order "most signed": see search_known().
    known integer NOT NULL,
    -- Bucket of the order "newest": days from 1970 to the date of the petition.
    day integer NOT NULL,
    -- Bucket of the order "trending": whole days of petitions.trend.
    trend integer NOT NULL
)
WITH (toast_tuple_target='128', fillfactor='90', autovacuum_vacuum_scale_factor='0.05');
ALTER TABLE ONLY search_documents ALTER COLUMN title SET STORAGE MAIN;
ALTER TABLE ONLY search_documents ALTER COLUMN document SET STORAGE EXTERNAL;
ALTER TABLE ONLY search_documents ALTER COLUMN tag_keys SET STORAGE MAIN;
ALTER TABLE ONLY search_documents ADD CONSTRAINT search_documents_pkey PRIMARY KEY (petition_id);
CREATE INDEX search_documents_best_known ON search_documents USING gin (document) WITH (fastupdate=off) WHERE (known >= 240000);
CREATE INDEX search_documents_known ON search_documents USING btree (known DESC, petition_id DESC);
CREATE INDEX search_documents_words ON search_documents USING gin (document) WITH (fastupdate=off);

-- About how many documents are in each language.
CREATE TABLE search_languages (
    language text NOT NULL,
    documents integer NOT NULL
);
ALTER TABLE ONLY search_languages ADD CONSTRAINT search_languages_pkey PRIMARY KEY (language);

-- A random 16th of the documents, for estimating totals and facets.
CREATE TABLE search_sample (
    petition_id uuid NOT NULL,
    title tsvector NOT NULL,
    document tsvector NOT NULL,
    status text NOT NULL,
    category_id uuid,
    country text,
    tag_keys text[] NOT NULL,
    -- Whether the row is in the coarse sample: a 16th of the sample.
    is_coarse boolean GENERATED ALWAYS AS (((get_byte(uuid_send(petition_id), 14) % 16) = 0)) STORED NOT NULL
)
WITH (toast_tuple_target='128', fillfactor='90', autovacuum_vacuum_scale_factor='0.05');
ALTER TABLE ONLY search_sample ALTER COLUMN title SET STORAGE MAIN;
ALTER TABLE ONLY search_sample ALTER COLUMN document SET STORAGE EXTERNAL;
ALTER TABLE ONLY search_sample ALTER COLUMN tag_keys SET STORAGE MAIN;
ALTER TABLE ONLY search_sample ADD CONSTRAINT search_sample_pkey PRIMARY KEY (petition_id);
CREATE INDEX search_sample_coarse ON search_sample USING gin (document) WITH (fastupdate=off) WHERE is_coarse;
CREATE INDEX search_sample_words ON search_sample USING gin (document) WITH (fastupdate=off);

-- Words of titles and tags, for correcting typing errors.
CREATE TABLE search_words (
    word text NOT NULL COLLATE pg_catalog."C",
    -- In about how many titles.
    titles integer NOT NULL,
    -- Prefixes of the word, whole and without any one letter.
    variants text[] NOT NULL
)
WITH (fillfactor='80');
ALTER TABLE ONLY search_words ADD CONSTRAINT search_words_pkey PRIMARY KEY (word);
CREATE INDEX search_words_variants ON search_words USING gin (variants) WITH (fastupdate=off);

-- Logins: each is the family of refresh tokens, or the browser session, that began with one.
CREATE TABLE sessions (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    -- Null while the session is in force.
    ended_at timestamp(3) with time zone,
    -- Browser and operating system, such as Firefox on Android; null if unknown.
    device text,
    -- ISO 3166-1 alpha-2, by the IP address, which is not stored; null if unknown.
    country text,
    -- Null for sessions that were stored before the column; then created_at counts.
    last_seen_at timestamp(3) with time zone
);
ALTER TABLE ONLY sessions ADD CONSTRAINT sessions_pkey PRIMARY KEY (id);
CREATE INDEX sessions_in_force ON sessions USING btree (user_id, id) WHERE (ended_at IS NULL);
CREATE INDEX sessions_user_id_idx ON sessions USING btree (user_id);
ALTER TABLE ONLY sessions ADD CONSTRAINT sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;

-- The name of idempotent_checks in the version before; dropped by a later one.
CREATE VIEW settled_ahead AS
 SELECT idempotent_checks.id,
    idempotent_checks.begun_at,
    idempotent_checks.is_done AS is_settled
   FROM idempotent_checks;

-- Shares of a petition on each day (UTC).
CREATE TABLE share_days (
    petition_id uuid NOT NULL,
    day date NOT NULL,
    -- By people with an account.
    by_users integer NOT NULL,
    -- By people without an account.
    by_others integer NOT NULL
);
ALTER TABLE ONLY share_days ADD CONSTRAINT share_days_pkey PRIMARY KEY (petition_id, day);
ALTER TABLE ONLY share_days ADD CONSTRAINT share_days_petition_id_fkey FOREIGN KEY (petition_id) REFERENCES petitions(id) ON DELETE CASCADE;

-- Networks that many people share, such as a school's, which have a higher limit of signatures.
CREATE TABLE shared_networks (
    id uuid NOT NULL,
    network cidr NOT NULL,
    note text NOT NULL,
    -- Signatures per address and hour.
    hourly_limit integer NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    CONSTRAINT shared_networks_hourly_limit_check CHECK (((hourly_limit >= 1) AND (hourly_limit <= 100000))),
    CONSTRAINT shared_networks_note_check CHECK (((length(note) >= 1) AND (length(note) <= 200)))
);
ALTER TABLE ONLY shared_networks ADD CONSTRAINT shared_networks_network_key UNIQUE (network);
ALTER TABLE ONLY shared_networks ADD CONSTRAINT shared_networks_pkey PRIMARY KEY (id);

-- How many users that are not hidden share a petition so often, so that a rank is a sum of a few rows. Kept by a
-- trigger on sharers.
CREATE TABLE sharer_levels (
    petition_id uuid NOT NULL,
    share_count integer NOT NULL,
    sharers integer NOT NULL
);
ALTER TABLE ONLY sharer_levels ADD CONSTRAINT sharer_levels_pkey PRIMARY KEY (petition_id, share_count);
ALTER TABLE ONLY sharer_levels ADD CONSTRAINT sharer_levels_petition_id_fkey FOREIGN KEY (petition_id) REFERENCES petitions(id) ON DELETE CASCADE;

-- How often each user shared a petition, for its leaderboard.
CREATE TABLE sharers (
    petition_id uuid NOT NULL,
    user_id uuid NOT NULL,
    share_count integer NOT NULL,
    -- When share_count was reached: the first of equals stands first.
    since timestamp(3) with time zone NOT NULL,
    -- Whether the user is suspended.
    hidden boolean DEFAULT false NOT NULL
);
ALTER TABLE ONLY sharers ADD CONSTRAINT sharers_pkey PRIMARY KEY (user_id, petition_id);
CREATE INDEX sharers_by_rank ON sharers USING btree (petition_id, hidden, share_count DESC, since, user_id);
ALTER TABLE ONLY sharers ADD CONSTRAINT sharers_petition_id_fkey FOREIGN KEY (petition_id) REFERENCES petitions(id) ON DELETE CASCADE;
ALTER TABLE ONLY sharers ADD CONSTRAINT sharers_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
CREATE TRIGGER sharers_counted AFTER INSERT OR DELETE OR UPDATE ON sharers FOR EACH ROW EXECUTE FUNCTION count_sharer();

-- Share links: one for each person and channel, and one for each channel for all people without an account.
CREATE TABLE shares (
    id uuid NOT NULL,
    petition_id uuid NOT NULL,
    -- Null for people without an account.
    user_id uuid,
    channel text NOT NULL,
    -- The parameter in the link.
    ref text NOT NULL COLLATE pg_catalog."C",
    -- Of a person: days (UTC) on which it was shared. Without an account: how often.
    share_count integer DEFAULT 1 NOT NULL,
    last_shared_on date NOT NULL,
    -- Reads of the petition by the link.
    visits integer DEFAULT 0 NOT NULL,
    -- Counted signatures by the link, as far as a follower has read the event log.
    signatures integer DEFAULT 0 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY shares ADD CONSTRAINT shares_once UNIQUE NULLS NOT DISTINCT (petition_id, user_id, channel);
ALTER TABLE ONLY shares ADD CONSTRAINT shares_pkey PRIMARY KEY (id);
ALTER TABLE ONLY shares ADD CONSTRAINT shares_ref_key UNIQUE (ref);
ALTER TABLE shares ADD CONSTRAINT shares_channel_known CHECK ((channel = ANY (ARRAY['facebook'::text, 'x'::text, 'whatsapp'::text, 'telegram'::text, 'signal'::text, 'sms'::text, 'mastodon'::text, 'bluesky'::text, 'email'::text, 'link'::text, 'qr'::text, 'other'::text]))) NOT VALID;
CREATE INDEX shares_user_id_idx ON shares USING btree (user_id);
ALTER TABLE ONLY shares ADD CONSTRAINT shares_petition_id_fkey FOREIGN KEY (petition_id) REFERENCES petitions(id) ON DELETE CASCADE;
ALTER TABLE ONLY shares ADD CONSTRAINT shares_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;

-- Signatures given on each day (UTC), on all petitions, kept by a follower.
CREATE TABLE signature_days (
    day date NOT NULL,
    given integer NOT NULL
);
ALTER TABLE ONLY signature_days ADD CONSTRAINT signature_days_pkey PRIMARY KEY (day);

-- Counted signatures by petition and hour, kept by a follower. Withdrawn and invalidated ones are subtracted from the
-- hour in which they were given. No foreign keys: events may be read after the petition is gone.
CREATE TABLE signature_hours (
    petition_id uuid NOT NULL,
    hour timestamp(0) with time zone NOT NULL,
    count integer NOT NULL
);
ALTER TABLE ONLY signature_hours ADD CONSTRAINT signature_hours_pkey PRIMARY KEY (petition_id, hour);

-- Counted signatures by minute, for the watcher. Kept for two days.
CREATE TABLE signature_minutes (
    petition_id uuid NOT NULL,
    minute timestamp with time zone NOT NULL,
    signatures integer NOT NULL
)
WITH (fillfactor='70');
ALTER TABLE ONLY signature_minutes ADD CONSTRAINT signature_minutes_pkey PRIMARY KEY (petition_id, minute);
CREATE INDEX signature_minutes_minute_idx ON signature_minutes USING btree (minute);
ALTER TABLE ONLY signature_minutes ADD CONSTRAINT signature_minutes_petition_id_fkey FOREIGN KEY (petition_id) REFERENCES petitions(id) ON DELETE CASCADE;

-- As signature_hours, by place, for maps of the last week. Older rows are deleted.
CREATE TABLE signature_place_hours (
    petition_id uuid NOT NULL,
    hour timestamp(0) with time zone NOT NULL,
    -- As signatures.place.
    place text NOT NULL,
    count integer NOT NULL
);
ALTER TABLE ONLY signature_place_hours ADD CONSTRAINT signature_place_hours_pkey PRIMARY KEY (petition_id, hour, place);
CREATE INDEX signature_place_hours_hour_idx ON signature_place_hours USING btree (hour);

-- As signature_hours, by day and region.
CREATE TABLE signature_region_days (
    petition_id uuid NOT NULL,
    day date NOT NULL,
    -- A region such as GB.ENG, or a country; empty if unknown.
    region text NOT NULL,
    count integer NOT NULL
);
ALTER TABLE ONLY signature_region_days ADD CONSTRAINT signature_region_days_pkey PRIMARY KEY (petition_id, day, region);

-- As signature_hours, by day and source.
CREATE TABLE signature_source_days (
    petition_id uuid NOT NULL,
    day date NOT NULL,
    -- As signatures.source; direct if that is null.
    source text NOT NULL,
    count integer NOT NULL
);
ALTER TABLE ONLY signature_source_days ADD CONSTRAINT signature_source_days_pkey PRIMARY KEY (petition_id, day, source);

-- Who withdrew a signature in the last 90 days, for the answer to a request for its receipt.
CREATE TABLE signature_withdrawals (
    petition_id uuid NOT NULL,
    user_id uuid NOT NULL,
    withdrawn_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY signature_withdrawals ADD CONSTRAINT signature_withdrawals_pkey PRIMARY KEY (petition_id, user_id);
CREATE INDEX signature_withdrawals_by_time ON signature_withdrawals USING btree (withdrawn_at);
CREATE INDEX signature_withdrawals_of_user ON signature_withdrawals USING btree (user_id);
ALTER TABLE ONLY signature_withdrawals ADD CONSTRAINT signature_withdrawals_petition_id_fkey FOREIGN KEY (petition_id) REFERENCES petitions(id) ON DELETE CASCADE;
ALTER TABLE ONLY signature_withdrawals ADD CONSTRAINT signature_withdrawals_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;

-- Signatures. Written once and read by page, so they have few indexes. Ids sort by time.
CREATE TABLE signatures (
    id uuid NOT NULL,
    petition_id uuid NOT NULL,
    -- Null after the signer's account was erased.
    user_id uuid,
    -- The version of the petition's text that was signed.
    version integer NOT NULL,
    -- Whether name and comment are hidden from the public.
    is_anonymous boolean NOT NULL,
    comment text,
    -- The place in the words of the signer.
    display_location text,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    -- Keyed hashes for this petition: the 40 high bits of the network (/24, of IPv6 /48), the 24 low bits of the
    -- address in it (of IPv6 its /64). Null if unknown, and at the end of retention.
    origin bigint,
    -- ISO 3166-1 alpha-2, by the IP address; null if unknown.
    country text,
    -- By the User-Agent: phone (p), tablet (t), desktop (d), bot (b) or unknown (u); null at the end of retention.
    device "char",
    -- The number of the rule in invalidations; null if no rule applies.
    invalidated_by integer,
    -- Country, region or city, as a path of GeoNames ids; null if unknown.
    place text,
    -- The host or campaign from which the signer came; null if unknown.
    source text,
    -- The share link by which the signer came. No foreign key: it may be gone.
    share_id uuid,
    -- counted: part of signature_count. held: waits for a moderator. invalid: by a rule, or rejected.
    state text DEFAULT 'counted'::text NOT NULL,
    -- Whether the address was verified when it was given, or since.
    is_proven boolean DEFAULT false NOT NULL,
    -- Hash of the signer's mailbox for this petition: see mailbox_on(). Outlives the account; null after it was erased
    -- at the end of retention, and in rows that a backfill has not reached.
    mailbox bytea,
    -- Hash of the mail domain for this petition; null like mailbox.
    mail_domain bytea,
    -- Whether the address was disposable; null like mailbox.
    is_disposable boolean,
    -- Reserved; always null.
    autonomous_system bigint,
    -- Whether the signer wants news of the petition by mail.
    updates boolean DEFAULT false NOT NULL,
    -- Version of the page on privacy that the form named; null by API, and where the software's own text was in force.
    privacy_version integer,
    -- Shown instead of the account's name; null for signers who were logged in, and after the account was erased.
    signer_name text,
    -- Version of the sentences about consent and news that the form showed; null by API.
    consent_version smallint,
    -- When the signer changed their mind about news; null: as at the signature.
    updates_changed_at timestamp(3) with time zone,
    CONSTRAINT signatures_comment_check CHECK ((length(comment) <= 500)),
    CONSTRAINT signatures_device_check CHECK ((device = ANY (ARRAY['p'::"char", 't'::"char", 'd'::"char", 'b'::"char", 'u'::"char"]))),
    CONSTRAINT signatures_invalid_check CHECK (((invalidated_by IS NULL) OR (state = 'invalid'::text))),
    CONSTRAINT signatures_state_check CHECK ((state = ANY (ARRAY['counted'::text, 'held'::text, 'invalid'::text])))
);
ALTER TABLE ONLY signatures ADD CONSTRAINT signatures_once UNIQUE (user_id, petition_id);
ALTER TABLE ONLY signatures ADD CONSTRAINT signatures_pkey PRIMARY KEY (petition_id, id);
CREATE INDEX signatures_by_id ON signatures USING brin (id) WITH (pages_per_range='16', autosummarize='on');
CREATE INDEX signatures_held ON signatures USING btree (petition_id, id) WHERE (state = 'held'::text);
CREATE INDEX signatures_invalid ON signatures USING btree (petition_id, invalidated_by, id) WHERE (invalidated_by IS NOT NULL);
CREATE UNIQUE INDEX signatures_one_of_mailbox ON signatures USING btree (petition_id, mailbox) WHERE (mailbox IS NOT NULL);
CREATE TRIGGER signatures_completed BEFORE INSERT ON signatures FOR EACH ROW WHEN (((new.mailbox IS NULL) AND (new.user_id IS NOT NULL))) EXECUTE FUNCTION complete_signature();
CREATE TRIGGER signatures_followed_by_opinions AFTER UPDATE OF state, invalidated_by ON signatures FOR EACH ROW WHEN (((old.state = 'counted'::text) <> (new.state = 'counted'::text))) EXECUTE FUNCTION opinion_follows_signature();
CREATE TRIGGER signatures_state_follows BEFORE UPDATE OF invalidated_by ON signatures FOR EACH ROW WHEN ((((new.invalidated_by IS NULL) <> (old.invalidated_by IS NULL)) AND (new.state = old.state))) EXECUTE FUNCTION state_follows_rule();

-- Networks, mail domains and countries whose signatures are refused or held.
CREATE TABLE signing_blocks (
    id uuid NOT NULL,
    -- Null: on all petitions.
    petition_id uuid,
    kind text NOT NULL,
    -- A network in CIDR form, or the id that the integrity report of this petition gives it; a domain in lower case and
    -- punycode; a country of ISO 3166-1.
    value text NOT NULL,
    action text NOT NULL,
    reason text NOT NULL,
    -- Null after the account was erased.
    created_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    -- Null: until it is deleted.
    ends_at timestamp with time zone,
    CONSTRAINT signing_blocks_action_check CHECK ((action = ANY (ARRAY['refuse'::text, 'hold'::text]))),
    CONSTRAINT signing_blocks_kind_check CHECK ((kind = ANY (ARRAY['network'::text, 'domain'::text, 'country'::text])))
);
ALTER TABLE ONLY signing_blocks ADD CONSTRAINT signing_blocks_once UNIQUE NULLS NOT DISTINCT (petition_id, kind, value);
ALTER TABLE ONLY signing_blocks ADD CONSTRAINT signing_blocks_pkey PRIMARY KEY (id);
CREATE INDEX signing_blocks_created_by_idx ON signing_blocks USING btree (created_by) WHERE (created_by IS NOT NULL);
ALTER TABLE ONLY signing_blocks ADD CONSTRAINT signing_blocks_petition_id_fkey FOREIGN KEY (petition_id) REFERENCES petitions(id) ON DELETE CASCADE;

-- Key pairs that sign access tokens.
CREATE TABLE signing_keys (
    -- The key id in tokens and in the JWKS.
    kid text NOT NULL,
    public_jwk jsonb NOT NULL,
    -- The private key, encrypted.
    private_sealed bytea NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
ALTER TABLE ONLY signing_keys ADD CONSTRAINT signing_keys_pkey PRIMARY KEY (kid);

-- How many signed each petition by mail, step by step.
CREATE TABLE signing_mail_counts (
    petition_id uuid NOT NULL,
    -- Sent the form.
    asked integer DEFAULT 0 NOT NULL,
    -- Were sent the mail.
    mailed integer DEFAULT 0 NOT NULL,
    -- Confirmed.
    confirmed integer DEFAULT 0 NOT NULL
);
ALTER TABLE ONLY signing_mail_counts ADD CONSTRAINT signing_mail_counts_pkey PRIMARY KEY (petition_id);
ALTER TABLE ONLY signing_mail_counts ADD CONSTRAINT signing_mail_counts_petition_id_fkey FOREIGN KEY (petition_id) REFERENCES petitions(id) ON DELETE CASCADE;

-- Logos of the site by the hash of their bytes: the one in force, and earlier ones, which a change that is undone
-- brings back.
CREATE TABLE site_logos (
    hash text NOT NULL,
    png bytea NOT NULL,
    width integer NOT NULL,
    height integer NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY site_logos ADD CONSTRAINT site_logos_pkey PRIMARY KEY (hash);

-- Every version of the pages of the site that administrators wrote. A version without title and body brought back the
-- software's own text.
CREATE TABLE site_pages (
    page text NOT NULL,
    language text NOT NULL,
    version integer NOT NULL,
    title text,
    body text,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    created_by uuid,
    CONSTRAINT site_pages_check CHECK (((title IS NULL) = (body IS NULL)))
);
ALTER TABLE ONLY site_pages ADD CONSTRAINT site_pages_pkey PRIMARY KEY (page, language, version);
CREATE INDEX site_pages_by ON site_pages USING btree (created_by) WHERE (created_by IS NOT NULL);
ALTER TABLE ONLY site_pages ADD CONSTRAINT site_pages_created_by_fkey FOREIGN KEY (created_by) REFERENCES users(id) ON DELETE SET NULL;

-- Every change of a setting of the site, so that each can be undone. A value that is null is what the service does by
-- itself.
CREATE TABLE site_setting_changes (
    id uuid NOT NULL,
    name text NOT NULL,
    before jsonb,
    after jsonb,
    changed_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    changed_by uuid
);
ALTER TABLE ONLY site_setting_changes ADD CONSTRAINT site_setting_changes_pkey PRIMARY KEY (id);
CREATE INDEX site_setting_changes_by ON site_setting_changes USING btree (changed_by) WHERE (changed_by IS NOT NULL);
CREATE INDEX site_setting_changes_newest ON site_setting_changes USING btree (id DESC);
ALTER TABLE ONLY site_setting_changes ADD CONSTRAINT site_setting_changes_changed_by_fkey FOREIGN KEY (changed_by) REFERENCES users(id) ON DELETE SET NULL;

-- Settings of the site that differ from what the service does by itself, one row each. Read by all processes twice a
-- second.
CREATE TABLE site_settings (
    name text NOT NULL,
    value jsonb NOT NULL
);
ALTER TABLE ONLY site_settings ADD CONSTRAINT site_settings_pkey PRIMARY KEY (name);

-- The one link by which a new instance gets its first administrator and its settings. Instances of before have none.
CREATE TABLE site_setup (
    is_only boolean DEFAULT true NOT NULL,
    id uuid NOT NULL,
    token_hash bytea NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    used_at timestamp(3) with time zone,
    CONSTRAINT site_setup_is_only_check CHECK (is_only)
);
ALTER TABLE ONLY site_setup ADD CONSTRAINT site_setup_pkey PRIMARY KEY (is_only);

-- Verified cosignatures of offered checkpoints, and the newest one of each key.
CREATE TABLE transparency_cosignatures (
    verifier_key text NOT NULL,
    -- The number of entries of the checkpoint.
    size bigint NOT NULL,
    -- The signature line of the note, with its line feed.
    line text NOT NULL,
    -- The time that the witness states.
    cosigned_at timestamp(3) with time zone NOT NULL
);
ALTER TABLE ONLY transparency_cosignatures ADD CONSTRAINT transparency_cosignatures_pkey PRIMARY KEY (verifier_key, size);

-- How many entries of each kind were added to the public log on a day (UTC), for each petition.
CREATE TABLE transparency_days (
    -- Number in transparency_petitions.
    petition integer NOT NULL,
    -- -infinity: what a backfill read, on any day until transparency_log.days_since.
    day date NOT NULL,
    signs bigint DEFAULT 0 NOT NULL,
    undos bigint DEFAULT 0 NOT NULL,
    restores bigint DEFAULT 0 NOT NULL,
    -- The sum of the `import` entries, not their number.
    imported bigint DEFAULT 0 NOT NULL
)
WITH (fillfactor='80');
ALTER TABLE ONLY transparency_days ADD CONSTRAINT transparency_days_pkey PRIMARY KEY (petition, day);

-- The indexes of a petition's entries, ascending: those of one batch in a row, with the last one beside.
CREATE TABLE transparency_entry_lists (
    petition integer NOT NULL,
    last bigint NOT NULL,
    indexes bigint[] NOT NULL
);
ALTER TABLE ONLY transparency_entry_lists ADD CONSTRAINT transparency_entry_lists_pkey PRIMARY KEY (petition, last);

-- The `sign` entry of each signature that was counted. A row is deleted once the signature is gone and its entry
-- undone.
CREATE TABLE transparency_leaves (
    signature_id uuid NOT NULL,
    -- Index of the entry.
    leaf bigint NOT NULL,
    -- Number in transparency_petitions.
    petition integer NOT NULL,
    is_undone boolean DEFAULT false NOT NULL
)
WITH (fillfactor='95');
ALTER TABLE ONLY transparency_leaves ADD CONSTRAINT transparency_leaves_pkey PRIMARY KEY (signature_id);

-- At most one row: the state of the public log. None until it begins.
CREATE TABLE transparency_log (
    is_only boolean DEFAULT true NOT NULL,
    -- Names the log: host and path.
    origin text NOT NULL,
    -- BASE_URL of the instance that writes the log. Another one, such as a copy for tests, writes nothing.
    base_url text NOT NULL,
    -- The number of entries.
    size bigint DEFAULT 0 NOT NULL,
    -- For each level of the Merkle tree the hashes of its partial tile: what is needed to append.
    edge bytea[] DEFAULT '{}'::bytea[] NOT NULL,
    -- The signed note about `size` entries.
    checkpoint text,
    -- When the last batch was added. Batches are a second apart.
    grown_at timestamp(3) with time zone,
    -- The number of entries that the published checkpoint is about; the three columns after it as of that checkpoint.
    published_size bigint DEFAULT 0 NOT NULL,
    published_edge bytea[] DEFAULT '{}'::bytea[] NOT NULL,
    published_checkpoint text,
    published_at timestamp(3) with time zone,
    -- Why nothing is added or published: the tiles have another history. Null otherwise.
    halted_because text,
    -- Whether something changed while nothing was added. All signatures are compared again then.
    has_gap boolean DEFAULT false NOT NULL,
    -- How far that comparison is; null if none is needed.
    scan jsonb,
    -- The number of entries that transparency_undos and transparency_days are about. Less than `size` only while a
    -- backfill reads entries of an earlier version.
    summed_size bigint DEFAULT 0 NOT NULL,
    -- The day (UTC) on which that backfill ended: what was added before it stands under no day. Null where there was
    -- none.
    days_since date,
    CONSTRAINT transparency_log_check CHECK ((published_size <= size)),
    CONSTRAINT transparency_log_check1 CHECK ((summed_size <= size)),
    CONSTRAINT transparency_log_is_only_check CHECK (is_only)
)
WITH (fillfactor='50');
ALTER TABLE ONLY transparency_log ADD CONSTRAINT transparency_log_pkey PRIMARY KEY (is_only);

-- Published checkpoints that witnesses are asked to cosign: all are offered the same ones, at most one every 2 seconds.
-- The newest 20, and earlier ones that have more cosignatures than all newer ones.
CREATE TABLE transparency_offered_checkpoints (
    size bigint NOT NULL,
    -- The signed note, without cosignatures of witnesses.
    checkpoint text NOT NULL,
    offered_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL
);
ALTER TABLE ONLY transparency_offered_checkpoints ADD CONSTRAINT transparency_offered_checkpoints_pkey PRIMARY KEY (size);

-- The random bytes of commitments. A row is deleted when the signature is withdrawn or its account erased.
CREATE TABLE transparency_openings (
    leaf bigint NOT NULL,
    random bytea NOT NULL,
    CONSTRAINT transparency_openings_random_check CHECK ((octet_length(random) = 32))
);
ALTER TABLE ONLY transparency_openings ADD CONSTRAINT transparency_openings_pkey PRIMARY KEY (leaf);

-- Partial tiles that were written; bundles of entries have level -1. Their files go once the full tile is published.
CREATE TABLE transparency_partial_tiles (
    level smallint NOT NULL,
    index bigint NOT NULL,
    width smallint NOT NULL
);
ALTER TABLE ONLY transparency_partial_tiles ADD CONSTRAINT transparency_partial_tiles_pkey PRIMARY KEY (level, index, width);

-- Entries from the last full bundle that was published on. Published ones stand in files.
CREATE TABLE transparency_pending_entries (
    index bigint NOT NULL,
    entry bytea NOT NULL
);
ALTER TABLE ONLY transparency_pending_entries ADD CONSTRAINT transparency_pending_entries_pkey PRIMARY KEY (index);

-- Petitions in the public log, with the sums of their entries. No foreign key: entries outlive petitions.
CREATE TABLE transparency_petitions (
    -- Names the petition in tables that have a row for each signature.
    number integer NOT NULL,
    petition_id uuid NOT NULL,
    log_id uuid NOT NULL,
    -- The last version of the text that has an entry.
    text_version integer DEFAULT 0 NOT NULL,
    counted bigint DEFAULT 0 NOT NULL,
    imported bigint DEFAULT 0 NOT NULL,
    entries bigint DEFAULT 0 NOT NULL,
    -- Index of the last `total` entry.
    total_index bigint,
    totalled_at timestamp(3) with time zone,
    -- When the next `total` entry is due; null if nothing changed.
    total_due_at timestamp(3) with time zone
)
WITH (fillfactor='80');
ALTER TABLE transparency_petitions ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY ( SEQUENCE NAME transparency_petitions_number_seq START WITH 1 INCREMENT BY 1 NO MINVALUE NO MAXVALUE CACHE 1 );
ALTER TABLE ONLY transparency_petitions ADD CONSTRAINT transparency_petitions_petition_id_key UNIQUE (petition_id);
ALTER TABLE ONLY transparency_petitions ADD CONSTRAINT transparency_petitions_pkey PRIMARY KEY (number);
CREATE INDEX transparency_petitions_due ON transparency_petitions USING btree (total_due_at) WHERE (total_due_at IS NOT NULL);

-- The `sign` entries of which an `undo` is in force. Holds indexes of the public log only, of withdrawn and erased
-- signatures too: not whose they were.
CREATE TABLE transparency_undos (
    -- Index of the `sign` entry.
    leaf bigint NOT NULL,
    -- Index of the `undo` entry.
    undo bigint NOT NULL
);
ALTER TABLE ONLY transparency_undos ADD CONSTRAINT transparency_undos_pkey PRIMARY KEY (leaf);

-- How far offering checkpoints to each witness is.
CREATE TABLE transparency_witnesses (
    url text NOT NULL,
    -- The size that the witness has cosigned last, as far as is known: where consistency proofs begin.
    known_size bigint DEFAULT 0 NOT NULL,
    -- No process offers anything before: another one does, or the last offer failed.
    next_offer_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL,
    -- Since when there is a checkpoint that the witness has not cosigned; null if there is none.
    behind_since timestamp(3) with time zone,
    -- Consecutive failures.
    failures integer DEFAULT 0 NOT NULL,
    -- Why the last offer failed; null after a success.
    failure text,
    failed_at timestamp(3) with time zone
)
WITH (fillfactor='50');
ALTER TABLE ONLY transparency_witnesses ADD CONSTRAINT transparency_witnesses_pkey PRIMARY KEY (url);

-- Not used any more: update_drafts_by_author replaced it.
CREATE TABLE update_drafts (
    petition_id uuid NOT NULL,
    title text NOT NULL,
    body text NOT NULL,
    saved_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY update_drafts ADD CONSTRAINT update_drafts_pkey PRIMARY KEY (petition_id);
ALTER TABLE ONLY update_drafts ADD CONSTRAINT update_drafts_petition_id_fkey FOREIGN KEY (petition_id) REFERENCES petitions(id) ON DELETE CASCADE;

-- What organizers of petitions have typed of an update, and not posted yet.
CREATE TABLE update_drafts_by_author (
    petition_id uuid NOT NULL,
    user_id uuid NOT NULL,
    title text NOT NULL,
    body text NOT NULL,
    saved_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    CONSTRAINT update_drafts_by_author_body_check CHECK ((length(body) <= 10000)),
    CONSTRAINT update_drafts_by_author_title_check CHECK ((length(title) <= 200))
);
ALTER TABLE ONLY update_drafts_by_author ADD CONSTRAINT update_drafts_by_author_pkey PRIMARY KEY (petition_id, user_id);
CREATE INDEX update_drafts_by_author_user_id_idx ON update_drafts_by_author USING btree (user_id);
ALTER TABLE ONLY update_drafts_by_author ADD CONSTRAINT update_drafts_by_author_petition_id_fkey FOREIGN KEY (petition_id) REFERENCES petitions(id) ON DELETE CASCADE;
ALTER TABLE ONLY update_drafts_by_author ADD CONSTRAINT update_drafts_by_author_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;

-- News that creators post on their petitions.
CREATE TABLE updates (
    id uuid NOT NULL,
    petition_id uuid NOT NULL,
    title text NOT NULL,
    body text NOT NULL,
    image_url text,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    -- What the image shows; null if nobody has said so.
    image_alt text,
    -- Who posted it. Null for updates of before the column existed, which are by the creator, and once the account was
    -- erased.
    author_id uuid,
    -- The account of its author was erased.
    author_erased boolean DEFAULT false NOT NULL,
    CONSTRAINT updates_body_check CHECK (((length(body) >= 1) AND (length(body) <= 10000))),
    CONSTRAINT updates_title_check CHECK (((length(title) >= 1) AND (length(title) <= 200)))
);
ALTER TABLE ONLY updates ADD CONSTRAINT updates_pkey PRIMARY KEY (id);
ALTER TABLE updates ADD CONSTRAINT updates_image_alt CHECK (((length(image_alt) >= 1) AND (length(image_alt) <= 300))) NOT VALID;
CREATE INDEX updates_by_author ON updates USING btree (author_id) WHERE (author_id IS NOT NULL);
CREATE INDEX updates_by_image ON updates USING btree (image_url) WHERE (image_url IS NOT NULL);
CREATE INDEX updates_by_pictures_in_text ON updates USING gin (picture_tokens(body)) WHERE (body ~~ '%/media/%'::text);
CREATE INDEX updates_recent ON updates USING btree (petition_id, id DESC);
ALTER TABLE ONLY updates ADD CONSTRAINT updates_author_id_fkey FOREIGN KEY (author_id) REFERENCES users(id) ON DELETE SET NULL NOT VALID;
ALTER TABLE ONLY updates ADD CONSTRAINT updates_petition_id_fkey FOREIGN KEY (petition_id) REFERENCES petitions(id) ON DELETE CASCADE;
CREATE TRIGGER updates_forgotten_in_notices AFTER DELETE ON updates FOR EACH ROW EXECUTE FUNCTION forget_update_in_notices();

-- Proof-of-work challenges that were solved, so that a solution is accepted once. Unlogged: signing waits for no second
-- flush.
CREATE UNLOGGED TABLE used_challenges (
    nonce bytea NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT used_challenges_nonce_check CHECK ((length(nonce) = 16))
);
ALTER TABLE ONLY used_challenges ADD CONSTRAINT used_challenges_pkey PRIMARY KEY (nonce);

-- Accounts. Signing by mail creates one too.
CREATE TABLE users (
    id uuid NOT NULL,
    -- Compared without case. Domains in Unicode are stored in punycode.
    email text NOT NULL,
    -- argon2id in PHC form; null for accounts without a password.
    password_hash text,
    display_name text NOT NULL,
    -- The last part of the address of the profile.
    slug text NOT NULL,
    bio text,
    avatar_url text,
    role text DEFAULT 'user'::text NOT NULL,
    -- Null while the address is not verified.
    email_verified_at timestamp(3) with time zone,
    phone text,
    phone_verified_at timestamp(3) with time zone,
    -- Switches by channel (in_app, email) and type of notification. Types that were never set have their default.
    notification_prefs jsonb DEFAULT '{"email": {}, "in_app": {}}'::jsonb NOT NULL,
    -- Listed petitions of the user; kept by a trigger on petitions.
    petition_count integer DEFAULT 0 NOT NULL,
    -- Null unless a moderator has suspended the account.
    suspended_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    -- Keyed hash of the canonical address; null until a backfill sets it.
    mailbox bytea,
    -- Keyed hash of the domain of the canonical address; null until a backfill sets it.
    mail_domain bytea,
    -- Whether the address is its own canonical form; null like mailbox.
    has_canonical_address boolean,
    -- Whether its domain gives out disposable addresses; null like mailbox.
    has_disposable_address boolean,
    -- The language of mails to the user.
    language text DEFAULT 'en'::text NOT NULL,
    -- Whether the profile lists what the user signed.
    show_signatures boolean DEFAULT false NOT NULL,
    -- Whether sign-ins from a new device and country are mailed.
    sign_in_alerts boolean DEFAULT true NOT NULL,
    -- The address as its owner typed it, if its domain is not in ASCII; else null.
    typed_email text,
    CONSTRAINT users_bio_check CHECK ((length(bio) <= 500)),
    CONSTRAINT users_display_name_check CHECK (((length(display_name) >= 1) AND (length(display_name) <= 100))),
    CONSTRAINT users_email_check CHECK ((length(email) <= 254)),
    CONSTRAINT users_notification_prefs CHECK (((NOT (jsonb_typeof((notification_prefs -> 'in_app'::text)) IS DISTINCT FROM 'object'::text)) AND (NOT (jsonb_typeof((notification_prefs -> 'email'::text)) IS DISTINCT FROM 'object'::text)))),
    CONSTRAINT users_role_check CHECK ((role = ANY (ARRAY['user'::text, 'moderator'::text, 'admin'::text])))
);
ALTER TABLE ONLY users ADD CONSTRAINT users_pkey PRIMARY KEY (id);
ALTER TABLE ONLY users ADD CONSTRAINT users_slug_key UNIQUE (slug);
CREATE INDEX users_by_avatar ON users USING btree (avatar_url) WHERE (avatar_url IS NOT NULL);
CREATE INDEX users_by_email ON users USING btree (lower(email) COLLATE "C");
CREATE INDEX users_by_mailbox ON users USING btree (mailbox);
CREATE INDEX users_by_name ON users USING gin (name_words(display_name)) WITH (fastupdate=off);
CREATE UNIQUE INDEX users_email_key ON users USING btree (lower(email));
CREATE INDEX users_with_a_role ON users USING btree (id, role) WHERE (role <> 'user'::text);
CREATE INDEX users_without_mailbox ON users USING btree (canonical_address(email)) WHERE (mailbox IS NULL);
CREATE TRIGGER users_forgotten_in_notices AFTER DELETE ON users FOR EACH ROW EXECUTE FUNCTION forget_user_in_notices();
CREATE TRIGGER users_signatures_proven AFTER UPDATE OF email_verified_at ON users FOR EACH ROW WHEN (((old.email_verified_at IS NULL) AND (new.email_verified_at IS NOT NULL))) EXECUTE FUNCTION prove_signatures();
CREATE TRIGGER users_suspended_as_sharers AFTER UPDATE OF suspended_at ON users FOR EACH ROW WHEN (((old.suspended_at IS NULL) <> (new.suspended_at IS NULL))) EXECUTE FUNCTION hide_suspended_sharer();

-- Milestones that an invalidation took back. Their thresholds can be reached again.
CREATE TABLE voided_milestones (
    petition_id uuid NOT NULL,
    threshold integer NOT NULL,
    signature_id uuid NOT NULL,
    reached_at timestamp(3) with time zone NOT NULL
);
ALTER TABLE ONLY voided_milestones ADD CONSTRAINT voided_milestones_pkey PRIMARY KEY (petition_id, threshold, signature_id);
ALTER TABLE ONLY voided_milestones ADD CONSTRAINT voided_milestones_petition_id_fkey FOREIGN KEY (petition_id) REFERENCES petitions(id) ON DELETE CASCADE;

-- Warnings of moderators to users.
CREATE TABLE warnings (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    -- No foreign key, so that erasing a moderator reads no warnings.
    moderator_id uuid NOT NULL,
    -- The report that led to it; null for none.
    report_id uuid,
    message text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    CONSTRAINT warnings_message_check CHECK (((length(message) >= 1) AND (length(message) <= 2000)))
);
ALTER TABLE ONLY warnings ADD CONSTRAINT warnings_pkey PRIMARY KEY (id);
CREATE INDEX warnings_of_user ON warnings USING btree (user_id, id);
ALTER TABLE ONLY warnings ADD CONSTRAINT warnings_report_id_fkey FOREIGN KEY (report_id) REFERENCES reports(id);
ALTER TABLE ONLY warnings ADD CONSTRAINT warnings_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;

-- Deliveries: one event for one endpoint.
CREATE TABLE webhook_deliveries (
    id uuid NOT NULL,
    endpoint_id uuid NOT NULL,
    event_id uuid NOT NULL,
    -- The type of the event.
    event text NOT NULL,
    status text DEFAULT 'pending'::text NOT NULL,
    -- Attempts that have ended.
    attempts smallint DEFAULT 0 NOT NULL,
    -- HTTP status of the last attempt; null without an answer.
    response_status smallint,
    -- Why the last attempt failed; null if it did not.
    error text,
    -- Null once it is delivered or has failed.
    next_attempt_at timestamp(3) with time zone DEFAULT now(),
    -- Until when the delivery belongs to the process that took it. In no index, so that taking one writes none.
    leased_until timestamp with time zone,
    delivered_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    CONSTRAINT webhook_deliveries_attempts_check CHECK (((attempts >= 0) AND (attempts <= 6))),
    CONSTRAINT webhook_deliveries_check CHECK (((next_attempt_at IS NULL) = (status = ANY (ARRAY['delivered'::text, 'failed'::text])))),
    CONSTRAINT webhook_deliveries_check1 CHECK (((delivered_at IS NOT NULL) = (status = 'delivered'::text))),
    CONSTRAINT webhook_deliveries_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text, 'retrying'::text])))
)
WITH (fillfactor='70', autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='2000');
ALTER TABLE ONLY webhook_deliveries ADD CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (id);
CREATE INDEX webhook_deliveries_listed ON webhook_deliveries USING btree (endpoint_id, status, id DESC);
CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries USING btree (endpoint_id, next_attempt_at) WHERE (next_attempt_at IS NOT NULL);
ALTER TABLE ONLY webhook_deliveries ADD CONSTRAINT webhook_deliveries_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoints(id);

-- URLs to which events are delivered.
CREATE TABLE webhook_endpoints (
    id uuid NOT NULL,
    -- Null once it was deleted: the row goes in the background.
    user_id uuid,
    -- The organization to whose events it is limited; null for none. No foreign key: the endpoint outlives it and then
    -- gets nothing.
    org_id uuid,
    url text NOT NULL,
    events text[] NOT NULL,
    is_active boolean DEFAULT true NOT NULL,
    -- The secret that signs deliveries, encrypted; null once deleted.
    secret_sealed bytea,
    -- The secret before the last rotation, encrypted. Signs too until previous_until.
    previous_sealed bytea,
    previous_until timestamp(3) with time zone,
    -- The first failure after which no delivery succeeded; null if the last one did.
    failing_since timestamp(3) with time zone,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    CONSTRAINT webhook_endpoints_check CHECK (((user_id IS NOT NULL) OR ((NOT is_active) AND (url = ''::text)))),
    CONSTRAINT webhook_endpoints_check1 CHECK (((user_id IS NULL) = (secret_sealed IS NULL))),
    CONSTRAINT webhook_endpoints_check2 CHECK (((previous_sealed IS NULL) = (previous_until IS NULL))),
    CONSTRAINT webhook_endpoints_events_check CHECK ((cardinality(events) > 0)),
    CONSTRAINT webhook_endpoints_url_check CHECK ((length(url) <= 2000))
);
ALTER TABLE ONLY webhook_endpoints ADD CONSTRAINT webhook_endpoints_pkey PRIMARY KEY (id);
CREATE INDEX webhook_endpoints_of_user ON webhook_endpoints USING btree (user_id, id DESC);
ALTER TABLE ONLY webhook_endpoints ADD CONSTRAINT webhook_endpoints_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;

-- Bodies of deliveries: written once for all endpoints and attempts.
CREATE TABLE webhook_payloads (
    event_id uuid NOT NULL,
    -- The place of the event in the log; null for test events, which are not in it.
    transaction xid8,
    "position" bigint,
    -- Null after the account of a user whom it named was erased. Written again when needed.
    body text,
    -- Users whom the body names.
    named uuid[] NOT NULL
);
ALTER TABLE ONLY webhook_payloads ADD CONSTRAINT webhook_payloads_pkey PRIMARY KEY (event_id);
CREATE INDEX webhook_payloads_naming ON webhook_payloads USING gin (named);

-- Access tokens that are revoked before they expire. Every process reads the changes twice a second.
CREATE TABLE withdrawn_credentials (
    -- The id of a token, session, user or OAuth client.
    id uuid NOT NULL,
    -- restored: no longer revoked.
    reason text NOT NULL,
    -- When all tokens concerned have expired.
    expires_at timestamp with time zone NOT NULL,
    changed_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT withdrawn_credentials_reason_check CHECK ((reason = ANY (ARRAY['ended'::text, 'suspended'::text, 'restored'::text])))
);
ALTER TABLE ONLY withdrawn_credentials ADD CONSTRAINT withdrawn_credentials_pkey PRIMARY KEY (id);
CREATE INDEX withdrawn_credentials_changed_at_idx ON withdrawn_credentials USING btree (changed_at);
CREATE INDEX withdrawn_credentials_expires_at_idx ON withdrawn_credentials USING btree (expires_at);

-- As withdrawn_signatures, written by versions before mailboxes. Still read; rows are deleted when their rule is
-- undone.
CREATE TABLE withdrawn_invalid_signatures (
    user_id uuid NOT NULL,
    petition_id uuid NOT NULL,
    invalidated_by integer NOT NULL
);
ALTER TABLE ONLY withdrawn_invalid_signatures ADD CONSTRAINT withdrawn_invalid_signatures_pkey PRIMARY KEY (petition_id, user_id);
CREATE INDEX withdrawn_invalid_signatures_invalidated_by_idx ON withdrawn_invalid_signatures USING btree (invalidated_by);
CREATE INDEX withdrawn_invalid_signatures_user_id_idx ON withdrawn_invalid_signatures USING btree (user_id);
ALTER TABLE ONLY withdrawn_invalid_signatures ADD CONSTRAINT withdrawn_invalid_signatures_petition_id_fkey FOREIGN KEY (petition_id) REFERENCES petitions(id) ON DELETE CASCADE;
ALTER TABLE ONLY withdrawn_invalid_signatures ADD CONSTRAINT withdrawn_invalid_signatures_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;

-- States of signatures that were withdrawn while held or invalid. Signing again gives the same state.
CREATE TABLE withdrawn_signatures (
    petition_id uuid NOT NULL,
    -- As in signatures.
    mailbox bytea NOT NULL,
    state text NOT NULL,
    invalidated_by integer,
    CONSTRAINT withdrawn_signatures_state_check CHECK ((state = ANY (ARRAY['held'::text, 'invalid'::text])))
);
ALTER TABLE ONLY withdrawn_signatures ADD CONSTRAINT withdrawn_signatures_pkey PRIMARY KEY (petition_id, mailbox);
CREATE INDEX withdrawn_signatures_invalidated_by_idx ON withdrawn_signatures USING btree (invalidated_by) WHERE (invalidated_by IS NOT NULL);
ALTER TABLE ONLY withdrawn_signatures ADD CONSTRAINT withdrawn_signatures_petition_id_fkey FOREIGN KEY (petition_id) REFERENCES petitions(id) ON DELETE CASCADE;

-- The mailbox of an address: without case and +tag, for Gmail without dots. For accounts that a backfill has not
-- reached.
CREATE FUNCTION canonical_address(email text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $_$
  with parts as (
    select regexp_replace(split_part(lower(email), '@', 1), '(?<=.)\+.*$', '') as local,
      split_part(lower(email), '@', 2) as domain
  )
  select case when domain in ('gmail.com', 'googlemail.com')
    then coalesce(nullif(replace(local, '.', ''), ''), local) || '@gmail.com'
    else local || '@' || domain end
  from parts
$_$;

-- Sets state and mailbox of signatures that versions before mailboxes store. Skips a second signature of a mailbox.
CREATE FUNCTION complete_signature() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
declare
  signer users;
begin
  select * into signer from users where id = new.user_id;
  if new.invalidated_by is not null then
    new.state := 'invalid';
  end if;
  new.is_proven := signer.email_verified_at is not null;
  new.is_disposable := signer.has_disposable_address;
  new.mailbox := mailbox_on(new.petition_id, signer.mailbox);
  new.mail_domain := mailbox_on(new.petition_id, signer.mail_domain);
  if new.mailbox is not null and exists (
    select from signatures
    where petition_id = new.petition_id and mailbox = new.mailbox
      and user_id is distinct from new.user_id
  ) then
    return null;
  end if;
  return new;
end $$;

CREATE FUNCTION count_listed_petitions() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if tg_op <> 'INSERT' and old.listed then
    update users set petition_count = petition_count - 1 where id = old.creator_id;
  end if;
  if tg_op <> 'DELETE' and new.listed then
    update users set petition_count = petition_count + 1 where id = new.creator_id;
  end if;
  return null;
end $$;

CREATE FUNCTION count_members() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if tg_op = 'INSERT' then
    update organizations set member_count = member_count + 1 where id = new.org_id;
  else
    update organizations set member_count = member_count - 1 where id = old.org_id;
  end if;
  return null;
end $$;

CREATE FUNCTION count_petitions_of_organization() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
declare
  counted_for uuid := case when old.listed then old.org_id end;
  counts_for uuid := case when new.listed then new.org_id end;
begin
  if counts_for is distinct from counted_for then
    update organizations set petition_count = petition_count - 1 where id = counted_for;
    update organizations set petition_count = petition_count + 1 where id = counts_for;
  end if;
  return null;
end $$;

CREATE FUNCTION count_sharer() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if tg_op <> 'INSERT' and not old.hidden then
    update sharer_levels set sharers = sharers - 1
    where petition_id = old.petition_id and share_count = old.share_count;
  end if;
  if tg_op <> 'DELETE' and not new.hidden then
    insert into sharer_levels (petition_id, share_count, sharers)
    values (new.petition_id, new.share_count, 1)
    on conflict (petition_id, share_count) do update set sharers = sharer_levels.sharers + 1;
  end if;
  return null;
end $$;

-- The transaction under which an event is stored: its own, or the newest that has ended, if that is newer. A
-- transaction gets its number before it waits for locks, so others with higher numbers may store events of the same
-- petition first.
CREATE FUNCTION event_transaction() RETURNS xid8
    LANGUAGE plpgsql
    AS $$
begin
  -- Volatile, so that it takes a snapshot of its own: the one of the statement is from before it waited for locks.
  return greatest(pg_current_xact_id(),
    (pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1)::text::xid8);
end $$;

CREATE FUNCTION fill_maker_of_response() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  new.maker_id := coalesce(new.maker_id, new.decision_maker_id);
  return new;
end $$;

CREATE FUNCTION forget_organization_in_notices() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  update notices set about = 'an organization that is gone', data = data - 'slug'
  where data ->> 'org_id' = old.id::text and data ? 'org_id';
  return null;
end $$;

CREATE FUNCTION forget_petition_in_notices() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  update notices set about = 'a petition that is gone', detail = null, data = data - 'slug'
  where petition_id = old.id;
  return null;
end $$;

CREATE FUNCTION forget_sums_of_petition() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  delete from petition_views where petition_id = old.id;
  delete from rebuilt_sums where petition_id = old.id;
  return null;
end $$;

CREATE FUNCTION forget_update_in_notices() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  update notices set detail = null
  where data ->> 'update_id' = old.id::text and data ? 'update_id';
  return null;
end $$;

CREATE FUNCTION forget_user_in_notices() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  delete from notices where for_user_id = old.id;
  return null;
end $$;

-- Hides a user in all leaderboards or shows them again, in the order of petitions.
CREATE FUNCTION hide_sharer(sharer uuid, hide boolean) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  shared uuid;
begin
  for shared in select petition_id from sharers where user_id = sharer order by petition_id loop
    update sharers set hidden = hide
    where user_id = sharer and petition_id = shared and hidden <> hide;
  end loop;
end $$;

CREATE FUNCTION hide_suspended_sharer() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  perform hide_sharer(new.id, new.suspended_at is not null);
  return null;
end $$;

-- As withdrawn_signature(), for versions before mailboxes.
CREATE FUNCTION invalidation_of_withdrawn(petition uuid, signer uuid) RETURNS integer
    LANGUAGE plpgsql
    AS $$
begin
  return (
    select w.invalidated_by from users u
    cross join lateral withdrawn_signature(petition, mailbox_on(petition, u.mailbox), signer) w
    where u.id = signer);
end $$;

-- Whether the document of a petition is in search_sample.
CREATE FUNCTION is_sampled_for_search(petition_id uuid) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select get_byte(uuid_send(petition_id), 15) % 16 = 0
$$;

-- Hash of a mailbox for one petition, so that signatures of different petitions cannot be joined by it.
CREATE FUNCTION mailbox_on(petition uuid, mailbox bytea) RETURNS bytea
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
  select substr(sha256(mailbox || uuid_send(petition)), 1, 16)
$$;

-- The words of a name in lower case and without accents, for the index of users by name.
CREATE FUNCTION name_words(name text) RETURNS tsvector
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN (SELECT array_to_tsvector(array_agg("left"(word.word, 60))) AS array_to_tsvector FROM regexp_split_to_table(replace(replace(replace(replace(translate(NORMALIZE(regexp_replace(lower(NORMALIZE(name_words.name, NFKD)), '([a-zßæœøłđðþı\u0370-\u03ff\u0590-\u05ff\u0600-\u06ff])[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670]+'::text, '\1'::text, 'g'::text), NFKC), 'øłđðıς'::text, 'olddiσ'::text), 'ß'::text, 'ss'::text), 'æ'::text, 'ae'::text), 'œ'::text, 'oe'::text), 'þ'::text, 'th'::text), '[\u0001-/:-@\[-`{-¿\u2000-\u206f\u3000-\u3003]+'::text) word(word) WHERE (word.word <> ''::text));

CREATE FUNCTION note_change_for_search() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  insert into search_changes (petition_id) values (coalesce(new.id, old.id));
  return null;
end $$;

-- An id with the time of the notice and random last bits, so that notifications sort like notices.
CREATE FUNCTION notification_id(notice_id uuid) RETURNS uuid
    LANGUAGE sql
    AS $$
  select encode(overlay(uuid_send(notice_id)
    placing substring(uuid_send(gen_random_uuid()) from 12) from 12), 'hex')::uuid
$$;

CREATE FUNCTION opinion_follows_signature() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  update answer_opinions set counts = (new.state = 'counted')
  where petition_id = new.petition_id and signature_id = new.id;
  return null;
end $$;

-- Tokens of the pictures of this service that a text shows.
CREATE FUNCTION picture_tokens(source text) RETURNS text[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$ select array(select (regexp_matches(source, '/media/([0-9a-f]{32})-', 'g'))[1]) $$;

-- Marks the signatures of an account as proven when its address is verified.
CREATE FUNCTION prove_signatures() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  update signatures set is_proven = true where user_id = new.id and not is_proven;
  return null;
end $$;

CREATE FUNCTION refuse_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  raise exception '% is append-only', tg_table_name;
end $$;

-- Renumbers the event log if it was restored from another server, whose transactions had higher numbers.
CREATE FUNCTION renumber_restored_log() RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  newest xid8 := greatest(
    (select transaction from events order by transaction desc limit 1),
    (select transaction from event_followers order by transaction desc limit 1));
  -- After the newest was looked up, since others may be telling of more meanwhile.
  next_here xid8 := pg_snapshot_xmax(pg_current_snapshot());
  last_restored bigint;
begin
  if newest is null or newest <= next_here then
    return;
  end if;
  -- Processes of a version that did not know of this may be at work.
  lock table event_followers, events in access exclusive mode;
  next_here := pg_snapshot_xmax(pg_current_snapshot());
  -- Positions go on from where they were: what has a higher one was told here since.
  last_restored := coalesce(
    (select max(position) from events where transaction > next_here), 9223372036854775807);
  create temporary table restored_log as
    select row_number() over (order by position > last_restored, transaction, position) as place, *
    from events;
  create index on restored_log (id);
  create index on restored_log (petition_id, position);
  analyze restored_log;
  update event_followers f set transaction = '1', position = coalesce((
    select max(l.place) from restored_log l
    where (l.transaction, l.position) <= (f.transaction, f.position)
      and (l.position <= last_restored or f.transaction <= next_here)), 0);
  -- Null where the event is not in the log any more.
  update webhook_payloads p set (transaction, position) = (
    select '1'::xid8, l.place from restored_log l where l.id = p.event_id)
  where p.transaction is not null;
  -- As if they had been made anew now: kept until the follower has passed all that is restored.
  update rebuilt_sums r set transaction = next_here, position = coalesce((
    select max(l.place) from restored_log l
    where l.petition_id = r.petition_id and l.position <= r.position), 0);
  truncate events;
  insert into events (transaction, position, id, type, petition_id, actor_type, actor_id, data,
    created_at)
  overriding system value
  select '1', place, id, type, petition_id, actor_type, actor_id, data, created_at
  from restored_log
  order by place;
  perform brin_summarize_new_values('events_by_id');
  drop table restored_log;
end $$;

-- Makes the oldest admin, else member, the owner of an organization without one. Deletes it if nobody is left.
CREATE FUNCTION replace_owner() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  update memberships set role = 'owner' where id = (
    select id from memberships where org_id = old.org_id order by role, id limit 1);
  if not found then
    delete from organizations where id = old.org_id;
  end if;
  return null;
end $$;

-- Days from 1970.
CREATE FUNCTION search_day(at timestamp with time zone) RETURNS integer
    LANGUAGE sql STABLE
    AS $$
  select greatest(floor(extract(epoch from at) / 86400), 0)::integer
$$;

-- floor(2 * log2(1 + signatures)) * 10,000 + months from 1970 to the date of the petition. Changes when signatures grow
-- by 41%.
CREATE FUNCTION search_known(signatures integer, at timestamp with time zone) RETURNS integer
    LANGUAGE sql STABLE
    AS $$
  select floor(2 * log(2, 1 + signatures))::integer * 10000
    + (extract(year from at at time zone 'UTC')::integer - 1970) * 12
    + extract(month from at at time zone 'UTC')::integer - 1
$$;

-- Whole days of a trend.
CREATE FUNCTION search_trend(trend double precision) RETURNS integer
    LANGUAGE sql IMMUTABLE
    AS $$
  select greatest(floor(trend), 0)::integer
$$;

-- Sets the sort keys of petitions that are inserted with a count.
CREATE FUNCTION set_sort_keys() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  new.sort_count := new.signature_count;
  new.sort_trend := new.trend;
  return new;
end $$;

-- Sets the state of signatures whose rule is changed by versions before states.
CREATE FUNCTION state_follows_rule() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  new.state := case when new.invalidated_by is null then 'counted' else 'invalid' end;
  return new;
end $$;

-- The name of event_transaction() in the version before; dropped by a later one.
CREATE FUNCTION told_in() RETURNS xid8
    LANGUAGE plpgsql
    AS $$
begin
  return event_transaction();
end $$;

-- The trend after signatures of this weight were added at this time; a negative weight removes them.
CREATE FUNCTION trend_after(trend double precision, added double precision, at timestamp with time zone) RETURNS double precision
    LANGUAGE plpgsql STABLE
    AS $$
declare
  t double precision := date_part('epoch', at) / 86400;
  newest double precision := greatest(trend, t);
  total double precision := 2 ^ greatest(trend - newest, -1000) + added * 2 ^ greatest(t - newest, -1000);
begin
  return case when total < 1e-9 then 0 else newest + ln(total) / ln(2) end;
end $$;

-- A UUIDv7 (RFC 9562), which sorts by time. PostgreSQL has uuidv7() since version 18.
CREATE FUNCTION uuid_v7() RETURNS uuid
    LANGUAGE sql PARALLEL SAFE
    AS $$
      select encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid()) placing
        substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3)
        from 1 for 6), 52, 1), 53, 1), 'hex')::uuid
    $$;

-- The state that a signature gets that is given again after it was withdrawn. Volatile, to see what was committed while
-- its statement waited for the petition.
CREATE FUNCTION withdrawn_signature(petition uuid, mailbox_hash bytea, signer uuid) RETURNS TABLE(state text, invalidated_by integer)
    LANGUAGE plpgsql
    AS $$
begin
  return query
    select w.state, w.invalidated_by from withdrawn_signatures w
    left join invalidations i on i.number = w.invalidated_by
    where w.petition_id = petition and w.mailbox = mailbox_hash
      -- A rule that is being undone may have looked for its signatures already.
      and (w.invalidated_by is null or i.state in ('applying', 'applied'))
    union all
    select 'invalid', w.invalidated_by from withdrawn_invalid_signatures w
    join invalidations i on i.number = w.invalidated_by and i.state in ('applying', 'applied')
    where w.petition_id = petition and w.user_id = signer
    limit 1;
end $$;
