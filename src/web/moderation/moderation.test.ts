import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Browser, formOf, logInBrowser } from '../../../test/support/browser.ts';
import { eventually } from '../../../test/support/eventually.ts';
import {
  createTokens,
  createPublished,
  signUp,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

describe('moderation', () => {
  let service: Service;
  let creator: Person;
  let moderator: Browser;
  let admin: Browser;
  before(async () => {
    service = await startService({ worker: true });
    creator = await signUp(service, 'Creator');
    const people = { moderator: await signUp(service, 'Mo'), admin: await signUp(service, 'Ad') };
    for (const [role, { id }] of Object.entries(people)) {
      await service.ctx.db`update users set role = ${role} where id = ${id}`;
    }
    await service.app.sessions.revocations.refresh();
    moderator = await logInBrowser(service, people.moderator);
    admin = await logInBrowser(service, people.admin);
  });
  after(() => service[Symbol.asyncDispose]());

  const reported = async (title: string) => {
    const petition = await createPublished(creator, { title });
    const reporter = await signUp(service, 'Reporter');
    const input = { target_type: 'petition', target_id: petition.id, reason: 'spam' };
    const { body } = await reporter.api.post('/v1/reports', { ...input, description: 'See <it>' });
    return { petition, report: body.data };
  };
  const statusOf = async ({ id }: { id: string }) =>
    (await creator.api.get(`/v1/petitions/${id}`)).body.data.status;

  it('is for moderators only, and parts of it for administrators only', async () => {
    const anonymous = new Browser(service.api);
    assert.match((await anonymous.open('/moderation')).body, /action="\/login"/);
    const user = await logInBrowser(service, await signUp(service));
    assert.equal((await user.open('/moderation')).status, 404);
    assert.equal((await moderator.open('/moderation')).status, 200);
    for (const part of ['users', 'audit', 'figures', 'networks']) {
      assert.equal((await moderator.open(`/moderation/${part}`)).status, 404, part);
      assert.equal((await admin.open(`/moderation/${part}`)).status, 200, part);
    }
  });

  it('resolves a report once', async () => {
    const { petition, report } = await reported('Buy my <b>books</b> here');
    const queue = await moderator.open('/moderation');
    assert.match(queue.body, /Buy my &lt;b&gt;books&lt;\/b&gt; here/);
    assert.match(queue.body, /See &lt;it&gt;/);
    const page = await moderator.open(`/moderation/reports/${report.id}`);
    const hidden = await moderator.submit(page, { action: 'hide_content', note: 'Advertising' });
    assert.match(hidden.body, /role="status"/);
    assert.equal(await statusOf(petition), 'under_review');
    const again = await moderator.submit(page, { action: 'dismiss' });
    assert.equal(again.status, 409);
    assert.match(again.body, /role="alert"/);
  });

  it('approves without a reason, rejects and closes with one', async () => {
    const { petition, report } = await reported('A petition to be decided');
    const page = await moderator.open(`/moderation/reports/${report.id}`);
    await moderator.submit(page, { action: 'hide_content' });
    const path = `/moderation/petitions/${petition.id}`;
    const review = await moderator.open(path);
    const silent = await moderator.submit(review, { decision: 'reject' }, path);
    assert.equal(silent.status, 422);
    assert.match(silent.body, /aria-invalid="true"/);
    assert.equal(await statusOf(petition), 'under_review');
    await moderator.submit(review, { decision: 'approve' }, path);
    assert.equal(await statusOf(petition), 'active');
    const active = await moderator.open(path);
    const unclear = await moderator.submit(active, { reason: 'It is over.' }, path);
    assert.equal(unclear.status, 422);
    await moderator.submit(active, { decision: 'close', reason: 'It is over.' }, path);
    assert.equal(await statusOf(petition), 'closed');
  });

  it('rejects forms of other sites', async () => {
    const { report } = await reported('A petition that stays');
    const page = await moderator.open(`/moderation/reports/${report.id}`);
    const forged = await moderator.submit(page, { action: 'dismiss', _token: 'guessed' });
    assert.equal(forged.status, 403);
    const { action, fields } = formOf(page);
    const elsewhere = await service.api.send(
      'POST',
      action,
      new URLSearchParams({ ...fields, action: 'dismiss' }).toString(),
      {
        headers: {
          cookie: moderator.cookies,
          origin: 'https://evil.example',
          'content-type': 'application/x-www-form-urlencoded',
        },
      },
    );
    assert.equal(elsewhere.status, 403);
  });

  it('previews a rule, applies it with a reason and undoes it', async () => {
    const petition = await createPublished(creator);
    for (const token of await createTokens(service, 6)) {
      await service.api.as(token).post(`/v1/petitions/${petition.id}/signatures`);
    }
    const path = `/moderation/petitions/${petition.id}/integrity`;
    const count = async () =>
      (await service.api.get(`/v1/petitions/${petition.id}`)).body.data.signature_count;
    const preview = await moderator.submit(
      await moderator.open(path),
      { domain: 'example.org' },
      'own-rule',
    );
    assert.match(preview.body, /6 valid signatures would be invalid \(100%\)/);
    assert.equal(await count(), 6);
    assert.equal((await moderator.submit(preview, { reason: '' })).status, 422);
    await moderator.submit(preview, { reason: 'One address book' });
    await eventually(async () => (await count()) === 0);
    const applied = await moderator.open(path);
    assert.match(applied.body, /One address book/);
    const [, undo] = /action="([^"]+\/undo)"/.exec(applied.body)!;
    await moderator.submit(applied, {}, undo);
    await eventually(async () => (await count()) === 6);
    const bad = await moderator.submit(await moderator.open(path), { from: 'noon' }, 'own-rule');
    assert.equal(bad.status, 422);
  });

  it('finds, warns, suspends and restores users, and logs it', async () => {
    const person = await signUp(service, 'Trouble <Maker>');
    const found = await admin.open(`/moderation/users?search=${person.email}`);
    assert.match(found.body, /Trouble &lt;Maker&gt;/);
    const byName = await admin.open('/moderation/users?search=maker+TROUBLE');
    assert.match(byName.body, /Trouble &lt;Maker&gt;/);
    const path = `/moderation/users/${person.id}`;
    const page = () => admin.open(path);
    await admin.submit(await page(), { message: 'Be kind.' }, `${path}/warn`);
    await admin.submit(await page(), { reason: 'Unkind', content: 'hide' }, `${path}/suspend`);
    assert.equal((await person.api.get('/v1/me')).status, 403);
    await admin.submit(await page(), {}, `${path}/unsuspend`);
    await admin.submit(await page(), { role: 'moderator' }, `${path}/role`);
    assert.match((await page()).body, /<span class="badge good">Moderator/);
    const warnings = (await admin.open('/moderation/warnings')).body;
    assert.match(
      warnings,
      /<bdi>Trouble &lt;Maker&gt;<\/bdi><\/a><\/p>\s*<p class="plain-text" dir="auto">Be kind\./,
    );
    const log = (await admin.open('/moderation/audit')).body;
    for (const act of ['user.suspend', 'user.unsuspend']) assert.ok(log.includes(act), act);
  });

  it('adds and removes shared networks', async () => {
    const add = async (values: Record<string, string>) =>
      admin.submit(await admin.open('/moderation/networks'), values, '/moderation/networks');
    assert.equal((await add({ network: 'nonsense', note: 'School' })).status, 422);
    const added = await add({ network: '192.0.2.0/24', note: 'School', limit: '500' });
    assert.match(added.body, /192\.0\.2\.0\/24/);
    const [, remove] = /action="([^"]+\/remove)"/.exec(added.body)!;
    assert.doesNotMatch((await admin.submit(added, {}, remove)).body, /192\.0\.2\.0\/24/);
  });
});
