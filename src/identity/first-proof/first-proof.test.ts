import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { assertVerified } from '../../../test/support/verify.ts';
import { logInBrowser } from '../../../test/support/browser.ts';
import { codeFor, waysToProve } from '../../../test/support/first-proof.ts';
import { eventually } from '../../../test/support/eventually.ts';
import {
  createPublished,
  logIn,
  signUp,
  signUpProven,
  type Person,
} from '../../../test/support/people.ts';
import { createOneTimeToken } from '../accounts/accounts.ts';
import { startService, type Service } from '../../../test/support/service.ts';

describe('the first proof of an address', () => {
  let service: Service;
  before(async () => {
    service = await startService({ worker: true });
  });
  after(() => service[Symbol.asyncDispose]());

  const cookieOf = async (email: string) => {
    const input = { email, password: 'correct horse', display_name: 'Registrant' };
    const { status, headers } = await service.api.post('/v1/auth/register', input);
    assert.equal(status, 201);
    return headers.getSetCookie()[0]!.split(';')[0]!;
  };
  let count = 0;
  const newAddress = () => `mailbox-${++count}@example.org`;

  for (const [way, prove] of Object.entries(waysToProve)) {
    it(`by ${way} in the browser that registered leaves the account as it is`, async () => {
      const email = newAddress();
      const cookie = await cookieOf(email);
      const { api, id } = await logInWithId(email);
      await createPublished({ api });
      await api.patch('/v1/users/me', { bio: 'Mine.' });
      const owner = await prove(service, email, service.api.with({ cookie }));
      const { data } = (await owner.get('/v1/users/me')).body;
      assert.deepEqual([data.id, data.bio, data.email_verified], [id, 'Mine.', true]);
      assert.equal((await owner.get('/v1/users/me/earlier-account')).status, 404);
      const reset = way === 'a reset';
      assert.equal((await api.get('/v1/users/me')).status, reset ? 401 : 200);
      const login = { email, password: 'correct horse' };
      assert.equal((await service.api.post('/v1/auth/login', login)).status, reset ? 401 : 200);
    });
  }

  for (const [way, prove] of Object.entries(waysToProve)) {
    it(`by ${way} of a proven account, from any browser, leaves it as it is`, async () => {
      const person = await signUpProven(service, 'Proven');
      await person.api.patch('/v1/users/me', { bio: 'Mine.', show_signatures: true });
      const { body: key } = await person.api.post('/v1/api-keys', { name: 'A key' });
      const owner = await prove(service, person.email, service.api);
      const { data } = (await owner.get('/v1/users/me')).body;
      assert.deepEqual([data.id, data.bio, data.show_signatures], [person.id, 'Mine.', true]);
      assert.equal((await service.api.as(key.data.key).get('/v1/users/me')).status, 200);
      assert.equal((await owner.get('/v1/users/me/earlier-account')).status, 404);
    });
  }

  it('by its own verification mail keeps the account with all its access, from any browser', async () => {
    const person = await signUp(service, 'Ada');
    const { body: key } = await person.api.post('/v1/api-keys', { name: 'A key' });
    const { id } = await createPublished(person);
    const token = await createOneTimeToken(service.ctx, 'verify-email', person.id);
    assert.equal((await service.api.post('/v1/auth/verify-email', { token })).status, 204);
    for (const api of [person.api, service.api.as(key.data.key)]) {
      const { data } = (await api.get('/v1/users/me')).body;
      assert.deepEqual([data.id, data.email_verified], [person.id, true]);
    }
    assert.equal((await service.api.get(`/v1/petitions/${id}`)).status, 200);
    assert.equal((await logIn(service, person)).email, person.email);
  });

  it('lets the owner sign in the place of the signature that a stranger gave', async () => {
    const squatter = await signUp(service, 'Squatter');
    const { id } = await createPublished(await signUp(service, 'Other'));
    await squatter.api.post(`/v1/petitions/${id}/signatures`, { comment: 'Never said.' });
    const owner = await waysToProve['a reset']!(service, squatter.email, service.api);
    const signed = await owner.post(`/v1/petitions/${id}/signatures`, { comment: 'Said.' });
    assert.equal(signed.status, 201, JSON.stringify(signed.body));
    const { body } = await service.api.get(`/v1/petitions/${id}/signatures`);
    assert.deepEqual(
      body.data.map(({ comment }: { comment: string }) => comment),
      ['Said.'],
    );
    assert.equal((await service.api.get(`/v1/petitions/${id}`)).body.data.signature_count, 1);
    assert.equal((await owner.post('/v1/users/me/earlier-account/keep')).status, 204);
    assert.equal((await service.api.get(`/v1/petitions/${id}`)).body.data.signature_count, 1);
    await assertVerified(service.databaseUrl);
  });

  it('gives the owner no language that a stranger chose', async () => {
    for (const prove of Object.values(waysToProve)) {
      const squatter = await signUp(service, 'Squatter');
      await squatter.api.patch('/v1/users/me', { language: 'ar' });
      const owner = await prove(service, squatter.email, service.api);
      assert.equal((await owner.get('/v1/users/me')).body.data.language, 'en');
    }
  });

  it('deletes what nobody decided about after 30 days, and keeps its signatures without a name', async () => {
    const squatter = await signUp(service, 'Late');
    const { id } = await createPublished(await signUp(service, 'Other'));
    const { id: own } = await createPublished(squatter);
    await squatter.api.post(`/v1/petitions/${id}/signatures`);
    await waysToProve['signing in by mail']!(service, squatter.email, service.api);
    assert.equal((await service.api.get(`/v1/petitions/${own}`)).status, 404);
    await service.ctx.db`
      update quarantined_accounts set quarantined_at = quarantined_at - interval '31 days'
      where user_id = ${squatter.id}`;
    await service.ctx.db`select graphile_worker.add_job('delete-quarantined-accounts')`;
    const { db } = service.ctx;
    await eventually(async () => !(await db.exists`select from users where id = ${squatter.id}`));
    assert.equal((await service.api.get(`/v1/petitions/${id}`)).body.data.signature_count, 1);
    await assertVerified(service.databaseUrl);
  });

  it('shows the owner alone what the earlier account did', async () => {
    const squatter = await signUp(service, 'Squatter');
    const other = await signUp(service, 'Other');
    const { id } = await createPublished(other, { title: 'Light the landing stage' });
    await createPublished(squatter);
    await squatter.api.post(`/v1/petitions/${id}/signatures`);
    await squatter.api.post(`/v1/petitions/${id}/comments`, { body: 'We need this.' });
    const owner = await waysToProve['a reset']!(service, squatter.email, service.api);
    const { data } = (await owner.get('/v1/users/me/earlier-account')).body;
    const items = data.items.map(({ type, text }: { type: string; text: string }) => [type, text]);
    assert.deepEqual(items, [
      ['petition', 'Keep the river path open at night'],
      ['signature', 'Light the landing stage'],
      ['comment', 'We need this.'],
    ]);
    const refused = await other.api.get('/v1/users/me/earlier-account');
    assert.equal(refused.status, 404);
  });

  it('is given to one of two who prove it at once', async () => {
    const squatter = await signUp(service, 'Squatter');
    await createPublished(squatter);
    const answers = [];
    for (let n = 0; n < 2; n += 1) answers.push(await codeFor(service, squatter.email));
    const statuses = await Promise.all(
      answers.map(
        async (answer) => (await service.api.post('/v1/auth/magic-link/verify', answer)).status,
      ),
    );
    assert.deepEqual(statuses, [200, 200]);
    const users = await service.ctx.db`select from users where email = ${squatter.email}`;
    assert.equal(users.length, 1);
  });

  it('is not a proof of a stranger who was suspended', async () => {
    const squatter = await signUp(service, 'Suspended');
    await service.ctx.db`update users set suspended_at = now() where id = ${squatter.id}`;
    const owner = await waysToProve['signing in by mail']!(service, squatter.email, service.api);
    assert.equal((await owner.get('/v1/users/me')).status, 200);
    const kept = await owner.post('/v1/users/me/earlier-account/keep');
    assert.deepEqual([kept.status, kept.body.code], [403, 'account_suspended']);
    const proven = await signUpProven(service, 'Proven');
    await service.ctx.db`update users set suspended_at = now() where id = ${proven.id}`;
    const answer = await codeFor(service, proven.email);
    assert.equal((await service.api.post('/v1/auth/magic-link/verify', answer)).status, 403);
  });

  it('in a browser that the password logged in leaves the account as it is', async () => {
    const person = await signUp(service, 'Ada');
    const browser = await logInBrowser(service, person);
    const api = service.api.with({ cookie: browser.cookies });
    const owner = await waysToProve['signing in by mail']!(service, person.email, api);
    assert.equal((await owner.get('/v1/users/me')).body.data.id, person.id);
  });

  it('asks the owner once, on a page, after they log in', async () => {
    const squatter = await signUp(service, '<b>Squatter</b>');
    await createPublished(squatter, { title: 'Written by <i>somebody</i>' });
    await waysToProve['a reset']!(service, squatter.email, service.api);
    const login = { email: squatter.email, password: 'battery staple' };
    const browser = await logInBrowser(service, login);
    for (const path of ['/settings', '/dashboard']) {
      assert.match((await browser.open(path)).body, /Say whether it was yours/, path);
    }
    const page = await browser.open('/earlier-account?next=/settings');
    assert.match(page.body, /Was this account yours/);
    assert.match(page.body, /&lt;b&gt;Squatter&lt;\/b&gt;/);
    assert.match(page.body, /Written by &lt;i&gt;somebody/);
    const kept = await browser.submit(page, {}, '/earlier-account/keep');
    assert.match(kept.body, /Everything is yours again/);
    assert.match(kept.body, /href="\/settings"/);
    assert.match((await browser.open('/dashboard')).body, /Written by &lt;i&gt;somebody/);
    assert.match((await browser.open('/earlier-account')).body, /There is no earlier account/);
  });

  async function logInWithId(email: string): Promise<Person> {
    const person = await logIn(service, { email, password: 'correct horse' });
    const id = (await person.api.get('/v1/users/me')).body.data.id;
    return { ...person, id };
  }
});
