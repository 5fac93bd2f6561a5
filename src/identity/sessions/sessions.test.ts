import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  generateKeyPair,
  jwtVerify,
  SignJWT,
} from 'jose';
import { createSigningKey } from './signing-keys.ts';
import { storeRevocations } from './queries.ts';
import {
  logIn,
  createTokens,
  signUp,
  verifyAddress,
  type Person,
} from '../../../test/support/people.ts';
import { Browser, logInBrowser } from '../../../test/support/browser.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { eventually } from '../../../test/support/eventually.ts';

describe('sessions', () => {
  let service: Service;
  before(async () => {
    service = await startService();
  });
  after(() => service[Symbol.asyncDispose]());

  const me = async (person: Person) => (await person.api.get('/v1/users/me')).status;
  const refresh = (token: string) => service.api.post('/v1/auth/refresh', { refresh_token: token });

  it('logs in with tokens that verify by the published keys', async () => {
    const person = await signUp(service, 'Zoë');
    const { body, headers } = await service.api.post('/v1/auth/login', {
      email: person.email.toUpperCase(),
      password: person.password,
    });
    assert.equal(body.token_type, 'Bearer');
    assert.equal(body.expires_in, 3600);
    assert.equal(headers.get('cache-control'), 'no-store');
    const jwks = await service.api.get('/.well-known/jwks.json');
    const keys = createLocalJWKSet(jwks.body);
    const access = await jwtVerify(body.access_token, keys, { typ: 'at+jwt' });
    assert.equal(access.payload.sub, person.id);
    const id = await jwtVerify(body.token, keys, { audience: 'http://petitions.test' });
    assert.equal(id.payload.name, 'Zoë');
    assert.equal((await service.api.as(body.token).get('/v1/users/me')).status, 401);
  });

  it('gives the same answer for an unknown address and a wrong password', async () => {
    const person = await signUp(service);
    const wrong = await service.api.post('/v1/auth/login', {
      email: person.email,
      password: 'not this one',
    });
    const unknown = await service.api.post('/v1/auth/login', {
      email: 'nobody@example.org',
      password: 'not this one',
    });
    assert.equal(wrong.status, 401);
    assert.equal(unknown.status, 401);
    assert.equal(wrong.body.detail, unknown.body.detail);
  });

  it('refuses tokens that are malformed, changed or expired', async () => {
    const person = await signUp(service);
    for (const header of ['Bearer', 'Bearer x', 'Basic abc', `Bearer ${person.accessToken}x`]) {
      const { status } = await service.api.get('/v1/users/me', {
        headers: { authorization: header },
      });
      assert.equal(status, 401, header);
    }
    const bad = { headers: { authorization: 'Bearer x.y.z' } };
    assert.equal((await service.api.get('/v1/petitions', bad)).status, 401);
    assert.equal(await me(person), 200);
    service.advanceClock(3601_000);
    try {
      const expired = await person.api.get('/v1/users/me');
      assert.equal(expired.status, 401);
      assert.equal(expired.body.code, 'token_expired');
    } finally {
      service.advanceClock(-3601_000);
    }
  });

  it('refuses tokens whose parts were changed or that another key signed', async () => {
    const person = await signUp(service);
    const [header, payload, signature] = person.accessToken.split('.') as [string, string, string];
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const claims = decodeJwt(person.accessToken);
    const { privateKey } = await generateKeyPair('EdDSA');
    const foreign = new SignJWT(claims).setProtectedHeader({
      ...decodeProtectedHeader(person.accessToken),
      alg: 'EdDSA',
    });
    const other = signature.startsWith('A') ? 'B' : 'A';
    const tokens = {
      'without a signature': `${header}.${payload}.`,
      'with a changed signature': `${header}.${payload}.${other}${signature.slice(1)}`,
      'with a padded signature': `${person.accessToken}==`,
      'with changed claims': `${header}.${encode({ ...claims, exp: claims.exp! + 60 })}.${signature}`,
      'with the algorithm "none"': `${encode({ alg: 'none', typ: 'at+jwt' })}.${payload}.`,
      'of an unknown key': `${encode({ alg: 'EdDSA', typ: 'at+jwt', kid: 'x' })}.${payload}.${signature}`,
      'signed by another key': await foreign.sign(privateKey),
      'with a fourth part': `${person.accessToken}.x`,
    };
    for (const [name, token] of Object.entries(tokens)) {
      assert.equal((await service.api.as(token).get('/v1/users/me')).status, 401, name);
    }
    assert.equal(await me(person), 200);
  });

  it('replaces a refresh token at each use, and ends the session if a used one is reused', async () => {
    const person = await signUp(service);
    const first = await refresh(person.refreshToken);
    assert.equal(first.status, 200);
    const { access_token, refresh_token } = first.body.data;
    const renewed = { ...person, api: service.api.as(access_token) };
    assert.equal(await me(renewed), 200);
    assert.equal((await refresh(person.refreshToken)).status, 401);
    assert.equal((await refresh(refresh_token)).status, 401);
    assert.equal(await me(renewed), 401);
    assert.equal((await refresh('unknown')).status, 401);
  });

  it('ends the session of a reused token even with an Idempotency-Key', async () => {
    const person = await signUp(service);
    const { access_token, refresh_token } = (await refresh(person.refreshToken)).body.data;
    const replayed = await service.api
      .as(access_token)
      .post(
        '/v1/auth/refresh',
        { refresh_token: person.refreshToken },
        { headers: { 'idempotency-key': 'k' } },
      );
    assert.equal(replayed.status, 401);
    assert.equal((await refresh(refresh_token)).status, 401);
  });

  it('refreshes for a client that still sends its expired access token', async () => {
    const person = await signUp(service);
    const stale = service.api.as(`${person.accessToken}x`);
    const { status } = await stale.post('/v1/auth/refresh', {
      refresh_token: person.refreshToken,
    });
    assert.equal(status, 200);
  });

  it('distinguishes an expired refresh token from an unknown one', async () => {
    const person = await signUp(service);
    await service.ctx.pools.main`
      update refresh_tokens t set expires_at = now() - interval '1 second'
      from sessions s where s.id = t.session_id and s.user_id = ${person.id}`;
    const { status, body } = await refresh(person.refreshToken);
    assert.equal(status, 401);
    assert.equal(body.code, 'token_expired');
  });

  it('lets exactly one of 100 refreshes with one token through', async () => {
    const person = await signUp(service);
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => refresh(person.refreshToken)),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    assert.equal(answers.filter(({ status }) => status === 401).length, 99);
  });

  it('ends a session by logout', async () => {
    const person = await signUp(service);
    const answer = await service.api.post('/v1/auth/logout', {
      refresh_token: person.refreshToken,
    });
    assert.equal(answer.status, 204);
    assert.equal((await refresh(person.refreshToken)).status, 401);
    assert.equal(await me(person), 401);
    const unknown = await service.api.post('/v1/auth/logout', { refresh_token: 'unknown' });
    assert.equal(unknown.status, 204);
  });

  it('revokes an access token, or a refresh token with its session, of the caller only', async () => {
    const person = await signUp(service);
    const { access_token } = (await refresh(person.refreshToken)).body.data;
    const thief = await signUp(service);
    const revoke = (who: Person, token: string) => who.api.post('/v1/auth/revoke', { token });
    assert.equal((await revoke(thief, person.accessToken)).status, 204);
    assert.equal(await me(person), 200);
    assert.equal((await revoke(person, person.accessToken)).status, 204);
    assert.equal(await me(person), 401);
    assert.equal(await me({ ...person, api: service.api.as(access_token) }), 200);

    const other = await logIn(service, person);
    assert.equal((await revoke(other, other.refreshToken)).status, 204);
    assert.equal(await me(other), 401);
    assert.equal((await revoke(thief, 'neither of both')).status, 204);
  });

  it('refuses a revoked token on another process too', async () => {
    await using second = await startService({ beside: service });
    const person = await signUp(service);
    const there = second.api.as(person.accessToken);
    assert.equal((await there.get('/v1/users/me')).status, 200);
    await person.api.post('/v1/auth/revoke', { token: person.accessToken });
    await eventually(async () => (await there.get('/v1/users/me')).status === 401, 15_000);
  });

  it('refuses a suspended user with 403, until they are restored', async () => {
    const person = await signUp(service);
    const set = async (reason: 'suspended' | 'restored') => {
      await storeRevocations(service.ctx.db, [person.id], reason);
      await service.app.sessions.revocations.refresh();
    };
    await set('suspended');
    const refused = await person.api.get('/v1/users/me');
    assert.equal(refused.status, 403);
    assert.equal(refused.body.code, 'account_suspended');
    await set('restored');
    assert.equal(await me(person), 200);

    await service.ctx.pools.main`update users set suspended_at = now() where id = ${person.id}`;
    const login = await service.api.post('/v1/auth/login', person);
    assert.equal(login.status, 403);
    assert.equal((await refresh(person.refreshToken)).status, 403);
  });

  it('rotates keys without a restart', async () => {
    await using second = await startService({ beside: service });
    const person = await signUp(service);
    const kid = await createSigningKey(service.ctx, service.ctx.db);
    service.app.sessions.signingKeys.expire();
    const later = await logIn(service, person);
    assert.equal(decodeProtectedHeader(later.accessToken).kid, kid);
    for (const token of [person.accessToken, later.accessToken]) {
      await eventually(
        async () => (await second.api.as(token).get('/v1/users/me')).status === 200,
        2000,
      );
    }
    assert.equal((await second.api.get('/.well-known/jwks.json')).body.keys.length, 2);
  });

  it('reads roles from the database, not from the token', async () => {
    const person = await signUp(service);
    const add = (name: string) => person.api.post('/v1/admin/categories', { name });
    assert.equal((await add('Mine')).status, 403);
    await service.ctx.pools.main`update users set role = 'admin' where id = ${person.id}`;
    await service.app.sessions.revocations.refresh();
    assert.equal((await add('Mine')).status, 201);
  });
});

describe('guesses of a password', () => {
  const env = { RATE_LIMITS: 'on', TRUST_PROXY: '127.0.0.1' };
  let service: Service;
  before(async () => {
    service = await startService({ env });
  });
  after(() => service[Symbol.asyncDispose]());

  const attempt = (ip: string, email: string, password: string) =>
    service.api.post('/v1/auth/login', { email, password }, { headers: { 'x-forwarded-for': ip } });
  const attemptMany = (count: number, guess: (n: number) => Promise<{ status: number }>) =>
    Promise.all(Array.from({ length: count }, async (_, n) => (await guess(n)).status));
  const count = (statuses: number[], wanted: number) =>
    statuses.filter((status) => status === wanted).length;

  it('are limited to five for an account and network, the right one included', async () => {
    const person = await signUp(service);
    for (let n = 0; n < 5; n++) {
      assert.equal((await attempt('192.0.2.1', person.email, 'wrong')).status, 401);
    }
    const right = await attempt('192.0.2.1', person.email.toUpperCase(), person.password);
    assert.equal(right.status, 429);
    assert.ok(Number(right.headers.get('retry-after')) > 800);
    assert.equal((await attempt('192.0.2.2', person.email, person.password)).status, 200);
  });

  it('are judged at most five times, however many arrive at once', async () => {
    for (let round = 0; round < 20; round++) {
      const person = await signUp(service);
      const statuses = await attemptMany(12, (n) =>
        attempt(`198.51.100.${round}`, person.email, n === 11 ? person.password : `guess ${n}`),
      );
      assert.deepEqual([count(statuses, 401), count(statuses, 429)], [5, 7], `round ${round}`);
    }
  });

  it('are limited to 50 for an account, from all networks', async () => {
    const person = await signUp(service);
    const statuses = await attemptMany(60, (n) => attempt(`203.0.113.${n}`, person.email, 'wrong'));
    assert.deepEqual([count(statuses, 401), count(statuses, 429)], [50, 10]);
    assert.equal((await attempt('203.0.113.99', person.email, person.password)).status, 429);
  });

  it('are limited to 100 from a network, for all accounts', async () => {
    const statuses: number[] = [];
    // In turns: so many hashes at once would take longer than a request may.
    for (let turn = 0; turn < 11; turn += 1) {
      const guess = (n: number) =>
        attempt('192.0.2.50', `unknown-${turn}-${n}@example.org`, 'wrong');
      statuses.push(...(await attemptMany(10, guess)));
    }
    assert.deepEqual([count(statuses, 401), count(statuses, 429)], [100, 10]);
  });

  it('count again from the first after a login', async () => {
    const person = await signUp(service);
    for (let round = 0; round < 3; round++) {
      for (let n = 0; n < 4; n++) await attempt('192.0.2.60', person.email, 'wrong');
      assert.equal((await attempt('192.0.2.60', person.email, person.password)).status, 200);
    }
  });

  it('do not lock the owner out of a browser that has logged in before', async () => {
    const person = await signUp(service);
    await verifyAddress(service, person);
    const browser = await logInBrowser(service, person);
    await browser.submit(await browser.open('/'), {}, '/logout');
    const stranger = new Browser(service.api);
    await attemptMany(60, (n) => attempt(`203.0.113.${n}`, person.email, 'wrong'));
    const logInWith = async (from: Browser, password: string) =>
      (await from.submit(await from.open('/login'), { email: person.email, password }, '/login'))
        .status;
    assert.equal(await logInWith(stranger, person.password), 429);
    assert.equal(await logInWith(browser, person.password), 200);
    await browser.submit(await browser.open('/'), {}, '/logout');
    // The browser has a limit, too, and another account in it counts as everywhere.
    for (let n = 0; n < 5; n++) assert.equal(await logInWith(browser, 'wrong'), 401);
    assert.equal(await logInWith(browser, person.password), 429);
  });

  it('of others in known browsers of their own do not lock an owner out on the same network', async () => {
    const owner = await signUp(service);
    await verifyAddress(service, owner);
    const api = service.api.with({ 'x-forwarded-for': '198.51.100.91' });
    const logInWith = async (browser: Browser, { email }: Person, password: string) =>
      (await browser.submit(await browser.open('/login'), { email, password }, '/login')).status;
    const remembered = async (person: Person) => {
      const browser = await logInBrowser({ api }, person);
      await browser.submit(await browser.open('/'), {}, '/logout');
      return browser;
    };
    const known = await remembered(owner);
    const statuses: number[] = [];
    for (let n = 0; n < 21; n += 1) {
      // So that requests are not what is limited.
      service.advanceClock(2000);
      const other = await signUp(service);
      await verifyAddress(service, other);
      const browser = await remembered(other);
      for (let m = 0; m < 5; m += 1) statuses.push(await logInWith(browser, other, 'wrong'));
    }
    assert.ok(count(statuses, 401) >= 100);
    assert.equal(await logInWith(known, owner, owner.password), 200);
  });

  it('are no more with the cookies of many browsers, and none with those of before the proof', async () => {
    const person = await signUp(service);
    const squat = async () => {
      const browser = new Browser(service.api.with({ 'x-forwarded-for': '198.51.100.90' }));
      await logInFrom(browser, person);
      await browser.submit(await browser.open('/'), {}, '/logout');
      return browser;
    };
    const logInFrom = async (
      browser: Browser,
      { email, password }: Pick<Person, 'email' | 'password'>,
    ) => (await browser.submit(await browser.open('/login'), { email, password }, '/login')).status;
    const guess = (browser: Browser) =>
      logInFrom(browser, { email: person.email, password: 'wrong' });
    const squatted = [await squat(), await squat(), await squat()];
    await verifyAddress(service, person);
    const known = [await squat(), await squat(), await squat()];
    // Strangers use up their share: what was remembered before the proof is that of a stranger.
    await attemptMany(60, (n) => attempt(`203.0.113.${n}`, person.email, 'wrong'));
    for (const browser of squatted) assert.equal(await guess(browser), 429);
    const statuses = [];
    for (const browser of known) {
      for (let n = 0; n < 4; n++) statuses.push(await guess(browser));
    }
    assert.deepEqual([count(statuses, 401), count(statuses, 429)], [5, 7]);
  });
});

describe('guesses of the password that erases an account', () => {
  it('are judged at most five times, however many arrive at once', async () => {
    await using service = await startService({ env: { RATE_LIMITS: 'on' } });
    const person = await signUp(service);
    const erase = (password: string) => person.api.delete('/v1/users/me', { password });
    const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => erase(`guess ${n}`)));
    const withStatus = (wanted: number) => answers.filter(({ status }) => status === wanted);
    assert.deepEqual([withStatus(403).length, withStatus(429).length], [5, 7]);
    assert.equal((await erase(person.password)).status, 429);
    assert.equal((await person.api.get('/v1/users/me')).status, 200);
  });
});

describe('request limits', () => {
  it('allow a burst of 100 per address and per token', async () => {
    const frozen = new Date();
    // The clock of the limit stands still, however long the calls take.
    const parts = { now: () => frozen };
    await using service = await startService({ env: { RATE_LIMITS: 'on' }, parts });
    const [token] = await createTokens(service, 1);
    const answers = await Promise.all(
      Array.from({ length: 150 }, () => service.api.get('/v1/categories')),
    );
    const passed = answers.filter(({ status }) => status === 200).length;
    assert.equal(passed, 100);
    const refused = answers.find(({ status }) => status === 429)!;
    assert.ok(Number(refused.headers.get('retry-after')) >= 1);
    assert.equal(refused.headers.get('x-ratelimit-remaining'), '0');
    assert.equal(refused.headers.get('x-ratelimit-limit'), '50');
    assert.equal(refused.headers.get('ratelimit-policy'), '"default";q=100;w=2');
    assert.equal(refused.headers.get('ratelimit'), '"default";r=0;t=2');
    assert.match(refused.body.detail, /\d+ seconds/);
    const own = await service.api.as(token!).get('/v1/categories');
    assert.equal(own.status, 200);
    assert.equal(own.headers.get('x-ratelimit-limit'), '100');
    assert.equal(own.headers.get('ratelimit-policy'), '"default";q=100;w=1');
  });
});
