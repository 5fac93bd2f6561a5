import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { storeRevocations } from '../sessions/queries.ts';
import { Browser } from '../../../test/support/browser.ts';
import { eventually } from '../../../test/support/eventually.ts';
import {
  requestTokens,
  authorizePath,
  codeFor,
  exchangeCode,
  refreshTokens,
  registerClient,
  sendForm,
  tokensFor,
  type OAuthClient,
} from '../../../test/support/oauth.ts';
import { signUp, type Person } from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

describe('OAuth grants', () => {
  let service: Service;
  let owner: Person;
  let client: OAuthClient;
  before(async () => {
    service = await startService();
    owner = await signUp(service, 'Owner');
    client = await registerClient(owner);
  });
  after(() => service[Symbol.asyncDispose]());

  const petitions = async (accessToken: string) =>
    (await service.api.as(accessToken).get('/v1/petitions')).status;
  const refreshed = async (refreshToken: string, by = client) => {
    const { status, body } = await refreshTokens(service, by, refreshToken);
    return status === 200 ? 'refreshed' : `${status} ${body.error}`;
  };

  it('are one per application, with all allowed scopes, and visible to the user only', async () => {
    const user = await signUp(service);
    const other = await registerClient(owner, { name: 'Lake Watch' });
    await tokensFor(service, user, client, { scope: 'write:signatures' });
    await tokensFor(service, user, client, { scope: 'read:petitions' });
    await codeFor(user, other);
    const { data } = (await user.api.get('/v1/oauth/grants')).body;
    assert.equal(data.length, 2);
    assert.equal(data[0].client_name, 'Lake Watch');
    assert.equal(data[0].last_used_at, null);
    assert.ok(data[1].last_used_at);
    assert.deepEqual(data[1].scopes, ['read:petitions', 'write:signatures']);
    assert.equal(data[1].client_id, client.id);
    assert.deepEqual((await owner.api.get('/v1/oauth/grants')).body.data, []);
    assert.equal((await owner.api.delete(`/v1/oauth/grants/${data[1].id}`)).status, 404);
    const first = await user.api.get('/v1/oauth/grants?limit=1');
    const next = first.body.pagination.next_cursor;
    const rest = await user.api.get(`/v1/oauth/grants?limit=1&cursor=${next}`);
    assert.deepEqual([...first.body.data, ...rest.body.data], data);
    assert.equal(rest.body.pagination.has_more, false);
  });

  it('lose the tokens of a code by POST /v1/auth/revoke of their user only', async () => {
    const user = await signUp(service);
    const tokens = await tokensFor(service, user, client);
    const others = await tokensFor(service, user, client);
    const revoke = async (person: Person, token: string) =>
      (await person.api.post('/v1/auth/revoke', { token })).status;
    assert.equal(await revoke(owner, tokens.refresh_token), 204);
    assert.equal(await petitions(tokens.access_token), 200);
    assert.equal(await revoke(user, tokens.refresh_token), 204);
    assert.equal(await petitions(tokens.access_token), 401);
    assert.equal(await refreshed(tokens.refresh_token), '400 invalid_grant');
    assert.equal(await revoke(user, others.access_token), 204);
    assert.equal(await petitions(others.access_token), 401);
    assert.equal(await refreshed(others.refresh_token), 'refreshed');
  });

  it('end with all their tokens, on every process within a second', async () => {
    await using second = await startService({ beside: service });
    const user = await signUp(service);
    const tokens = await tokensFor(service, user, client);
    const more = await tokensFor(service, user, client);
    const code = await codeFor(user, client);
    const bystander = await tokensFor(service, await signUp(service), client);
    const [grant] = (await user.api.get('/v1/oauth/grants')).body.data;
    const there = second.api.as(tokens.access_token);
    assert.equal((await there.get('/v1/petitions')).status, 200);
    assert.equal((await user.api.delete(`/v1/oauth/grants/${grant.id}`)).status, 204);
    await eventually(async () => (await there.get('/v1/petitions')).status === 401, 1000);
    assert.equal(await petitions(tokens.access_token), 401);
    assert.equal(await petitions(more.access_token), 401);
    assert.equal(await refreshed(tokens.refresh_token), '400 invalid_grant');
    assert.equal((await exchangeCode(service, client, code)).body.error, 'invalid_grant');
    assert.equal((await user.api.delete(`/v1/oauth/grants/${grant.id}`)).status, 404);
    assert.equal(await petitions(bystander.access_token), 200);
  });

  it('end with the application', async () => {
    const user = await signUp(service);
    const going = await registerClient(owner);
    const tokens = await tokensFor(service, user, going);
    assert.equal((await owner.api.delete(`/v1/oauth/clients/${going.id}`)).status, 204);
    assert.equal(await petitions(tokens.access_token), 401);
    assert.equal(await refreshed(tokens.refresh_token, going), '401 invalid_client');
    assert.deepEqual((await user.api.get('/v1/oauth/grants')).body.data, []);
    assert.equal((await user.api.get(authorizePath(going))).status, 400);
  });

  it('can be withdrawn while their tokens are refreshed', async () => {
    const users = await Promise.all(Array.from({ length: 8 }, () => signUp(service)));
    const results = await Promise.all(
      users.map(async (user) => {
        const { refresh_token } = await tokensFor(service, user, client);
        const [grant] = (await user.api.get('/v1/oauth/grants')).body.data;
        const [refresh, withdrawal] = await Promise.all([
          refreshTokens(service, client, refresh_token),
          user.api.delete(`/v1/oauth/grants/${grant.id}`),
        ]);
        assert.equal(withdrawal.status, 204);
        return refresh;
      }),
    );
    for (const { status, body } of results) {
      if (status === 200) {
        assert.equal(await petitions(body.access_token), 401);
        assert.equal(await refreshed(body.refresh_token), '400 invalid_grant');
      } else {
        assert.equal(body.error, 'invalid_grant');
      }
    }
  });

  describe('of a suspended user', () => {
    const suspend = async (person: Person) => {
      await service.ctx.pools.main`update users set suspended_at = now() where id = ${person.id}`;
      await storeRevocations(service.ctx.db, [person.id], 'suspended');
      await service.app.sessions.revocations.refresh();
    };

    it('issue no more tokens', async () => {
      const user = await signUp(service);
      const browser = new Browser(service.api);
      const login = await browser.open(authorizePath(client));
      await browser.submit(login, { email: user.email, password: user.password });
      const tokens = await tokensFor(service, user, client);
      const code = await codeFor(user, client);
      await suspend(user);
      const refused = await service.api.as(tokens.access_token).get('/v1/petitions');
      assert.equal(refused.status, 403);
      assert.equal(refused.body.code, 'account_suspended');
      assert.equal(await refreshed(tokens.refresh_token), '400 invalid_grant');
      assert.equal((await exchangeCode(service, client, code)).body.error, 'invalid_grant');
      const again = await browser.open(authorizePath(client));
      assert.match(again.body, /type="password"/);
      const { email, password } = user;
      assert.equal((await browser.submit(again, { email, password })).status, 403);
    });

    it('end the access of their applications', async () => {
      const developer = await signUp(service);
      const theirs = await registerClient(developer);
      const user = await signUp(service);
      const tokens = await tokensFor(service, user, theirs);
      await suspend(developer);
      const own = await requestTokens(service, theirs, { grant_type: 'client_credentials' });
      assert.equal(own.body.error, 'invalid_client');
      assert.equal(await refreshed(tokens.refresh_token, theirs), '401 invalid_client');
      assert.equal((await user.api.get(authorizePath(theirs))).status, 400);
    });
  });

  it('are deleted with an erased account, like its applications', async () => {
    const going = await signUp(service);
    const theirs = await registerClient(going, { name: 'Theirs' });
    const user = await signUp(service);
    const ofTheirs = await tokensFor(service, user, theirs);
    const ofClient = await tokensFor(service, going, client);
    const asOwner = await requestTokens(service, theirs, { grant_type: 'client_credentials' });

    const { oauth } = (await going.api.get('/v1/users/me/export')).body;
    assert.equal(oauth.clients[0].name, 'Theirs');
    assert.equal(oauth.grants[0].client_name, 'River Watch');
    assert.doesNotMatch(JSON.stringify(oauth), /hash|secret/);

    const erased = await going.api.delete('/v1/users/me', { password: going.password });
    assert.equal(erased.status, 204);
    for (const { access_token } of [ofTheirs, ofClient, asOwner.body]) {
      assert.equal(await petitions(access_token), 401);
    }
    assert.equal(await refreshed(ofClient.refresh_token), '400 invalid_grant');
    assert.equal(await refreshed(ofTheirs.refresh_token, theirs), '401 invalid_client');
    assert.deepEqual((await user.api.get('/v1/oauth/grants')).body.data, []);
  });

  describe('and their tokens', () => {
    const ask = async (token: string, by = client) =>
      (await sendForm(service.api, '/oauth/introspect', by, { token })).body;
    const revoke = (token: string, by = client) =>
      sendForm(service.api, '/oauth/revoke', by, { token });

    it('are introspected by their own client only', async () => {
      const user = await signUp(service);
      const tokens = await tokensFor(service, user, client, { scope: 'read:petitions' });
      const now = Date.now() / 1000;
      const access = await ask(tokens.access_token);
      assert.ok(Math.abs(access.exp - now - 3600) < 60);
      const about = { active: true, client_id: client.id, scope: 'read:petitions', sub: user.id };
      const iss = 'http://petitions.test';
      assert.deepEqual(access, { ...about, iss, token_type: 'Bearer', exp: access.exp });
      const refresh = await ask(tokens.refresh_token);
      assert.ok(Math.abs(refresh.exp - now - 30 * 86_400) < 60);
      assert.deepEqual(refresh, { ...about, iss, exp: refresh.exp });

      const other = await registerClient(owner);
      for (const token of [tokens.access_token, tokens.refresh_token]) {
        assert.deepEqual(await ask(token, other), { active: false });
      }
      for (const token of [user.accessToken, 'unknown', `${tokens.access_token}x`]) {
        assert.deepEqual(await ask(token), { active: false });
      }
      const publicClient = await registerClient(owner, { confidential: false });
      assert.equal((await ask(tokens.access_token, publicClient)).error, 'unauthorized_client');
      const used = await refreshTokens(service, client, tokens.refresh_token);
      assert.deepEqual(await ask(tokens.refresh_token), { active: false });
      assert.equal((await ask(used.body.refresh_token)).active, true);
      const unknown = await sendForm(
        service.api,
        '/oauth/introspect',
        { ...client, client_secret: 'wrong' },
        { token: tokens.access_token },
      );
      assert.equal(unknown.status, 401);
    });

    it('are revoked by their own client only', async () => {
      const user = await signUp(service);
      const tokens = await tokensFor(service, user, client);
      const other = await registerClient(owner);
      for (const token of [tokens.access_token, tokens.refresh_token, 'unknown']) {
        const answer = await revoke(token, other);
        assert.equal(answer.status, 200);
        assert.deepEqual(answer.body, {});
      }
      assert.equal(await petitions(tokens.access_token), 200);

      assert.equal((await revoke(tokens.access_token)).status, 200);
      assert.equal(await petitions(tokens.access_token), 401);
      assert.deepEqual(await ask(tokens.access_token), { active: false });
      const next = await refreshTokens(service, client, tokens.refresh_token);
      assert.equal(next.status, 200);
      assert.equal((await revoke(next.body.refresh_token)).status, 200);
      assert.equal(await petitions(next.body.access_token), 401);
      assert.equal(await refreshed(next.body.refresh_token), '400 invalid_grant');
      assert.deepEqual(await ask(next.body.refresh_token), { active: false });
      const wrong = await revoke('any', { ...client, client_secret: 'wrong' });
      assert.equal(wrong.body.error, 'invalid_client');
    });
  });
});
