import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import {
  requestTokens,
  codeFor,
  credentialsOf,
  exchangeCode,
  pkce,
  refreshTokens,
  registerClient,
  sendForm,
  tokensFor,
  type OAuthClient,
} from '../../../test/support/oauth.ts';
import { createDraft, logInAsAdmin, petitionInput, signUp } from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import type { Answer } from '../../../test/support/client.ts';

describe('OAuth tokens', () => {
  let service: Service;
  before(async () => {
    service = await startService();
  });
  after(() => service[Symbol.asyncDispose]());

  const petitions = async (accessToken: string) =>
    (await service.api.as(accessToken).get('/v1/petitions')).status;

  const refused = (answer: Answer, error: string, status = 400) => {
    assert.equal(answer.status, status, JSON.stringify(answer.body));
    assert.equal(answer.body.error, error);
    assert.match(answer.body.error_description, /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
    assert.equal(answer.headers.get('cache-control'), 'no-store');
  };

  const someone = async (more: object = {}) => {
    const person = await signUp(service);
    return { person, client: await registerClient(person, more) };
  };

  it('allow only what their scopes name', async () => {
    const { client } = await someone();
    const user = await signUp(service, 'Somebody');
    const mine = await createDraft(user);
    const { scope, access_token } = await tokensFor(service, user, client, {
      scope: 'read:petitions',
    });
    assert.equal(scope, 'read:petitions');
    const api = service.api.as(access_token);
    assert.equal((await api.get(`/v1/petitions/${mine.id}`)).status, 200);
    assert.equal((await service.api.get(`/v1/petitions/${mine.id}`)).status, 404);
    const creating = await api.post('/v1/petitions', petitionInput);
    assert.equal(creating.status, 403);
    assert.equal(creating.body.code, 'insufficient_scope');
    assert.equal((await api.get('/v1/users/me')).status, 403);
  });

  it('carry no role of the service', async () => {
    const { client } = await someone();
    const administrator = await logInAsAdmin(service);
    const theirs = await createDraft(await signUp(service));
    const { access_token } = await tokensFor(service, administrator, client);
    assert.equal((await administrator.api.get(`/v1/petitions/${theirs.id}`)).status, 200);
    const granted = await service.api.as(access_token).get(`/v1/petitions/${theirs.id}`);
    assert.equal(granted.status, 404);
  });

  it('are issued for JSON and forms, by Basic and body, with no-store', async () => {
    const { person, client } = await someone();
    const fields = {
      grant_type: 'authorization_code',
      code: await codeFor(person, client),
      redirect_uri: client.redirect_uris[0],
    };
    const json = await service.api.post('/oauth/token', { ...fields, ...credentialsOf(client) });
    assert.equal(json.status, 200);
    assert.equal(json.headers.get('cache-control'), 'no-store');
    assert.equal(json.body.token_type, 'Bearer');
    assert.equal(json.body.expires_in, 3600);
    assert.equal(json.body.scope, 'read:petitions write:signatures');
    const basic = Buffer.from(`${client.client_id}:${client.client_secret}`).toString('base64');
    const byBasic = await service.api.post(
      '/oauth/token',
      { grant_type: 'refresh_token', refresh_token: json.body.refresh_token },
      { headers: { authorization: `Basic ${basic}` } },
    );
    assert.equal(byBasic.status, 200);
  });

  describe('of a code', () => {
    it('require its verifier', async () => {
      const { person, client } = await someone();
      const { verifier, ...challenge } = pkce();
      const code = await codeFor(person, client, challenge);
      refused(await exchangeCode(service, client, code), 'invalid_grant');
      for (const wrong of [pkce().verifier, challenge.code_challenge, 'short', 'ü'.repeat(50)]) {
        refused(
          await exchangeCode(service, client, code, { code_verifier: wrong }),
          'invalid_grant',
        );
      }
      const right = await exchangeCode(service, client, code, { code_verifier: verifier });
      assert.equal(right.status, 200);
    });

    it('reject a verifier if the request had no challenge', async () => {
      const { person, client } = await someone();
      const code = await codeFor(person, client);
      const { verifier } = pkce();
      refused(
        await exchangeCode(service, client, code, { code_verifier: verifier }),
        'invalid_grant',
      );
    });

    it('require the redirect_uri of the request', async () => {
      const redirects = ['https://a.example/cb', 'https://b.example/cb'];
      const { person, client } = await someone({ redirect_uris: redirects });
      const code = await codeFor(person, client);
      for (const redirect_uri of [redirects[1]!, `${redirects[0]}/`, `${redirects[0]}?x=1`]) {
        refused(await exchangeCode(service, client, code, { redirect_uri }), 'invalid_grant');
      }
      refused(await exchangeCode(service, client, code, { redirect_uri: '' }), 'invalid_request');
      assert.equal((await exchangeCode(service, client, code)).status, 200);
    });

    it('are issued only to the client of the request, while the code is valid', async () => {
      const { person, client } = await someone();
      const other = await registerClient(person);
      const code = await codeFor(person, client);
      refused(await exchangeCode(service, other, code), 'invalid_grant');
      refused(await exchangeCode(service, client, 'unknown'), 'invalid_grant');
      await service.ctx.pools.main`
        update oauth_authorizations set expires_at = now() - interval '1 ms'`;
      refused(await exchangeCode(service, client, code), 'invalid_grant');
    });

    it('are revoked on every process within a second if it is used twice', async () => {
      await using second = await startService({ beside: service });
      const { person, client } = await someone();
      const code = await codeFor(person, client);
      const { body } = await exchangeCode(service, client, code);
      const there = second.api.as(body.access_token);
      assert.equal((await there.get('/v1/petitions')).status, 200);
      refused(await exchangeCode(service, client, code), 'invalid_grant');
      assert.equal(await petitions(body.access_token), 401);
      await eventually(async () => (await there.get('/v1/petitions')).status === 401, 1000);
      refused(await refreshTokens(service, client, body.refresh_token), 'invalid_grant');
    });

    it('are issued once for concurrent uses, and then revoked', async () => {
      const { person, client } = await someone();
      const code = await codeFor(person, client);
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => exchangeCode(service, client, code)),
      );
      const given = answers.filter(({ status }) => status === 200);
      assert.equal(given.length, 1);
      for (const answer of answers) if (answer !== given[0]) refused(answer, 'invalid_grant');
      assert.equal(await petitions(given[0]!.body.access_token), 401);
    });

    it('are issued to a public client by its verifier alone', async () => {
      const { person, client } = await someone({ confidential: false });
      const { verifier, ...challenge } = pkce();
      const code = await codeFor(person, client, challenge);
      const { status, body } = await exchangeCode(service, client, code, {
        code_verifier: verifier,
      });
      assert.equal(status, 200);
      const again = await refreshTokens(service, client, body.refresh_token);
      assert.equal(again.status, 200);
      refused(
        await refreshTokens(service, client, again.body.refresh_token, { client_secret: 'none' }),
        'invalid_client',
        401,
      );
    });
  });

  describe('of a refresh token', () => {
    it('replace it; reuse revokes all tokens from the code', async () => {
      const { person, client } = await someone();
      const first = await tokensFor(service, person, client);
      const apart = await tokensFor(service, person, client);
      const second = await refreshTokens(service, client, first.refresh_token);
      assert.equal(second.status, 200);
      assert.equal(await petitions(second.body.access_token), 200);
      refused(await refreshTokens(service, client, first.refresh_token), 'invalid_grant');
      refused(await refreshTokens(service, client, second.body.refresh_token), 'invalid_grant');
      assert.equal(await petitions(second.body.access_token), 401);
      assert.equal(await petitions(first.access_token), 401);
      assert.equal(await petitions(apart.access_token), 200);
    });

    it('are issued to exactly one of 100 concurrent requests', async () => {
      const { person, client } = await someone();
      const { refresh_token } = await tokensFor(service, person, client);
      // Makes signing read the keys: it must not need a connection while requests hold all of them.
      service.app.sessions.signingKeys.expire();
      const answers = await Promise.all(
        Array.from({ length: 100 }, () => refreshTokens(service, client, refresh_token)),
      );
      assert.equal(answers.filter(({ status }) => status === 200).length, 1);
      assert.equal(answers.filter(({ body }) => body.error === 'invalid_grant').length, 99);
    });

    it('can have fewer scopes, but never more', async () => {
      const { person, client } = await someone();
      const { refresh_token } = await tokensFor(service, person, client, {
        scope: 'read:petitions write:signatures',
      });
      const fewer = await refreshTokens(service, client, refresh_token, {
        scope: 'read:petitions',
      });
      assert.equal(fewer.body.scope, 'read:petitions');
      const token = fewer.body.refresh_token;
      for (const scope of ['read:petitions read:profile', 'no:such']) {
        refused(await refreshTokens(service, client, token, { scope }), 'invalid_scope');
      }
      const all = await refreshTokens(service, client, token);
      assert.equal(all.body.scope, 'read:petitions write:signatures');
      await person.api.patch(`/v1/oauth/clients/${client.id}`, { scopes: ['write:signatures'] });
      const left = await refreshTokens(service, client, all.body.refresh_token);
      assert.equal(left.body.scope, 'write:signatures');
      await person.api.patch(`/v1/oauth/clients/${client.id}`, { scopes: ['read:profile'] });
      refused(await refreshTokens(service, client, left.body.refresh_token), 'invalid_grant');
    });

    it('are issued only to its own client, for 30 days', async () => {
      const { person, client } = await someone();
      const other = await registerClient(person);
      const { refresh_token } = await tokensFor(service, person, client);
      refused(await refreshTokens(service, other, refresh_token), 'invalid_grant');
      refused(await refreshTokens(service, client, ''), 'invalid_request');
      await service.ctx.pools.main`
        update oauth_authorizations set expires_at = expires_at - interval '30 days'`;
      refused(await refreshTokens(service, client, refresh_token), 'invalid_grant');
    });
  });

  describe('of a client itself', () => {
    it('act for its owner, within its scopes, and cannot be refreshed', async () => {
      const { person, client } = await someone();
      const mine = await createDraft(person);
      const { status, body } = await requestTokens(service, client, {
        grant_type: 'client_credentials',
        scope: 'read:petitions',
      });
      assert.equal(status, 200);
      assert.equal(body.refresh_token, undefined);
      assert.equal(body.scope, 'read:petitions');
      const api = service.api.as(body.access_token);
      assert.equal((await api.get(`/v1/petitions/${mine.id}`)).status, 200);
      assert.equal((await api.post('/v1/petitions', petitionInput)).status, 403);
      refused(
        await requestTokens(service, client, {
          grant_type: 'client_credentials',
          scope: 'write:profile',
        }),
        'invalid_scope',
      );
      await person.api.delete(`/v1/oauth/clients/${client.id}`);
      assert.equal(await petitions(body.access_token), 401);
    });

    it('are issued to confidential clients only', async () => {
      const { client } = await someone({ confidential: false });
      refused(
        await requestTokens(service, client, { grant_type: 'client_credentials' }),
        'unauthorized_client',
      );
    });
  });

  describe('are refused', () => {
    const token = (body: unknown, headers: Record<string, string> = {}) =>
      service.api.post('/oauth/token', body, { headers });

    it('for an invalid request', async () => {
      const { client } = await someone();
      const credentials = credentialsOf(client);
      refused(await token({ ...credentials }), 'invalid_request');
      refused(await token({ ...credentials, grant_type: 7 }), 'invalid_request');
      refused(
        await token('{"grant_type":', { 'content-type': 'application/json' }),
        'invalid_request',
      );
      refused(await token('[]', { 'content-type': 'application/json' }), 'invalid_request');
      refused(await token('hello', { 'content-type': 'text/plain' }), 'invalid_request', 415);
      refused(await token({ ...credentials, grant_type: 'password' }), 'unsupported_grant_type');
      refused(await token({ ...credentials, grant_type: 'toString' }), 'unsupported_grant_type');
      refused(await token({ ...credentials, grant_type: 'authorization_code' }), 'invalid_request');
      const twice = 'grant_type=client_credentials&grant_type=client_credentials';
      refused(
        await token(twice, { 'content-type': 'application/x-www-form-urlencoded' }),
        'invalid_request',
      );
    });

    it('for a client that is unknown or not authenticated', async () => {
      const { client } = await someone();
      const grant_type = 'client_credentials';
      const { client_id } = client;
      refused(await token({ grant_type }), 'invalid_client', 401);
      refused(await token({ grant_type, client_id }), 'invalid_client', 401);
      refused(await token({ grant_type, client_id, client_secret: 'x' }), 'invalid_client', 401);
      refused(await token({ grant_type, client_id: 'nobody' }), 'invalid_client', 401);
      const unknown = '01a1fe8f-1e78-7684-98f3-5a33b1554d4b';
      refused(await token({ grant_type, client_id: unknown }), 'invalid_client', 401);

      const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
      for (const authorization of [
        basic(`${client_id}:wrong`),
        basic(`${client_id}:`),
        basic('%zz:%zz'),
        basic('no colon'),
        'Basic',
      ]) {
        const answer = await token({ grant_type }, { authorization });
        refused(answer, 'invalid_client', 401);
        assert.match(answer.headers.get('www-authenticate')!, /^Basic realm=/, authorization);
      }
      const right = basic(`${client_id}:${client.client_secret}`);
      refused(
        await token({ grant_type, ...credentialsOf(client) }, { authorization: right }),
        'invalid_request',
      );
      refused(
        await token({ grant_type, client_id: unknown }, { authorization: right }),
        'invalid_request',
      );
      const same = await token({ grant_type, client_id }, { authorization: right });
      assert.equal(same.status, 200);
      const stale = { authorization: 'Bearer x.y.z' };
      refused(await token({ grant_type }, stale), 'invalid_client', 401);
      assert.equal((await token({ grant_type, ...credentialsOf(client) }, stale)).status, 200);
    });

    it('after ten wrong secrets from one address, for that client only', async () => {
      await using limited = await startService({
        beside: service,
        env: { RATE_LIMITS: 'on', TRUST_PROXY: '127.0.0.1' },
      });
      const { person, client } = await someone();
      const other = await registerClient(person);
      const ask = async (from: string, asking: OAuthClient) => {
        const api = limited.api.with({ 'x-forwarded-for': from });
        return sendForm(api, '/oauth/token', asking, { grant_type: 'client_credentials' });
      };
      for (let n = 0; n < 10; n++) {
        refused(await ask('192.0.2.1', { ...client, client_secret: 'x' }), 'invalid_client', 401);
      }
      const slowed = await ask('192.0.2.1', client);
      refused(slowed, 'temporarily_unavailable', 429);
      assert.ok(Number(slowed.headers.get('retry-after')) > 800);
      assert.equal((await ask('192.0.2.2', client)).status, 200);
      assert.equal((await ask('192.0.2.1', other)).status, 200);
    });
  });

  it('are deleted periodically after they have expired', async () => {
    await using worker = await startService({ beside: service, worker: true });
    const { person, client } = await someone();
    const old = await tokensFor(service, person, client);
    const kept = await tokensFor(service, person, client);
    const db = service.ctx.pools.main;
    const { sessionId } = await service.app.sessions.callerOf(old.access_token);
    await db`
      update oauth_authorizations set expires_at = now() - interval '2 days'
      where id = ${sessionId}`;
    await db`select graphile_worker.add_job('forget-expired-authorizations')`;
    await eventually(
      async () => (await db`select from oauth_authorizations where id = ${sessionId}`).length === 0,
    );
    assert.equal((await refreshTokens(worker, client, kept.refresh_token)).status, 200);
  });
});
