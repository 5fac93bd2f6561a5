import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { readMail } from '../../../test/support/mail.ts';
import {
  createPublished,
  createUsers,
  signUp,
  type Person,
  type TestUser,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { consentVersion } from './schema.ts';
import { Browser, logInBrowser } from '../../../test/support/browser.ts';

describe('one’s own signatures', () => {
  let service: Service;
  let creator: Person;
  before(async () => {
    service = await startService({ worker: true });
    creator = await signUp(service, 'Creator');
  });
  after(() => service[Symbol.asyncDispose]());

  const people = (count: number): Promise<TestUser[]> => createUsers(service, count);
  const sign = async ({ api }: TestUser, petition: { id: string }, input: object = {}) => {
    const { status } = await api.post(`/v1/petitions/${petition.id}/signatures`, input);
    assert.equal(status, 201);
  };

  it('are listed for their signer alone, anonymous ones too', async () => {
    const [signer, other] = (await people(2)) as [TestUser, TestUser];
    const [first, second] = [await createPublished(creator), await createPublished(creator)];
    await sign(signer, first, { comment: 'Because.' });
    await sign(signer, second, { is_anonymous: true, updates: true });
    const list = (api: TestUser['api'], query = '') => api.get(`/v1/users/me/signatures${query}`);
    const { body } = await list(signer.api);
    assert.deepEqual(
      body.data.map((one: Record<string, unknown>) => [
        (one.petition as { id: string }).id,
        one.comment,
        one.is_anonymous,
        one.updates,
        one.state,
      ]),
      [
        [second.id, null, true, true, 'counted'],
        [first.id, 'Because.', false, false, 'counted'],
      ],
    );
    const page = await list(signer.api, '?limit=1');
    const next = await list(signer.api, `?limit=1&cursor=${page.body.pagination.next_cursor}`);
    assert.equal(next.body.data[0].petition.id, first.id);
    assert.deepEqual((await list(other.api)).body.data, []);
    assert.equal((await service.api.get('/v1/users/me/signatures')).status, 401);
  });

  it('say where their receipt is, unless the service keeps no log', async () => {
    const [signer] = (await people(1)) as [TestUser];
    const petition = await createPublished(creator);
    const path = `/v1/petitions/${petition.slug}/signatures`;
    const url = `http://petitions.test/v1/petitions/${petition.id}/signatures/me/receipt`;
    const urlsFrom = async (api: TestUser['api']) => [
      (await api.post(path)).body.data.receipt_url,
      (await api.patch(`${path}/me`, {})).body.data.receipt_url,
      (await api.get('/v1/users/me/signatures')).body.data[0].receipt_url,
    ];
    assert.deepEqual(await urlsFrom(signer.api), [url, url, url]);
    await signer.api.delete(`${path}/me`);
    await using without = await startService({ beside: service, env: { LOG: 'off' } });
    assert.deepEqual(await urlsFrom(without.api.as(signer.token)), [null, null, null]);
  });

  it('take another reason, and back the wish for news', async () => {
    const [signer, other] = (await people(2)) as [TestUser, TestUser];
    const petition = await createPublished(creator);
    await sign(signer, petition);
    const path = `/v1/petitions/${petition.slug}/signatures/me`;
    const changed = await signer.api.patch(path, { comment: ' I live there. ', updates: true });
    assert.equal(changed.status, 200);
    assert.deepEqual(
      [changed.body.data.comment, changed.body.data.updates],
      ['I live there.', true],
    );
    const same = await signer.api.patch(path, {});
    assert.deepEqual(same.body.data, changed.body.data);
    const { data } = (await service.api.get(`/v1/petitions/${petition.id}/signatures`)).body;
    assert.equal(data[0].comment, 'I live there.');
    const emptied = await signer.api.patch(path, { comment: null, updates: false });
    assert.deepEqual([emptied.body.data.comment, emptied.body.data.updates], [null, false]);
    assert.equal((await other.api.patch(path, { updates: true })).status, 404);
    assert.equal((await service.api.patch(path, { updates: true })).status, 401);
    assert.equal((await signer.api.patch(path, { comment: 'x'.repeat(501) })).status, 422);
    const [row] = await service.ctx.db`
      select updates_changed_at from signatures where user_id = ${signer.id}`;
    assert.ok(row!.updates_changed_at);
  });

  it('bring news by mail to those who asked, unless these are switched off', async () => {
    const [asked, notAsked, off, always] = (await people(4)) as [
      TestUser,
      TestUser,
      TestUser,
      TestUser,
    ];
    const petition = await createPublished(creator);
    const prefer = (person: TestUser, petition_update: boolean) =>
      person.api.patch('/v1/notifications/preferences', { email: { petition_update } });
    await prefer(off, false);
    await prefer(always, true);
    for (const person of [asked, off]) await sign(person, petition, { updates: true });
    for (const person of [notAsked, always]) await sign(person, petition);
    const update = { title: 'News', body: 'The council met.' };
    await creator.api.post(`/v1/petitions/${petition.id}/updates`, update);
    const { db } = service.ctx;
    const inApp = async ({ api }: TestUser) =>
      (await api.get('/v1/notifications/unread-count')).body.data.unread_count;
    for (const person of [asked, notAsked, off, always]) {
      await eventually(async () => (await inApp(person)) === 1, 15_000);
    }
    await db`update notification_inboxes set mail_due_at = mail_due_at - interval '3 minutes'`;
    const recipients = async () => (await service.mails()).map((mail) => readMail(mail).to);
    const got = async ({ email }: TestUser) => (await recipients()).includes(email);
    await eventually(async () => (await got(asked)) && (await got(always)), 15_000);
    assert.deepEqual([await got(notAsked), await got(off)], [false, false]);
  });

  it('stand on the profile only if its user wants that', async () => {
    const [signer] = (await people(1)) as [TestUser];
    const petition = await createPublished(creator, { title: 'Open the river path' });
    await sign(signer, petition, { comment: 'Because.' });
    const { slug } = (await signer.api.get('/v1/users/me')).body.data;
    const shown = async () => (await service.api.get(`/v1/users/${slug}/signatures`)).body.data;
    const visitor = new Browser(service.api);
    assert.deepEqual(await shown(), []);
    const hidden = await visitor.open(`/u/${slug}/signatures`);
    assert.doesNotMatch(hidden.body, /Open the river path/);
    assert.match(hidden.body, /<meta name="robots" content="noindex">/);
    assert.doesNotMatch((await visitor.open(`/u/${slug}`)).body, /\/signatures"/);

    const { body } = await signer.api.patch('/v1/users/me', { show_signatures: true });
    assert.equal(body.data.show_signatures, true);
    assert.equal((await shown()).length, 1);
    assert.match((await visitor.open(`/u/${slug}/signatures`)).body, /Open the river path/);
    const indexed = await visitor.open(`/u/${(await creator.api.get('/v1/me')).body.data.slug}`);
    assert.doesNotMatch(indexed.body, /noindex/);
  });

  it('remember which sentences the form showed', async () => {
    const person = await signUp(service, 'Reader');
    const petition = await createPublished(creator);
    const browser = await logInBrowser(service, person);
    const page = await browser.open(`/p/${petition.slug}`);
    await browser.submit(page, { updates: 'on' }, `/p/${petition.slug}/sign`);
    const [api] = (await people(1)) as [TestUser];
    await sign(api, petition);
    const rows = await service.ctx.db`
      select updates, consent_version from signatures where petition_id = ${petition.id} order by id`;
    assert.deepEqual(
      rows.map((row) => [row.updates, row.consent_version]),
      [
        [true, consentVersion],
        [false, null],
      ],
    );
  });
});
