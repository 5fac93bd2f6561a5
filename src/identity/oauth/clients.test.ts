import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  answerIn,
  requestTokens,
  authorizePath,
  callbackUrl,
  decideAsBearer,
  registerClient,
  tokensFor,
} from '../../../test/support/oauth.ts';
import { signUp } from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

describe('OAuth clients', () => {
  let service: Service;
  before(async () => {
    service = await startService();
  });
  after(() => service[Symbol.asyncDispose]());

  const ownTokens = (client: Parameters<typeof requestTokens>[1]) =>
    requestTokens(service, client, { grant_type: 'client_credentials' });

  it('are registered, shown without their secret, changed and deleted by their owner', async () => {
    const owner = await signUp(service);
    const client = await registerClient(owner, { name: ' River Watch ' });
    assert.equal(client.id, client.client_id);
    assert.equal(client.name, 'River Watch');
    assert.ok(client.client_secret!.length >= 43);

    const path = `/v1/oauth/clients/${client.id}`;
    const shown = await owner.api.get(path);
    const { client_secret: _, ...withoutSecret } = client;
    assert.deepEqual(shown.body.data, withoutSecret);
    const { body: list } = await owner.api.get('/v1/oauth/clients');
    assert.deepEqual(list.data, [withoutSecret]);

    const changed = await owner.api.patch(path, {
      name: 'Lake Watch',
      scopes: ['write:signatures', 'read:profile', 'read:profile'],
      id: 'not to be changed',
      owner_id: 'not to be changed',
    });
    assert.equal(changed.status, 200);
    assert.deepEqual(changed.body.data, {
      ...withoutSecret,
      name: 'Lake Watch',
      scopes: ['write:signatures', 'read:profile'],
    });
    assert.deepEqual((await owner.api.get(path)).body.data, changed.body.data);
    assert.equal((await owner.api.delete(path)).status, 204);
    assert.equal((await owner.api.get(path)).status, 404);
    assert.equal((await owner.api.delete(path)).status, 404);
    assert.equal((await ownTokens(client)).body.error, 'invalid_client');
  });

  it('are 404 to others', async () => {
    const client = await registerClient(await signUp(service));
    const { api } = await signUp(service, 'Stranger');
    const path = `/v1/oauth/clients/${client.id}`;
    for (const answer of [
      await api.get(path),
      await api.patch(path, { name: 'Mine' }),
      await api.post(`${path}/rotate-secret`),
      await api.delete(path),
    ]) {
      assert.equal(answer.status, 404);
    }
    assert.deepEqual((await api.get('/v1/oauth/clients')).body.data, []);
  });

  it('are not accessible with a key of an organization, nor are grants', async () => {
    const owner = await signUp(service);
    const client = await registerClient(owner);
    const { body: org } = await owner.api.post('/v1/organizations', { name: 'River Trust' });
    const keyFor = async (more: object) => {
      const input = { name: 'A key', scopes: ['full'], ...more };
      return service.api.as((await owner.api.post('/v1/api-keys', input)).body.data.key);
    };
    const [own, ofOrg] = [await keyFor({}), await keyFor({ org_id: org.data.id })];
    const path = `/v1/oauth/clients/${client.id}`;
    const input = { name: 'Another', redirect_uris: [callbackUrl], scopes: ['write:profile'] };
    for (const answer of [
      await ofOrg.get('/v1/oauth/clients'),
      await ofOrg.post('/v1/oauth/clients', input),
      await ofOrg.get(path),
      await ofOrg.patch(path, { name: 'Changed' }),
      await ofOrg.post(`${path}/rotate-secret`),
      await ofOrg.delete(path),
      await ofOrg.get('/v1/oauth/grants'),
      await ofOrg.delete(`/v1/oauth/grants/${client.id}`),
    ]) {
      assert.equal(answer.status, 403);
    }
    assert.equal((await own.get('/v1/oauth/clients')).body.data.length, 1);
    assert.equal((await own.get(path)).body.data.name, client.name);
    assert.ok((await ownTokens(client)).body.access_token);
  });

  it('can only read and are confidential by default', async () => {
    const owner = await signUp(service);
    const { body } = await owner.api.post('/v1/oauth/clients', { name: 'Plain' });
    assert.deepEqual(body.data.scopes, ['read:petitions', 'read:signatures', 'read:profile']);
    assert.equal(body.data.confidential, true);
    assert.ok(body.data.client_secret);
  });

  it('accept only safe redirect URIs', async () => {
    const owner = await signUp(service);
    const register = (redirect_uris: unknown, more = {}) =>
      owner.api.post('/v1/oauth/clients', { name: 'Redirected', redirect_uris, ...more });
    for (const uri of [
      'https://app.example/callback?a=b%20c',
      'http://localhost/cb',
      'http://127.0.0.1:8080/cb',
      'http://[::1]/cb',
      'com.example.app:/callback',
    ]) {
      const { status, body } = await register([uri]);
      assert.equal(status, 201, uri);
      assert.deepEqual(body.data.redirect_uris, [uri]);
    }
    for (const uri of [
      'http://app.example/callback',
      'http://127.0.0.1.evil.example/',
      'https://app.example/#fragment',
      'https://app.example/#',
      'https://user:password@app.example/',
      'https://app.example/ö',
      'https://app.example/a b',
      'javascript:alert(1)',
      'data:text/html,hello',
      'myapp:/callback',
      '/callback',
      '',
    ]) {
      const { status, body } = await register(['https://app.example/', uri]);
      assert.equal(status, 422, uri);
      assert.equal(body.errors[0].field, 'redirect_uris.1');
    }
    const none = await register([], { confidential: false });
    assert.equal(none.status, 422);
    assert.equal(none.body.errors[0].field, 'redirect_uris');
    assert.equal((await register([], { confidential: true })).status, 201);
  });

  it('cannot change between confidential and public', async () => {
    const owner = await signUp(service);
    const client = await registerClient(owner, { confidential: false });
    assert.equal(client.client_secret, undefined);
    const path = `/v1/oauth/clients/${client.id}`;
    assert.equal((await owner.api.patch(path, { confidential: true })).status, 422);
    assert.equal((await owner.api.patch(path, { confidential: false })).status, 200);
    assert.equal((await owner.api.patch(path, { redirect_uris: [] })).status, 422);
    const rotated = await owner.api.post(`${path}/rotate-secret`);
    assert.equal(rotated.status, 409);
    assert.equal(rotated.body.code, 'invalid_state');
  });

  it('get a new secret, which invalidates the old one', async () => {
    const owner = await signUp(service);
    const client = await registerClient(owner);
    const { status, body } = await owner.api.post(`/v1/oauth/clients/${client.id}/rotate-secret`);
    assert.equal(status, 200);
    assert.notEqual(body.data.client_secret, client.client_secret);
    assert.equal((await ownTokens(client)).status, 401);
    assert.equal((await ownTokens(body.data)).status, 200);
  });

  it('are registered once per Idempotency-Key, and show the secret again', async () => {
    const owner = await signUp(service);
    const headers = { 'idempotency-key': 'the same' };
    const register = () =>
      owner.api.post(
        '/v1/oauth/clients',
        { name: 'Once', redirect_uris: [callbackUrl] },
        { headers },
      );
    const first = await register();
    assert.equal(first.status, 201);
    assert.deepEqual((await register()).body.data, first.body.data);
    assert.equal((await owner.api.get('/v1/oauth/clients')).body.data.length, 1);
  });

  it('are listed by cursor', async () => {
    const owner = await signUp(service);
    const made = [];
    for (let n = 0; n < 5; n++) made.push((await registerClient(owner)).id);
    const seen = [];
    let path = '/v1/oauth/clients?limit=2';
    for (;;) {
      const { data, pagination } = (await owner.api.get(path)).body;
      seen.push(...data.map(({ id }: { id: string }) => id));
      if (!pagination.has_more) break;
      path = `/v1/oauth/clients?limit=2&cursor=${pagination.next_cursor}`;
    }
    assert.deepEqual(seen, made.toReversed());
  });

  it('cannot be managed with an OAuth token', async () => {
    const owner = await signUp(service);
    const client = await registerClient(owner);
    const { access_token } = await tokensFor(service, owner, client);
    const granted = service.api.as(access_token);
    for (const path of ['/v1/oauth/clients', '/v1/oauth/grants']) {
      const answer = await granted.get(path);
      assert.equal(answer.status, 403);
      assert.equal(answer.body.code, 'insufficient_scope');
    }
  });

  it('cannot request scopes that were removed', async () => {
    const owner = await signUp(service);
    const client = await registerClient(owner);
    await owner.api.patch(`/v1/oauth/clients/${client.id}`, { scopes: ['read:petitions'] });
    const refused = await owner.api.get(authorizePath(client, { scope: 'write:signatures' }));
    assert.equal(answerIn(refused).error, 'invalid_scope');
    const { code } = answerIn(await decideAsBearer(owner, authorizePath(client)));
    assert.ok(code);
  });
});
