import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { Redis } from 'ioredis';
import { pino } from 'pino';
import { manyTokens, published, signUp } from '../../test/support/people.ts';
import { freePort } from '../../test/support/process.ts';
import { startService, type Service } from '../../test/support/service.ts';
import { Limits } from './limits.ts';

const redisUrl = process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379/15';

const available = async (): Promise<boolean> => {
  const redis = new Redis(redisUrl, { lazyConnect: true, retryStrategy: null });
  redis.on('error', () => {});
  try {
    await redis.connect();
    return true;
  } catch {
    return false;
  } finally {
    redis.disconnect();
  }
};

/** An address of documentation that no other run has used within the hour. */
const someAddress = () => `2001:db8:${randomBytes(6).toString('hex').match(/.{4}/g)!.join(':')}::1`;

const env = { RATE_LIMITS: 'on', TRUST_PROXY: '127.0.0.1' };

describe('limits across processes', { skip: !(await available()) && 'no Redis runs here' }, () => {
  const startTwo = async (stack: AsyncDisposableStack): Promise<[Service, Service]> => {
    const options = { env: { ...env, REDIS_URL: redisUrl } };
    const one = stack.use(await startService(options));
    const two = await startService({ ...options, beside: one });
    return [one, stack.use(two)];
  };

  it('count the requests of an address together', async () => {
    await using stack = new AsyncDisposableStack();
    const services = await startTwo(stack);
    const headers = { 'x-forwarded-for': someAddress() };
    const begun = performance.now();
    const answers = await Promise.all(
      Array.from({ length: 400 }, (_, n) =>
        services[n % 2]!.api.get('/v1/categories', { headers }),
      ),
    );
    const passed = answers.filter(({ status }) => status === 200).length;
    const most = 100 + Math.ceil(((performance.now() - begun) / 1000) * 50);
    assert.ok(passed >= 100 && passed <= most, `${passed} passed, at most ${most} may`);
  });

  it('turn nobody away for what the clocks of machines differ by', async () => {
    await using stack = new AsyncDisposableStack();
    const services = await startTwo(stack);
    services[1].advance(5000);
    const headers = { 'x-forwarded-for': someAddress() };
    for (let n = 0; n < 80; n += 1) {
      // First by the clock that is ahead.
      const answer = await services[(n + 1) % 2]!.api.get('/v1/categories', { headers });
      assert.equal(answer.status, 200, `call ${n}`);
      const resets = Number(answer.headers.get('x-ratelimit-reset')) - Date.now() / 1000;
      assert.ok(resets < 3, `full in ${resets} s`);
    }
  });

  it('count the signatures of an address together', async () => {
    await using stack = new AsyncDisposableStack();
    const services = await startTwo(stack);
    const petition = await published(await signUp(services[0]));
    const tokens = await manyTokens(services[0], 14);
    const ip = someAddress();
    const answers = await Promise.all(
      tokens.map((token, n) =>
        services[n % 2]!.api.as(token).post(
          `/v1/petitions/${petition.id}/signatures`,
          {},
          { headers: { 'x-forwarded-for': ip } },
        ),
      ),
    );
    assert.equal(answers.filter(({ status }) => status === 201).length, 10);
    assert.equal(answers.filter(({ status }) => status === 429).length, 4);
  });
});

describe('limits in one process', () => {
  it('take a point or refuse, whenever another is given back', async () => {
    const log = pino({ level: 'silent' });
    const limits = new Limits({ enabled: true, redis: undefined, log, now: () => new Date() });
    const take = (key: string) =>
      limits.take('signing', key, '', 1).then(
        () => true,
        () => false,
      );
    // At each of the moments at which the second one waits for something.
    for (let moment = 0; moment < 30; moment += 1) {
      const key = `${moment}`;
      assert.ok(await take(key));
      const second = take(key);
      for (let n = 0; n < moment; n += 1) await Promise.resolve();
      await limits.giveBack('signing', key);
      const took = await second;
      assert.equal(await take(key), !took, `given back at moment ${moment}`);
    }
  });
});

describe('limits where Redis is away', () => {
  it('let everybody through, and say so now and then', async () => {
    const url = `redis://127.0.0.1:${await freePort()}`;
    const log: string[] = [];
    await using service = await startService({
      env: { ...env, REDIS_URL: url, LOG_LEVEL: 'warn' },
      log,
    });
    const creator = await signUp(service);
    const petition = await published(creator);
    const signed = await creator.api.post(`/v1/petitions/${petition.id}/signatures`);
    assert.equal(signed.status, 201);
    const answers = await Promise.all(
      Array.from({ length: 150 }, () => service.api.get('/v1/categories')),
    );
    assert.ok(answers.every(({ status }) => status === 200));
    const told = log.filter((line) => line.includes('limits are open'));
    assert.ok(told.length > 0 && told.length < 10, `${told.length} lines of 150 requests`);
  });
});
