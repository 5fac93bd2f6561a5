import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createActivePerson, type ActivePerson } from '../support/active-person.ts';
import { findMentions } from '../support/mentions.ts';
import { createPublished, logIn, logInAsAdmin, signUp } from '../support/people.ts';
import { startService, type Service } from '../support/service.ts';

/** Where the export shows the rows of a table. */
const sections: Record<string, string> = {
  address_changes: 'address_changes',
  answer_opinions: 'answer_opinions',
  api_keys: 'api_keys',
  audit_log: 'acts_of_moderators',
  audit_reasons: 'acts_of_moderators',
  comments: 'comments',
  complaints: 'moderation_decisions.complaints',
  decision_maker_links: 'deliveries',
  decision_makers: 'petitions.decision_makers',
  invalidations: 'invalidations',
  mail_challenges: 'mail_challenges',
  media: 'media',
  memberships: 'memberships',
  moderation_decisions: 'moderation_decisions.decisions',
  notices: 'notifications',
  notifications: 'notifications',
  oauth_clients: 'oauth.clients',
  oauth_grants: 'oauth.grants',
  payments: 'payments',
  pending_reports: 'pending_reports',
  pending_signatures: 'pending_signatures',
  petition_follows: 'follows',
  petition_organizers: 'organizers',
  petition_versions: 'petitions.versions',
  petitions: 'petitions',
  quarantined_accounts: 'earlier_account',
  report_contacts: 'report_contacts',
  reports: 'reports',
  sessions: 'sessions',
  shares: 'shares',
  signature_withdrawals: 'signature_withdrawals',
  signatures: 'signatures',
  signing_blocks: 'signing_blocks',
  update_drafts_by_author: 'updates',
  updates: 'updates',
  users: 'account',
  warnings: 'warnings',
  webhook_deliveries: 'webhooks.deliveries',
  webhook_endpoints: 'webhooks',
};

/** Columns that the export shows by another name. */
const renamed: Record<string, string> = {
  'invalidations.created_by': 'created',
  'invalidations.undone_by': 'undone',
  'oauth_clients.secret_hash': 'confidential',
  'signatures.origin': 'address_hash',
};

const itself = 'is the person whose export it is';
const secret = 'is a secret, or belongs to one';
const internal = 'is of use only inside the service';
const moderation = 'would reveal moderators, reporters or how abuse is found';
const others = 'is a rule about signatures of others';
const organization = 'belongs to the organization';
const withdrawn = 'keeps an invalid signature from being counted after it is given again';

/** Why columns are left out: by table, the names of columns and the reason. */
const leftOut: Record<string, Record<string, string>> = {
  address_changes: { id: 'is in the links that were mailed', user_id: itself },
  answer_opinions: { user_id: itself },
  api_keys: { user_id: itself, key_hash: secret },
  audit_log: { 'id actor_id': moderation, details: 'repeats the reason and names others' },
  audit_reasons: { act_id: internal, user_id: itself },
  comments: {
    user_id: itself,
    'root_id reply_count last_reply_id': 'are replies of others',
    hidden_with_author: moderation,
  },
  complaints: {
    id: internal,
    user_id: itself,
    decided_by: moderation,
    report_id: 'is of reporters without an account',
  },
  decision_maker_links: {
    'id decision_maker_id': internal,
    'token_hash mailbox': secret,
    replaced_at: internal,
  },
  decision_makers: { 'id petition_id': internal, verified_by: moderation },
  events: {
    'transaction position id type petition_id actor_type actor_id data created_at':
      'record the acts that other sections show',
  },
  invalidations: {
    'number network country domain disposable signed_from signed_until domains': others,
    'state matched invalidated restored looked_at told applied_at about': others,
  },
  mail_challenges: {
    'mailbox token_hash browser_hash is_mailed': secret,
    registration: 'is shown as display_name; the rest is a secret',
  },
  mail_suppressions: { 'mailbox cause created_at': 'are shown as mail_stopped of the account' },
  media: {
    user_id: itself,
    record_id: 'is the petition or account that shows the picture',
    token: 'is part of the address of each variant',
    refusal: 'is told as the error of the upload',
    'confirmed_at upload_removed slow_decodings': internal,
  },
  memberships: { user_id: itself },
  moderation_decisions: { user_id: itself, 'moderator_id report_ids': moderation },
  notices: {
    'event_id petition_id': 'are shown as data',
    for_user_id: itself,
  },
  notification_fan_outs: {
    'notice_id petition_id except_ids audience after_id stepped_at':
      'are notifications on their way',
  },
  notification_inboxes: {
    user_id: itself,
    'total unread mail_due_at mailed_at mail_failures': internal,
  },
  notification_mails: { 'user_id notice_id': 'are notifications that wait for the next mail' },
  notifications: { user_id: itself, notice_id: internal },
  oauth_clients: { owner_id: itself },
  oauth_grants: { id: internal, user_id: itself },
  one_time_tokens: { 'token_hash purpose user_id expires_at': secret },
  organizations: {
    'id name slug description logo_url cover_url website verified tier': organization,
    'subscription_status current_period_end member_count petition_count created_at': organization,
  },
  payments: { payer_id: itself },
  pending_reports: {
    email: 'is the address of the account',
    'browser_hash token_hash tries': secret,
    network: 'is a keyed hash of the network, kept against abuse',
    'author_id petition_id snapshot': 'are of what was reported',
  },
  pending_signatures: {
    email: 'is the address of the account',
    'has_code browser_hash token_hash tries': secret,
  },
  petition_versions: { petition_id: internal, text_hash: internal, redaction_reason: moderation },
  petition_follows: { user_id: itself },
  petition_organizers: { user_id: itself, token_hash: secret },
  petitions: {
    creator_id: itself,
    'hidden_with_creator invalid_signature_count has_withdrawn_invalid': moderation,
    change_reviewed_at: moderation,
    'trend tag_keys sort_at listed status_since origins_forgotten sort_count sort_trend': internal,
    access_code_version: secret,
    closing_reminder_at: internal,
  },
  phone_verifications: {
    user_id: itself,
    phone: 'is shown as unverified_phone of the account',
    'code_hash tries expires_at': secret,
  },
  quarantined_accounts: { 'user_id owner_id': itself },
  report_contacts: { email: 'is the address of the account' },
  reports: {
    'action resolved_by': moderation,
    reporter_mailbox: 'is a keyed hash of the address, which the account shows',
    'author_id petition_id snapshot': 'are of what was reported',
    network: 'is a keyed hash of the network, kept against abuse',
  },
  sessions: { user_id: itself },
  shared_networks: { 'id network note hourly_limit created_at': 'are networks of institutions' },
  site_pages: {
    'page language version title body created_at created_by':
      'are pages of the site; who wrote them is in acts_of_moderators',
  },
  site_setting_changes: {
    'id name before after changed_at changed_by':
      'are settings of the site; who changed them is in acts_of_moderators',
  },
  sharers: { 'petition_id user_id share_count since hidden': 'are sums of shares' },
  shares: { id: internal, user_id: itself },
  signature_withdrawals: { user_id: itself },
  signatures: {
    user_id: itself,
    invalidated_by: moderation,
    'mailbox mail_domain': 'are keyed hashes of the address, which the account shows',
  },
  picture_copies: {
    'url_hash url token status failure variants attempts created_at updated_at':
      'is our copy of a picture that the account shows',
  },
  signing_blocks: { created_by: itself },
  transparency_log: {
    'is_only origin base_url size edge checkpoint grown_at': 'are the state of the public log',
    'published_size published_edge published_checkpoint published_at halted_because has_gap scan summed_size days_since':
      'are the state of the public log',
  },
  update_drafts_by_author: { user_id: itself },
  updates: { author_id: itself, author_erased: 'is of accounts that are gone' },
  users: {
    password_hash: secret,
    'mailbox mail_domain': 'are keyed hashes of email',
  },
  warnings: { user_id: itself, 'moderator_id report_id': moderation },
  webhook_deliveries: { 'endpoint_id next_attempt_at leased_until': internal },
  webhook_endpoints: {
    user_id: itself,
    'secret_sealed previous_sealed previous_until': secret,
  },
  webhook_payloads: {
    'event_id transaction position body named': 'are sent to endpoints, and deleted after days',
  },
  withdrawn_credentials: {
    'id reason expires_at changed_at': 'end tokens, and are deleted when these expire',
  },
  withdrawn_invalid_signatures: { 'user_id petition_id invalidated_by': withdrawn },
  withdrawn_signatures: { 'petition_id mailbox state invalidated_by': withdrawn },
};

/** Names of columns that hold personal data in any table. */
const personal =
  /^(?:email|mailbox|mail_domain|phone|network|origin|browser_hash|actor_id|(?:for_)?user_id|\w+_by|reporter_id|reporter_mailbox|author_id|moderator_id|owner_id|payer_id|creator_id)$/;

describe('the export of an account', () => {
  let service: Service;
  let person: ActivePerson;
  let exported: Record<string, unknown>;
  before(async () => {
    service = await startService({ worker: true });
    person = await createActivePerson(service);
    exported = await exportAfterModerating();
  });
  after(() => service[Symbol.asyncDispose]());

  /** Makes the person a moderator, whose acts are exported too. */
  async function exportAfterModerating(): Promise<Record<string, unknown>> {
    const { id: earlierId } = await signUp(service, 'Earlier');
    await service.ctx.db`
      insert into quarantined_accounts (user_id, owner_id, display_name, bio, avatar_url, slug, shown_at)
      values (${earlierId}, ${person.id}, 'Earlier', 'Mine.', 'https://example.org/a.png', 'earlier', now())`;
    const admin = await logInAsAdmin(service);
    const made = await admin.api.patch(`/v1/admin/users/${person.id}`, { role: 'moderator' });
    assert.equal(made.status, 200);
    const { api } = await logIn(service, person);
    const { id } = await createPublished({ api });
    const block = { kind: 'country', value: 'AQ', action: 'hold', reason: 'A test.' };
    const rule = { country: 'AQ' };
    const proof = { email: 'later@example.org', password: person.password };
    const acts = [
      await api.post('/v1/users/me/email', proof),
      await api.post(`/v1/petitions/${id}/updates`, { title: 'News', body: 'All is well.' }),
      await api.post('/v1/admin/signing-blocks', block),
      await api.post(`/v1/admin/petitions/${id}/invalidations`, { rule, reason: 'A test.' }),
    ];
    for (const { status, body } of acts) assert.ok(status < 300, JSON.stringify(body));
    const { status, body } = await api.get('/v1/users/me/export');
    assert.equal(status, 200);
    return body;
  }

  it('has every column of personal data, or a reason why not', async () => {
    const columns = await personalColumns(service, person);
    const missing: string[] = [];
    for (const [table, names] of Object.entries(columns)) {
      const shown = keysAt(exported, sections[table]);
      const excused = excusedIn(table);
      for (const name of names) {
        const isShown = shown.has(renamed[`${table}.${name}`] ?? name);
        if (isShown === excused.has(name)) missing.push(`${table}.${name}`);
      }
    }
    assert.deepEqual(missing, [], 'neither exported nor left out, or both');
  });

  it('leaves out only columns that exist', async () => {
    const columns = await allColumns(service);
    const unknown = Object.keys(leftOut).flatMap((table) =>
      [...excusedIn(table)]
        .filter((name) => !columns[table]?.includes(name))
        .map((name) => `${table}.${name}`),
    );
    assert.deepEqual(unknown, []);
  });

  it('is text: no bytes', () => {
    const bytes: string[] = [];
    JSON.stringify(exported, (key, value: unknown) => {
      if ((value as { type?: unknown } | null)?.type === 'Buffer') bytes.push(key);
      return value;
    });
    assert.deepEqual(bytes, []);
  });
});

const excusedIn = (table: string) =>
  new Set(Object.keys(leftOut[table] ?? {}).flatMap((names) => names.split(' ')));

/** The keys of all objects in a section of the export, such as `oauth.clients`. */
function keysAt(exported: Record<string, unknown>, section: string | undefined): Set<string> {
  if (section === undefined) return new Set();
  const rows = section
    .split('.')
    .reduce<unknown[]>(
      (found, key) => found.flatMap((one) => [valueOf(one, key)].flat()),
      [exported],
    );
  assert.ok(rows.length > 0, `${section} is empty: the person has not used it`);
  return new Set(rows.flatMap((row) => Object.keys(row as object)));
}

const valueOf = (value: unknown, key: string) => (value as Record<string, unknown>)[key];

type Columns = Record<string, string[]>;

async function allColumns(service: Service): Promise<Columns> {
  const rows = await service.ctx.pools.main<{ table: string; column: string }[]>`
    select table_name::text as "table", column_name::text as "column"
    from information_schema.columns where table_schema = 'public'
    order by table_name, ordinal_position`;
  const columns: Columns = {};
  for (const { table, column } of rows) (columns[table] ??= []).push(column);
  return columns;
}

/** Columns of all tables that name the person, refer to users, or have a column of personal data. */
async function personalColumns(service: Service, person: ActivePerson): Promise<Columns> {
  const references = await service.ctx.pools.main<{ name: string }[]>`
    select conrelid::regclass::text as name from pg_constraint
    where contype = 'f' and confrelid = 'users'::regclass`;
  const [keyed] = await service.ctx.pools.main<{ mailbox: string }[]>`
    select encode(mailbox, 'hex') as mailbox from users where id = ${person.id}`;
  const { id, name, email, slug, phone } = person;
  const mentions = await findMentions(service, [id, name, email, slug, phone, keyed!.mailbox]);
  const tables = new Set([
    ...references.map((reference) => reference.name),
    ...mentions.map((mention) => /^public\.(\w+):/.exec(mention)?.[1]),
    ...Object.keys(sections),
  ]);
  const columns = Object.entries(await allColumns(service));
  return Object.fromEntries(
    columns.filter(
      ([table, names]) => tables.has(table) || names.some((one) => personal.test(one)),
    ),
  );
}
