import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Browser, formOf } from '../../../test/support/browser.ts';
import type { Answer } from '../../../test/support/client.ts';
import {
  answerIn,
  authorizePath,
  callbackUrl,
  decideAsBearer,
  exchangeCode,
  pkce,
  registerClient,
  type OAuthClient,
} from '../../../test/support/oauth.ts';
import { createPublished, logIn, signUp, type Person } from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

describe('asking for consent', () => {
  let service: Service;
  let owner: Person;
  let user: Person;
  let client: OAuthClient;
  before(async () => {
    service = await startService();
    owner = await signUp(service, 'Owner');
    user = await signUp(service, 'Ada <b>Lovelace</b>');
    client = await registerClient(owner);
  });
  after(() => service[Symbol.asyncDispose]());

  const logInAt = async (browser: Browser, path: string, person = user) =>
    browser.submit(await browser.open(path), { email: person.email, password: person.password });
  const formHeaders = { 'content-type': 'application/x-www-form-urlencoded' };
  const assertNoRedirect = (answer: Answer, status: number) => {
    assert.equal(answer.status, status, String(answer.body));
    assert.equal(answer.headers.get('location'), null);
    assert.match(answer.headers.get('content-type')!, /^text\/html/);
  };

  it('leads through login and consent to a code', async () => {
    const browser = new Browser(service.api);
    const path = authorizePath(client, { state: 'a state & more', scope: 'read:petitions' });
    const login = await browser.open(path);
    assertNoRedirect(login, 200);
    assert.match(login.body, /River Watch/);
    const consent = await browser.submit(login, { email: user.email, password: user.password });
    assertNoRedirect(consent, 200);
    assert.match(consent.body, /Read your private petitions/);
    assert.doesNotMatch(consent.body, /Sign petitions/);
    assert.match(consent.body, /Ada &lt;b&gt;Lovelace/);
    assert.match(consent.body, /<strong><bdi>river-watch\.example<\/bdi><\/strong>/);
    assert.deepEqual(formOf(consent).buttons, ['allow', 'deny', 'switch']);

    const answer = await browser.submit(consent, { decision: 'allow' });
    assert.ok(answer.headers.get('location')!.startsWith(`${callbackUrl}&code=`));
    const { code, ...rest } = answerIn(answer);
    assert.deepEqual(rest, {
      from: 'petitions',
      state: 'a state & more',
      iss: 'http://petitions.test',
    });
    const { status, body } = await exchangeCode(service, client, code!);
    assert.equal(status, 200);
    assert.equal(body.scope, 'read:petitions');
  });

  it('accepts a login token instead of a login, but no OAuth or invalid token', async () => {
    const path = authorizePath(client);
    const page = await user.api.get(path);
    assertNoRedirect(page, 200);
    assert.deepEqual(formOf(page).buttons, ['allow', 'deny']);
    const { code } = answerIn(await decideAsBearer(user, path));
    const { body } = await exchangeCode(service, client, code!);
    const asGranted = await service.api.as(body.access_token).get(path);
    assert.match(asGranted.body, /type="password"/);
    assertNoRedirect(await service.api.as('x.y.z').get(path), 401);
  });

  it('redirects with access_denied if the user denies', async () => {
    const { error, state, code } = answerIn(
      await decideAsBearer(user, authorizePath(client), 'deny'),
    );
    assert.deepEqual([error, state, code], ['access_denied', 'the state', undefined]);
  });

  it('does not redirect to an unregistered address', async () => {
    for (const more of [
      { redirect_uri: 'https://evil.example/callback' },
      { redirect_uri: `${callbackUrl}&more=1` },
      { redirect_uri: callbackUrl.toUpperCase() },
      { redirect_uri: `${callbackUrl}/../evil` },
      { redirect_uri: undefined },
      { client_id: '01a1fe8f-1e78-7684-98f3-5a33b1554d4b' },
      { client_id: 'nobody' },
      { client_id: undefined },
    ]) {
      const path = authorizePath(client, more);
      for (const api of [service.api, user.api]) assertNoRedirect(await api.get(path), 400);
    }
    const twice = `${authorizePath(client)}&redirect_uri=https://evil.example/`;
    assertNoRedirect(await user.api.get(twice), 400);
    const path = authorizePath(client, { client_id: 'nobody' });
    const { body } = await user.api.get(path);
    assert.match(body, /tell its makers:<\/p>\s*<ul [^>]*><li>client_id: /);
  });

  it('lets native applications listen on any port of the loopback address, and no others', async () => {
    const { verifier: _, ...challenge } = pkce();
    const native = await registerClient(owner, {
      confidential: false,
      redirect_uris: ['http://127.0.0.1/cb', 'http://[::1]:7000/cb', 'http://localhost:7000/cb'],
    });
    const show = async (asking: OAuthClient, redirect_uri: string) =>
      (await user.api.get(authorizePath(asking, { ...challenge, redirect_uri }))).status;
    assert.equal(await show(native, 'http://127.0.0.1:51004/cb'), 200);
    assert.equal(await show(native, 'http://[::1]:51004/cb'), 200);
    assert.equal(await show(native, 'http://localhost:7000/cb'), 200);
    assert.equal(await show(native, 'http://localhost:51004/cb'), 400);
    assert.equal(await show(native, 'http://127.0.0.1:51004/other'), 400);
    assert.equal(await show(native, 'http://127.0.0.1:51004@evil.example/cb'), 400);
    assert.equal(await show(native, 'https://127.0.0.1:51004/cb'), 400);
    const confidential = await registerClient(owner, { redirect_uris: ['http://127.0.0.1/cb'] });
    assert.equal(await show(confidential, 'http://127.0.0.1:51004/cb'), 400);
  });

  it('redirects with the error of an invalid request', async () => {
    const publicClient = await registerClient(owner, { confidential: false });
    const { code_challenge } = pkce();
    const cases: [OAuthClient, Record<string, string | undefined>, string][] = [
      [client, { state: undefined }, 'invalid_request'],
      [client, { response_type: undefined }, 'invalid_request'],
      [client, { response_type: 'token' }, 'unsupported_response_type'],
      [client, { scope: 'read:petitions no:such"\\ö' }, 'invalid_scope'],
      [client, { scope: 'write:profile' }, 'invalid_scope'],
      [client, { code_challenge }, 'invalid_request'],
      [client, { code_challenge, code_challenge_method: 'plain' }, 'invalid_request'],
      [client, { code_challenge: 'x', code_challenge_method: 'S256' }, 'invalid_request'],
      [client, { code_challenge_method: 'S256' }, 'invalid_request'],
      [publicClient, {}, 'invalid_request'],
    ];
    for (const [asking, more, error] of cases) {
      const answer = answerIn(await user.api.get(authorizePath(asking, more)));
      assert.equal(answer.error, error, JSON.stringify(more));
      assert.equal(answer.state, 'state' in more ? undefined : 'the state');
      assert.equal(answer.iss, 'http://petitions.test');
      assert.match(answer.error_description!, /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
    }
  });

  it('does not redirect before the user is logged in, not even with a failure', async () => {
    const browser = new Browser(service.api);
    const path = authorizePath(client, { scope: 'no:such' });
    assertNoRedirect(await browser.open(path), 200);
    assert.equal(answerIn(await logInAt(browser, path)).error, 'invalid_scope');
  });

  it('asks for consent every time', async () => {
    const browser = new Browser(service.api);
    const consent = await logInAt(browser, authorizePath(client));
    assert.ok(answerIn(await browser.submit(consent, { decision: 'allow' })).code);
    const again = await browser.open(authorizePath(client));
    assertNoRedirect(again, 200);
    assert.deepEqual(formOf(again).buttons, ['allow', 'deny', 'switch']);
  });

  it('lets another user log in with the same browser', async () => {
    const browser = new Browser(service.api);
    const { slug } = await createPublished(user);
    await browser.send(`/p/${slug}/comments`, { body: 'Not for the next user' });
    assert.match(browser.cookies, /kept_form=/);
    const consent = await logInAt(browser, authorizePath(client));
    const cookie = browser.cookies;
    const login = await browser.submit(consent, { decision: 'switch' });
    assert.doesNotMatch(browser.cookies, /kept_form=/);
    assert.match(login.body, /type="password"/);
    const stolen = await service.api.get(authorizePath(client), { headers: { cookie } });
    assert.match(stolen.body, /type="password"/, 'the session has ended');
    const again = await browser.submit(login, { email: owner.email, password: owner.password });
    assert.match(again.body, new RegExp(owner.email));
  });

  it('shows the login form again after a failure, with the address in it', async () => {
    const browser = new Browser(service.api);
    const path = authorizePath(client);
    const email = '"><script>alert(1)</script>@example.org';
    const answer = await browser.submit(await browser.open(path), { email, password: 'wrong' });
    assertNoRedirect(answer, 401);
    assert.doesNotMatch(answer.body, /<script/);
    assert.match(answer.body, /role="alert"/);
    const right = await browser.submit(answer, { email: user.email, password: user.password });
    assert.match(right.body, /asks for access/);
  });

  it('limits logins as the API does', async () => {
    await using limited = await startService({ beside: service, env: { RATE_LIMITS: 'on' } });
    const person = await signUp(service);
    const browser = new Browser(limited.api);
    const page = await browser.open(authorizePath(client));
    for (let n = 0; n < 5; n++) {
      const answer = await browser.submit(page, { email: person.email, password: 'wrong' });
      assertNoRedirect(answer, 401);
    }
    const slowed = await browser.submit(page, { email: person.email, password: person.password });
    assertNoRedirect(slowed, 429);
    assert.ok(Number(slowed.headers.get('retry-after')) > 800);
    assert.equal((await limited.api.post('/v1/auth/login', person)).status, 429);
  });

  it('cannot be framed or cached, and sends no referrer', async () => {
    const browser = new Browser(service.api);
    const login = await browser.open(authorizePath(client));
    const consent = await logInAt(browser, authorizePath(client));
    for (const { headers, body } of [login, consent]) {
      const policy = headers.get('content-security-policy')!;
      assert.match(policy, /frame-ancestors 'none'/);
      assert.match(policy, /default-src 'none'/);
      assert.match(policy, /form-action 'self' https:(;|$)/);
      assert.equal(headers.get('cache-control'), 'no-store');
      assert.equal(headers.get('referrer-policy'), 'same-origin');
      assert.doesNotMatch(body, /<script/);
      assert.match(body, /<html lang="en" dir="ltr">/);
    }
    const native = await registerClient(owner, {
      redirect_uris: ['com.example.river:/callback'],
      name: '<img src=x onerror=alert(1)>',
    });
    const page = await user.api.get(authorizePath(native));
    assert.match(
      page.headers.get('content-security-policy')!,
      /form-action 'self' https: com\.example\.river:(;|$)/,
    );
    assert.match(page.body, /&lt;img src=x/);
    assert.match(page.body, /an application on this device \(com\.example\.river\)/);
  });

  it('sets a cookie that scripts and other sites cannot read, and the API does not accept', async () => {
    const login = await service.api.get(authorizePath(client));
    const [cookie] = login.headers.getSetCookie();
    assert.match(cookie!, /^petitions=[\w-]+; Path=\/; HttpOnly; SameSite=Lax$/);
    await using secure = await startService({
      beside: service,
      env: { BASE_URL: 'https://petitions.test' },
    });
    const overHttps = await secure.api.get(authorizePath(client));
    const flags = '; Path=/; HttpOnly; Secure; SameSite=Lax';
    const [name, rest] = /^(__Host-petitions)=[\w-]+(.*)$/
      .exec(overHttps.headers.getSetCookie()[0]!)!
      .slice(1);
    assert.deepEqual([name, rest], ['__Host-petitions', flags]);

    const browser = new Browser(service.api);
    await logInAt(browser, authorizePath(client));
    const value = browser.cookies.split('=')[1]!;
    assert.equal((await service.api.as(value).get('/v1/users/me')).status, 401);
    const asCookie = await service.api.get('/v1/users/me', {
      headers: { cookie: browser.cookies },
    });
    assert.equal(asCookie.status, 401);
  });

  describe('refuses a form', () => {
    const send = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
      service.api.send('POST', '/oauth/authorize', new URLSearchParams(fields).toString(), {
        headers: { ...formHeaders, ...headers },
      });
    /** Returns the fields of a consent form, and the cookie of its browser. */
    const shown = async () => {
      const browser = new Browser(service.api);
      const { fields } = formOf(await logInAt(browser, authorizePath(client)));
      const allowing: Record<string, string> = { ...fields, decision: 'allow' };
      return { fields: allowing, cookie: browser.cookies };
    };

    it('of another site', async () => {
      const { fields, cookie } = await shown();
      const foreign: Record<string, string>[] = [
        { origin: 'https://evil.example' },
        { origin: 'http://petitions.test.evil.example' },
        { origin: 'null', 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
      ];
      for (const headers of foreign) {
        assertNoRedirect(await send(fields, { cookie, ...headers }), 403);
      }
      const own = { origin: 'null', 'sec-fetch-site': 'same-origin' };
      assert.ok(answerIn(await send(fields, { cookie, ...own })).code);
    });

    it('of another browser, with changes, or expired', async () => {
      const { fields, cookie } = await shown();
      const other = await shown();
      assertNoRedirect(await send(fields), 403);
      assertNoRedirect(await send(fields, { cookie: other.cookie }), 403);
      assertNoRedirect(await send({ ...fields, ticket: `${fields.ticket}x` }, { cookie }), 403);
      assertNoRedirect(await send({ decision: 'allow' }, { cookie }), 422);
      assertNoRedirect(await send({ ...fields, decision: 'perhaps' }, { cookie }), 422);
      const login = await new Browser(service.api).open(authorizePath(client));
      assertNoRedirect(await send({ ...fields, ...formOf(login).fields }, { cookie }), 403);
      service.advanceClock(1_900_000);
      try {
        assertNoRedirect(await send(fields, { cookie }), 403);
      } finally {
        service.advanceClock(-1_900_000);
      }
      assert.ok(answerIn(await send(fields, { cookie })).code);
    });

    it('of a login page of another browser', async () => {
      const login = await new Browser(service.api).open(authorizePath(client));
      const { fields } = formOf(login);
      const form = new URLSearchParams({
        ...fields,
        email: user.email,
        password: user.password,
      }).toString();
      const answer = await service.api.send('POST', '/oauth/login', form, { headers: formHeaders });
      assertNoRedirect(answer, 403);
      assert.deepEqual(answer.headers.getSetCookie(), []);
    });

    it('of an ended session', async () => {
      const { fields, cookie } = await shown();
      await service.app.sessions.endAllSessions(service.ctx.db, user.id);
      await service.app.sessions.revocations.refresh();
      assertNoRedirect(await send(fields, { cookie }), 403);
      user = await logIn(service, user);

      const page = formOf(await user.api.get(authorizePath(client)));
      await user.api.post('/v1/auth/logout', { refresh_token: user.refreshToken });
      assertNoRedirect(await send({ ...page.fields, decision: 'allow' }), 403);
      user = await logIn(service, user);
    });

    it('with other scopes than were shown', async () => {
      const { fields, cookie } = await shown();
      const path = `/v1/oauth/clients/${client.id}`;
      await owner.api.patch(path, {
        scopes: ['read:petitions', 'write:signatures', 'read:profile'],
      });
      assertNoRedirect(await send(fields, { cookie }), 403);
      await owner.api.patch(path, { scopes: ['read:petitions', 'write:signatures'] });
      assert.ok(answerIn(await send(fields, { cookie })).code);
    });
  });
});
