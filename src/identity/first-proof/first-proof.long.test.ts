import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createActivePerson } from '../../../test/support/active-person.ts';
import { waysToProve } from '../../../test/support/first-proof.ts';
import { createPublished, signUp, unproveAddress } from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { assertVerified } from '../../../test/support/verify.ts';
import type { Db } from '../../platform/db.ts';

/** Columns that name an account, and go on to the owner who keeps what was there before the proof. */
const released = [
  'answer_opinions.user_id',
  'audit_reasons.user_id',
  'comments.user_id',
  'complaints.user_id',
  'media.user_id',
  'memberships.user_id',
  'moderation_decisions.user_id',
  'payments.payer_id',
  'petition_follows.user_id',
  'petition_organizers.user_id',
  'petitions.creator_id',
  'reports.author_id',
  'reports.reporter_id',
  'sharers.user_id',
  'shares.user_id',
  'signature_withdrawals.user_id',
  'signatures.user_id',
  'update_drafts_by_author.user_id',
  'updates.author_id',
  'warnings.user_id',
  'withdrawn_invalid_signatures.user_id',
];

/** Columns that name an account, and end with it; with the reason. */
const ended: Record<string, string> = {
  'address_changes.user_id': 'a change that a stranger asked for',
  'api_keys.user_id': 'access',
  'notices.for_user_id': 'about acts of before',
  'notification_inboxes.user_id': 'about acts of before',
  'notification_mails.user_id': 'about acts of before',
  'notifications.user_id': 'about acts of before',
  'oauth_authorizations.user_id': 'access',
  'oauth_clients.owner_id': 'access',
  'oauth_grants.user_id': 'access',
  'one_time_tokens.user_id': 'access',
  'phone_verifications.user_id': 'a phone that a stranger entered',
  'quarantined_accounts.owner_id': 'itself',
  'quarantined_accounts.user_id': 'itself',
  'sessions.user_id': 'access',
  'webhook_endpoints.user_id': 'access',
};

/** Columns that name who moderates the service, or record what happened, for as long as that is kept. */
const records = [
  'audit_log.actor_id',
  'audit_log.target_id',
  'complaints.decided_by',
  'decision_makers.verified_by',
  'events.actor_id',
  'invalidations.about',
  'invalidations.created_by',
  'invalidations.undone_by',
  'media.record_id',
  'moderation_decisions.moderator_id',
  'moderation_decisions.target_id',
  'pending_reports.author_id',
  'reports.resolved_by',
  'reports.target_id',
  'signing_blocks.created_by',
  'site_pages.created_by',
  'site_setting_changes.changed_by',
  'warnings.moderator_id',
  'withdrawn_credentials.id',
];

/** Returns the columns, as table.column, in which the id stands, with the number of rows. */
async function placesOf({ ctx: { db } }: Service, id: string): Promise<Record<string, number>> {
  const columns = await uuidColumns(db);
  const places: Record<string, number> = {};
  for (const { table, column } of columns) {
    const rows = await db.value<number>`
      select count(*)::integer from ${db(table)} where ${db(column)} = ${id}`;
    if (rows > 0) places[`${table}.${column}`] = rows;
  }
  return places;
}
const uuidColumns = (db: Db) =>
  db<{ table: string; column: string }[]>`
    select table_name::text as table, column_name::text as column from information_schema.columns
    join information_schema.tables using (table_schema, table_name)
    where table_schema = 'public' and udt_name = 'uuid' and table_type = 'BASE TABLE'
    order by 1, 2`;
describe('what an account holds when its address is proven elsewhere', () => {
  it('knows each column of the schema that names an account', async () => {
    await using service = await startService();
    const references = await service.ctx.db.column<string>`
      select c.conrelid::regclass || '.' || a.attname from pg_constraint c
      join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
      where c.contype = 'f' and c.confrelid = 'users'::regclass`;
    const names =
      /^(?:actor_id|(?:for_)?user_id|\w+_by|reporter_id|author_id|moderator_id|owner_id|payer_id|creator_id)$/;
    const columns = (await uuidColumns(service.ctx.db))
      .filter(({ column }) => names.test(column))
      .map(({ table, column }) => `${table}.${column}`);
    const known = new Set([...released, ...Object.keys(ended), ...records]);
    const unknown = [...columns, ...references].filter((column) => !known.has(column));
    assert.deepEqual([...new Set(unknown)], [], 'say what the first proof does with these');
  });

  for (const [way, prove] of Object.entries(waysToProve)) {
    it(`by ${way} is no stranger’s, and none of it is lost`, async () => {
      await using service = await startService({ worker: true });
      const squatter = await createActivePerson(service);
      await service.api.as(squatter.accessToken).patch('/v1/users/me', { show_signatures: true });
      await unproveAddress(service, squatter);
      const before = await placesOf(service, squatter.id);
      const owner = await prove(service, squatter.email, service.api);
      const { data: me } = (await owner.get('/v1/users/me')).body;
      assert.notEqual(me.id, squatter.id);
      assert.notEqual(me.slug, squatter.slug);
      assert.deepEqual(
        [me.bio, me.avatar_url, me.show_signatures, me.sign_in_alerts, me.phone_verified],
        [null, null, false, true, false],
      );
      assert.ok(!me.display_name.includes(squatter.name));
      const exported = (await owner.get('/v1/users/me/export')).body;
      // What anybody asked for with the address was mailed to its owner.
      const {
        earlier_account: _,
        pending_signatures: __,
        mail_challenges: ___,
        pending_reports: ____,
        ...parts
      } = exported;
      assert.ok(!JSON.stringify(parts).includes(squatter.name), JSON.stringify(parts));
      assert.equal((await squatter.api.get('/v1/users/me')).status, 401);
      const expected = new Set([
        'users.id',
        'sessions.user_id',
        'quarantined_accounts.owner_id',
        'one_time_tokens.user_id',
        ...(way === 'signing by mail' ? ['signatures.user_id', 'events.actor_id'] : []),
      ]);
      const strange = Object.keys(await placesOf(service, me.id)).filter(
        (place) => !expected.has(place),
      );
      assert.deepEqual(strange, []);
      // Nothing that names the squatter is public.
      for (const path of publicPaths) {
        const { body } = await service.api.get(path);
        assert.ok(!JSON.stringify(body).includes(squatter.name), path);
      }
      const { data: earlier } = (await owner.get('/v1/users/me/earlier-account')).body;
      assert.equal(earlier.display_name, squatter.name);
      const types = new Set(earlier.items.map(({ type }: { type: string }) => type));
      assert.deepEqual(types, new Set(['petition', 'comment', 'signature']));

      assert.equal((await owner.post('/v1/users/me/earlier-account/keep')).status, 204);
      assert.equal((await owner.post('/v1/users/me/earlier-account/keep')).status, 404);
      const left = Object.keys(await placesOf(service, squatter.id));
      assert.deepEqual(
        left.filter((place) => !records.includes(place)),
        [],
        'left behind',
      );
      const now = await placesOf(service, me.id);
      for (const place of released) {
        if (before[place]) assert.ok((now[place] ?? 0) >= before[place], `${place} came back`);
      }
      const { data: kept } = (await owner.get('/v1/users/me')).body;
      assert.deepEqual([kept.bio, kept.slug], [squatter.name, squatter.slug]);
      const drafts = await owner.get('/v1/petitions?status=draft');
      assert.ok(drafts.body.data.length > 0);
      await assertVerified(service.databaseUrl);
    });
  }
  const publicPaths = ['/v1/petitions', '/v1/petitions?sort=newest&limit=100'];

  it('deletes what the owner says was not theirs, and withdraws its signatures', async () => {
    await using service = await startService({ worker: true });
    const squatter = await createActivePerson(service);
    await unproveAddress(service, squatter);
    const other = await createPublished(await signUp(service, 'Other'));
    await squatter.api.post(`/v1/petitions/${other.id}/signatures`, { comment: 'Loudly.' });
    await squatter.api.post(`/v1/petitions/${other.id}/comments`, { body: 'A comment.' });
    const owner = await waysToProve['signing in by mail']!(service, squatter.email, service.api);
    const read = async () => (await service.api.get(`/v1/petitions/${other.id}`)).body.data;
    assert.equal((await read()).signature_count, 1, 'it counts until the owner has said so');
    const list = await service.api.get(`/v1/petitions/${other.id}/signatures`);
    assert.deepEqual(
      list.body.data.map(({ user, comment }: { user: null; comment: null }) => [user, comment]),
      [[null, null]],
    );
    const discussion = `/v1/petitions/${other.id}/comments`;
    assert.deepEqual((await service.api.get(discussion)).body.data, []);
    assert.equal((await owner.delete('/v1/users/me/earlier-account')).status, 204);
    assert.equal((await owner.delete('/v1/users/me/earlier-account')).status, 404);
    assert.equal((await read()).signature_count, 0);
    const left = Object.keys(await placesOf(service, squatter.id));
    assert.deepEqual(
      left.filter((place) => !records.includes(place)),
      [],
    );
    assert.ok(
      !JSON.stringify(await service.ctx.db`select body from comments`).includes('A comment.'),
    );
    assert.equal((await owner.post(`/v1/petitions/${other.id}/signatures`)).status, 201);
    await assertVerified(service.databaseUrl);
  });
});
