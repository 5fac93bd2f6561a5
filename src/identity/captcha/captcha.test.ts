import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { solveCaptcha, solvedToken, tokenOf } from '../../../test/support/captcha.ts';
import type { Answer } from '../../../test/support/client.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { readMail } from '../../../test/support/mail.ts';
import { createUsers, createPublished, signUp, type Person } from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

const altcha = { CAPTCHA: 'altcha' };

describe('the proof of work', () => {
  let service: Service;
  let creator: Person;
  before(async () => {
    service = await startService({ worker: true, env: altcha });
    creator = await signUp(service, 'Creator');
  });
  after(() => service[Symbol.asyncDispose]());

  /** Signs a new petition as a new user. */
  const sign = async (recaptchaToken?: string) => {
    const [signer] = await createUsers(service, 1);
    const { id } = await createPublished(creator);
    return signer!.api.post(`/v1/petitions/${id}/signatures`, { recaptchaToken });
  };
  const assertRefused = ({ status, body }: Answer, message: RegExp, code = 'invalid_value') => {
    assert.equal(status, 422, JSON.stringify(body));
    assert.equal(body.errors[0].field, 'recaptchaToken');
    assert.equal(body.errors[0].code, code);
    assert.match(body.errors[0].message, message);
  };

  it('is required to sign, and is valid once', async () => {
    const { body } = await service.api.get('/v1/captcha');
    assert.deepEqual(body.data, { service: 'altcha', site_key: null, version: null });
    assertRefused(await sign(), /Solve a challenge/, 'required');
    assertRefused(await sign(''), /Solve a challenge/, 'required');
    const token = await solvedToken(service);
    assert.equal((await sign(token)).status, 201);
    assertRefused(await sign(token), /used already/);
  });

  it('is verified before the petition is looked up', async () => {
    const [signer] = await createUsers(service, 1);
    const path = '/v1/petitions/no-such-petition/signatures';
    assert.equal((await signer!.api.post(path, {})).status, 422);
    assert.equal((await service.api.post(path, {})).status, 401);
  });

  it('is rejected if it is malformed', async () => {
    const { challenge, solution } = await solveCaptcha(service);
    const { signature, parameters } = challenge;
    const other = { counter: solution.counter, derivedKey: '00'.repeat(32) };
    for (const wrong of [
      'abc',
      tokenOf({}),
      tokenOf({ challenge: null, solution: null }),
      tokenOf({ challenge, solution: other }),
      tokenOf({ challenge: { parameters }, solution }),
      tokenOf({ challenge: { signature, parameters: { ...parameters, cost: 1 } }, solution }),
      tokenOf({
        challenge: { signature, parameters: { ...parameters, nonce: '0'.repeat(32) } },
        solution,
      }),
    ]) {
      assertRefused(await sign(wrong), /no solution|does not solve/);
    }
    // None of these attempts has used up the solution.
    assert.equal((await sign(tokenOf({ challenge, solution }))).status, 201);
  });

  it('is rejected from another service', async () => {
    await using other = await startService({ env: { ...altcha, SECRET: 'another secret' } });
    assertRefused(await sign(await solvedToken(other)), /does not solve/);
  });

  it('is valid for ten minutes, whatever expiry it states', async () => {
    const { challenge, solution } = await solveCaptcha(service);
    const { parameters, signature } = challenge;
    service.advanceClock(10 * 60_000);
    assertRefused(await sign(tokenOf({ challenge, solution })), /too old/);
    const later = { ...parameters, expiresAt: parameters.expiresAt! + 3600 };
    const forged = { challenge: { signature, parameters: later }, solution };
    assertRefused(await sign(tokenOf(forged)), /does not solve/);
  });

  it('is valid once for concurrent requests to several processes', async () => {
    await using second = await startService({ env: altcha, beside: service });
    const { id } = await createPublished(creator);
    const people = await createUsers(service, 8);
    const recaptchaToken = await solvedToken(service);
    const answers = await Promise.all(
      people.map(({ token }, n) =>
        (n % 2 === 0 ? service : second).api
          .as(token)
          .with(n % 3 === 0 ? { 'idempotency-key': `key-${n}` } : {})
          .post(`/v1/petitions/${id}/signatures`, { recaptchaToken }),
      ),
    );
    const refused = answers.filter(({ status }) => status !== 201);
    assert.equal(refused.length, 7);
    for (const answer of refused) assertRefused(answer, /used already/);
    const list = await service.api.get(`/v1/petitions/${id}/signatures`);
    assert.equal(list.body.pagination.total_count, 1);
  });

  it('is not used up by an idempotent request that fails or is retried', async () => {
    const [signer] = await createUsers(service, 1);
    const { id } = await createPublished(creator);
    const closed = await createPublished(creator);
    await creator.api.post(`/v1/petitions/${closed.id}/close`);
    const recaptchaToken = await solvedToken(service);
    const send = (petition: string, key: string) =>
      signer!.api
        .with({ 'idempotency-key': key })
        .post(`/v1/petitions/${petition}/signatures`, { recaptchaToken });
    assert.equal((await send(closed.id, 'one')).status, 409);
    const first = await send(id, 'two');
    assert.equal(first.status, 201);
    assert.deepEqual((await send(id, 'two')).body.data, first.body.data);
  });

  it('is required when a mail to sign is requested', async () => {
    const { id } = await createPublished(creator);
    const path = `/v1/petitions/${id}/signatures/pending`;
    const input = { display_name: 'Grace', email: 'grace@example.org' };
    assertRefused(await service.api.post(path, input), /Solve a challenge/, 'required');
    const recaptchaToken = await solvedToken(service);
    assert.equal((await service.api.post(path, { ...input, recaptchaToken })).status, 202);
    assertRefused(await service.api.post(path, { ...input, recaptchaToken }), /used already/);
    const mail = async () =>
      (await service.mails()).map(readMail).find(({ to }) => to === input.email);
    await eventually(async () => (await mail()) !== undefined);
    const [, token] = /confirm\?token=([\w-]+)/.exec((await mail())!.text)!;
    assert.equal((await service.api.post('/v1/signatures/confirm', { token })).status, 201);
  });

  it('is deleted after it has expired', async () => {
    const { ctx } = service;
    await sign(await solvedToken(service));
    const used = async () => (await ctx.db`select nonce from used_challenges`).length;
    const usedBefore = await used();
    await ctx.db`
      insert into used_challenges (nonce, expires_at)
      values (${Buffer.alloc(16, 7)}, now() - interval '2 hours')`;
    await ctx.db`select 1 from graphile_worker.add_job('forget-used-challenges')`;
    await eventually(async () => (await used()) === usedBefore);
  });
});

it('offers no challenge and ignores tokens if CAPTCHA is off', async () => {
  await using service = await startService();
  const creator = await signUp(service);
  const { body } = await service.api.get('/v1/captcha');
  assert.deepEqual(body.data, { service: 'off', site_key: null, version: null });
  assert.equal((await service.api.get('/v1/captcha/challenge')).status, 404);
  const { id } = await createPublished(creator);
  const answer = await creator.api.post(`/v1/petitions/${id}/signatures`, { recaptchaToken: 'x' });
  assert.equal(answer.status, 201);
});
