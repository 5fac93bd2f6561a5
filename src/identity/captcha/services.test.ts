import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, afterEach, before, describe, it } from 'node:test';
import {
  failing,
  startCaptchaService,
  type CaptchaStandIn,
} from '../../../test/support/captcha-service.ts';
import type { Answer } from '../../../test/support/client.ts';
import { eventually } from '../../../test/support/eventually.ts';
import {
  createUsers,
  petitionInput,
  createPublished,
  signUp,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

const secret = 'a secret of the service';
const keys = { CAPTCHA_SECRET: secret, CAPTCHA_SITE_KEY: 'key-of-pages' };

const assertRefused = ({ status, body }: Answer, code = 'invalid_value') => {
  assert.equal(status, 422, JSON.stringify(body));
  assert.deepEqual([body.errors[0].field, body.errors[0].code], ['recaptchaToken', code]);
};

let count = 0;
const good = () => `good-${++count}`;

const newcomer = async (service: Service) => (await createUsers(service, 1))[0]!;

for (const [name, verifier] of [
  ['recaptcha', '/www.google.com/recaptcha/api/siteverify'],
  ['hcaptcha', '/api.hcaptcha.com/siteverify'],
  ['turnstile', '/challenges.cloudflare.com/turnstile/v0/siteverify'],
] as const) {
  it(`${name} verifies each token once`, async () => {
    await using standIn = await startCaptchaService();
    await using service = await startService({
      env: { ...keys, CAPTCHA: name, TRUST_PROXY: '127.0.0.1' },
      parts: standIn,
    });
    const { id } = await createPublished(await signUp(service));
    const [one, two] = [await newcomer(service), await newcomer(service)];
    const path = `/v1/petitions/${id}/signatures`;
    const token = good();
    const api = one.api.with({ 'x-forwarded-for': '192.0.2.7' });
    assert.equal((await api.post(path, { recaptchaToken: token })).status, 201);
    const [{ path: askedPath, headers, body }] = standIn.asked as [(typeof standIn.asked)[0]];
    assert.equal(askedPath, verifier);
    assert.equal(headers['content-type'], 'application/x-www-form-urlencoded');
    assert.deepEqual(Object.fromEntries(new URLSearchParams(body)), {
      secret,
      response: token,
      remoteip: '192.0.2.7',
      ...(name === 'hcaptcha' && { sitekey: 'key-of-pages' }),
    });
    assertRefused(await two.api.post(path, { recaptchaToken: token }));
    assertRefused(await two.api.post(path, { recaptchaToken: 'made up' }));
    assert.equal(standIn.asked.length, 3);
    for (const nothing of [{}, { recaptchaToken: '' }]) {
      assertRefused(await two.api.post(path, nothing), 'required');
    }
    assert.equal(standIn.asked.length, 3, 'no request without a token');
    const { data } = (await service.api.get('/v1/captcha')).body;
    assert.deepEqual(data, {
      service: name,
      site_key: 'key-of-pages',
      version: name === 'recaptcha' ? 2 : null,
    });
    assert.equal((await service.api.get('/v1/captcha/challenge')).status, 404);
  });
}

it('reCAPTCHA v3 rejects scores below 0.5', async () => {
  await using standIn = await startCaptchaService();
  await using service = await startService({
    env: { ...keys, CAPTCHA: 'recaptcha', RECAPTCHA_VERSION: '3' },
    parts: standIn,
  });
  const { id } = await createPublished(await signUp(service));
  const signed = async (score: unknown) => {
    standIn.setJudge(() => ({ success: true, action: 'sign', score }));
    const { api } = await newcomer(service);
    return api.post(`/v1/petitions/${id}/signatures`, { recaptchaToken: good() });
  };
  for (const score of [1, 0.5]) assert.equal((await signed(score)).status, 201);
  for (const score of [0.4, 0]) assertRefused(await signed(score));
  assert.equal((await service.api.get('/v1/captcha')).body.data.version, 3);
});

describe('an external CAPTCHA service', () => {
  const log: string[] = [];
  let standIn: CaptchaStandIn;
  let service: Service;
  let creator: Person;
  before(async () => {
    // Longer than the time limit of three seconds.
    standIn = await startCaptchaService(10_000);
    service = await startService({
      worker: true,
      log,
      env: {
        ...keys,
        CAPTCHA: 'turnstile',
        RATE_LIMITS: 'on',
        LOG_LEVEL: 'debug',
        SIGNATURE_POLICY: 'verified',
        TRUST_PROXY: '127.0.0.1',
      },
      parts: standIn,
    });
    creator = await signUp(service, 'Creator');
  });
  after(async () => {
    await service[Symbol.asyncDispose]();
    await standIn[Symbol.asyncDispose]();
  });
  afterEach(() => standIn.setJudge());

  /** Signs as a new user from the address. */
  const sign = async (id: string, ip: string, headers: Record<string, string> = {}) => {
    const { api } = await newcomer(service);
    return api
      .with({ 'x-forwarded-for': ip, ...headers })
      .post(`/v1/petitions/${id}/signatures`, { recaptchaToken: good() });
  };

  for (const [n, [trouble, judge]] of Object.entries<Parameters<CaptchaStandIn['setJudge']>[0]>({
    'hangs up': (_, response) => void response.destroy(),
    'is out of order': (_, response) => void response.writeHead(502).end('<h1>Bad gateway</h1>'),
    'is asked too much': (_, response) =>
      void response.writeHead(429).end(JSON.stringify(failing('rate-limited'))),
    'answers with another page': (_, response) => void response.end('<h1>Welcome</h1>'),
    'answers something else': () => ({ result: 'fine' }),
    'answers without end': (_, response) =>
      void response.end(`{"success":true,"more":"${'x'.repeat(20_000)}"}`),
    'does not know the secret': () => failing('invalid-input-secret'),
    'has a fault': () => failing('internal-error'),
  }).entries()) {
    it(`that ${trouble} lets a few sign without a verdict`, async () => {
      const ip = `192.0.2.${n + 10}`;
      const { id } = await createPublished(creator);
      standIn.setJudge(judge);
      for (let signed = 0; signed < 3; signed += 1) {
        assert.equal((await sign(id, ip)).status, 201);
      }
      const { status, headers, body } = await sign(id, ip);
      assert.equal(status, 503, JSON.stringify(body));
      assert.equal(body.code, 'captcha_unavailable');
      assert.equal(headers.get('retry-after'), '60');
      assert.equal((await sign(id, `198.51.100.${n + 10}`)).status, 201, 'from elsewhere');
      standIn.setJudge();
      assert.equal((await sign(id, ip)).status, 201, 'once it is back');
      standIn.setJudge(() => failing('invalid-input-response'));
      assertRefused(await sign(id, ip));
    });
  }

  it('is waited for at most three seconds', async () => {
    const { id } = await createPublished(creator);
    for (const judge of [
      () => undefined,
      (_: unknown, response: ServerResponse) => void response.write('{"success"'),
    ]) {
      standIn.setJudge(judge);
      const start = performance.now();
      assert.equal((await sign(id, '192.0.2.60')).status, 201);
      const waited = performance.now() - start;
      assert.ok(waited > 2900 && waited < 9000, `${waited} ms`);
    }
  });

  it('delays no other requests and holds no database connection', async () => {
    const { id } = await createPublished(creator);
    const answers: (() => void)[] = [];
    standIn.setJudge(
      (_, response) => void answers.push(() => response.end(JSON.stringify({ success: true }))),
    );
    // More requests than there are connections.
    const signing = Array.from({ length: 15 }, (_, n) =>
      sign(id, `203.0.113.${n}`, { 'idempotency-key': `key-${n}` }),
    );
    await eventually(async () => answers.length === 15);
    // The worker's own transactions end.
    await eventually(async () => {
      const [row] = await service.ctx.db`
        select count(*)::int as n from pg_stat_activity
        where datname = current_database() and state like 'idle in transaction%'`;
      return row!.n === 0;
    });
    const other = await creator.api
      .with({ 'idempotency-key': 'a petition' })
      .post('/v1/petitions', petitionInput);
    assert.equal(other.status, 201);
    for (const answer of answers) answer();
    for (const { status } of await Promise.all(signing)) assert.equal(status, 201);
  });

  describe('and repeated idempotent requests', () => {
    const prepare = async (key: string) => {
      const person = await signUp(service);
      const { id } = await createPublished(creator);
      const body = { recaptchaToken: good() };
      const api = person.api.with({ 'idempotency-key': key, 'x-forwarded-for': '192.0.2.70' });
      const asked = standIn.asked.length;
      return {
        person,
        send: () => api.post(`/v1/petitions/${id}/signatures`, body),
        asked: () => standIn.asked.length - asked,
      };
    };
    const verify = ({ id }: Person) =>
      service.ctx.db`update users set email_verified_at = now() where id = ${id}`;

    it('is called once, whether the request succeeds or fails', async () => {
      const { person, send, asked } = await prepare('again');
      for (let n = 0; n < 2; n += 1) {
        const { status, body } = await send();
        assert.deepEqual([status, body.code], [403, 'email_not_verified']);
      }
      await verify(person);
      const first = await send();
      assert.equal(first.status, 201);
      assert.deepEqual((await send()).body.data, first.body.data);
      assert.equal(asked(), 1);
    });

    it('answers 409 while the first request is being verified', async () => {
      const { person, send } = await prepare('at once');
      await verify(person);
      let answer = () => {};
      standIn.setJudge((_, response) => {
        answer = () => response.end(JSON.stringify({ success: true }));
        return undefined;
      });
      const asked = standIn.asked.length;
      const first = send();
      await eventually(async () => standIn.asked.length > asked);
      const { status, body } = await send();
      assert.deepEqual([status, body.code], [409, 'idempotency_key_in_use']);
      answer();
      assert.equal((await first).status, 201);
      assert.equal((await send()).status, 201);
      assert.equal(standIn.asked.length, asked + 1);
    });

    it('is called again after a rejection or without a verdict', async () => {
      const { person, send, asked } = await prepare('refused');
      await verify(person);
      standIn.setJudge(() => failing('invalid-input-response'));
      for (let n = 0; n < 2; n += 1) assertRefused(await send());
      standIn.setJudge();
      assert.equal((await send()).status, 201);
      assert.equal(asked(), 3);
    });

    it('is called again after the first process must have died', async () => {
      const { person, send, asked } = await prepare('killed');
      await send();
      await verify(person);
      const { db } = service.ctx;
      const setAge = (seconds: number) => db`
        update idempotent_checks set is_done = false, begun_at = now() - ${seconds} * interval '1 s'`;
      await setAge(1);
      assert.equal((await send()).status, 409);
      await setAge(20);
      assertRefused(await send());
      assert.equal(asked(), 2);
      await db`update idempotent_checks set begun_at = now() - interval '25 hours'`;
      await db`select 1 from graphile_worker.add_job('forget-old-answers')`;
      await eventually(async () => (await db`select from idempotent_checks`).length === 0);
    });
  });

  it('verifies signers by mail before a mail is sent', async () => {
    const { id } = await createPublished(creator);
    const path = `/v1/petitions/${id}/signatures/pending`;
    const api = service.api.with({ 'x-forwarded-for': '192.0.2.80' });
    const input = { display_name: 'Grace', email: 'grace@example.org' };
    assertRefused(await api.post(path, input), 'required');
    assertRefused(await api.post(path, { ...input, recaptchaToken: 'made up' }));
    const answer = await api.post(path, { ...input, recaptchaToken: good() });
    assert.equal(answer.status, 202);
  });

  it('is logged when it fails, without secret and token', () => {
    const lines = log.filter((line) => line.includes('gives no verdicts'));
    assert.equal(lines.length, 1, 'once a minute');
    assert.match(lines[0]!, /The connection was closed before an answer came/);
    assert.doesNotMatch(log.join('\n'), /a secret of|good-\d/);
  });
});
