import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { pino } from 'pino';
import { createTokens, createPublished, signUp } from '../../test/support/people.ts';
import { freePort } from '../../test/support/process.ts';
import { hasRedis, startRedis } from '../../test/support/redis.ts';
import { startService, type Service } from '../../test/support/service.ts';
import { Limits } from './limits.ts';

const redisUrl = process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379/15';

const isRedisAvailable = async (): Promise<boolean> => {
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

/** A random address of the documentation range, so that runs within an hour do not share limits. */
const randomAddress = () =>
  `2001:db8:${randomBytes(6).toString('hex').match(/.{4}/g)!.join(':')}::1`;

const env = { RATE_LIMITS: 'on', TRUST_PROXY: '127.0.0.1' };

const noServer = !hasRedis && 'redis-server is not installed';
/** Of Redis in compose.yaml, with less memory. */
const policy = /--maxmemory-policy (\S+)/.exec(readFileSync('compose.yaml', 'utf8'))![1]!;
const memoryLimits = ['--maxmemory', '3mb', '--maxmemory-policy', policy];

const noRedis = !(await isRedisAvailable()) && 'no Redis runs here';

describe('limits across processes', { skip: noRedis }, () => {
  const startTwo = async (stack: AsyncDisposableStack): Promise<[Service, Service]> => {
    const options = { env: { ...env, REDIS_URL: redisUrl } };
    const one = stack.use(await startService(options));
    const two = await startService({ ...options, beside: one });
    return [one, stack.use(two)];
  };

  it('count the requests of an address together', async () => {
    await using stack = new AsyncDisposableStack();
    const services = await startTwo(stack);
    const headers = { 'x-forwarded-for': randomAddress() };
    const startedAt = performance.now();
    const answers = await Promise.all(
      Array.from({ length: 400 }, (_, n) =>
        services[n % 2]!.api.get('/v1/categories', { headers }),
      ),
    );
    const passed = answers.filter(({ status }) => status === 200).length;
    const maxPassed = 100 + Math.ceil(((performance.now() - startedAt) / 1000) * 50);
    assert.ok(passed >= 100 && passed <= maxPassed, `${passed} passed, at most ${maxPassed} may`);
  });

  it('do not depend on the clocks of machines', async () => {
    await using stack = new AsyncDisposableStack();
    const services = await startTwo(stack);
    services[1].advanceClock(5000);
    const headers = { 'x-forwarded-for': randomAddress() };
    for (let n = 0; n < 80; n += 1) {
      // The first call is to the service whose clock is ahead.
      const answer = await services[(n + 1) % 2]!.api.get('/v1/categories', { headers });
      assert.equal(answer.status, 200, `call ${n}`);
      const resets = Number(answer.headers.get('x-ratelimit-reset')) - Date.now() / 1000;
      assert.ok(resets < 3, `full in ${resets} s`);
    }
  });

  it('judge at most five concurrent guesses of a password, in each of 20 rounds', async () => {
    await using stack = new AsyncDisposableStack();
    const services = await startTwo(stack);
    for (let round = 0; round < 20; round += 1) {
      const { email, password } = await signUp(services[0]);
      const headers = { 'x-forwarded-for': randomAddress() };
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, n) =>
          services[n % 2]!.api.post(
            '/v1/auth/login',
            { email, password: n === 11 ? password : `guess ${n}` },
            { headers },
          ),
        ),
      );
      const judged = answers.filter(({ status }) => status !== 429);
      assert.equal(judged.length, 5, `round ${round}`);
    }
  });

  it('count the signatures of an address together', async () => {
    await using stack = new AsyncDisposableStack();
    const services = await startTwo(stack);
    const petition = await createPublished(await signUp(services[0]));
    const tokens = await createTokens(services[0], 14);
    const ip = randomAddress();
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
  it('take a point or refuse, whenever another point is given back', async () => {
    const log = pino({ level: 'silent' });
    const limits = new Limits({ enabled: true, redis: undefined, log, now: () => new Date() });
    const quota = { name: 'once', points: 1, durationSeconds: 60 };
    const take = (key: string) =>
      limits.take(quota, key).then(
        () => true,
        () => false,
      );
    // At each of the ticks at which the second one waits.
    for (let tick = 0; tick < 30; tick += 1) {
      const key = `${tick}`;
      assert.ok(await take(key));
      const second = take(key);
      for (let n = 0; n < tick; n += 1) await Promise.resolve();
      await limits.giveBack(quota, key);
      const took = await second;
      assert.equal(await take(key), !took, `given back at tick ${tick}`);
    }
  });
});

for (const [where, skip] of [
  ['in one process', false],
  ['across processes', noServer],
] as const) {
  describe(`windows ${where}`, { skip }, () => {
    const quota = { name: 'edge', points: 5, durationSeconds: 1 };
    let redis: Redis | undefined;
    let limits: Limits;
    const stack = new AsyncDisposableStack();
    before(async () => {
      if (where === 'across processes') {
        redis = new Redis(stack.use(await startRedis()).url);
        stack.defer(() => redis!.disconnect());
      }
      const log = pino({ level: 'silent' });
      limits = new Limits({ enabled: true, redis, log, now: () => new Date() });
    });
    after(() => stack.disposeAsync());

    const takeMany = async (key: string, times: number): Promise<number> => {
      const taken = await Promise.all(
        Array.from({ length: times }, () => limits.tryTake(quota, key)),
      );
      return taken.filter(Boolean).length;
    };

    it('hold no more where many are refused at the end of one', async () => {
      let taken = 0;
      const windows = 3;
      const endsAt = performance.now() + windows * 1000;
      const insist = async () => {
        while (performance.now() < endsAt) {
          if (await limits.tryTake(quota, 'refused')) taken += 1;
          else await pause(1);
        }
      };
      await Promise.all(Array.from({ length: 200 }, insist));
      assert.ok(taken <= (windows + 1) * quota.points, `${taken} in ${windows} s`);
    });

    it('get nothing back that was taken before they began', async () => {
      assert.equal(await takeMany('late', 5), 5);
      const takenAt = performance.now();
      await pause(1050);
      await limits.giveBack(quota, 'late', takenAt);
      assert.equal(await takeMany('late', 3), 3);
      await limits.giveBackEach(
        Array.from({ length: 5 }, () => [quota, 'late'] as const),
        takenAt,
      );
      assert.equal(await takeMany('late', 10), 2);
    });

    it('get back what was taken in them', async () => {
      const counters = [
        [quota, 'failed'],
        [{ ...quota, points: 0 }, 'full'],
      ] as const;
      for (let n = 0; n < 10; n += 1) assert.equal(await limits.tryTakeEach(counters), false);
      await limits.checkGuess([[quota, 'failed']], '', async () => true);
      assert.equal(await takeMany('failed', 10), 5);
    });
  });
}

describe('limits while Redis does not answer', () => {
  /** Starts a service with this Redis. Checks that it answers all requests, but does not judge more guesses. */
  async function checkLimits(port: number, freeze = () => {}): Promise<void> {
    const log: string[] = [];
    await using service = await startService({
      env: { ...env, REDIS_URL: `redis://127.0.0.1:${port}`, LOG_LEVEL: 'warn' },
      log,
    });
    const person = await signUp(service);
    freeze();
    const answers = await Promise.all(
      Array.from({ length: 150 }, () => service.api.get('/v1/categories')),
    );
    assert.ok(answers.every(({ status }) => status === 200));
    const petition = await createPublished(person);
    assert.equal((await person.api.post(`/v1/petitions/${petition.id}/signatures`)).status, 201);
    const guesses = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        service.api.post(
          '/v1/auth/login',
          { email: person.email, password: n === 19 ? person.password : `guess ${n}` },
          { headers: { 'x-forwarded-for': '192.0.2.1' } },
        ),
      ),
    );
    assert.equal(guesses.filter(({ status }) => status === 401).length, 5);
    assert.equal(guesses.filter(({ status }) => status === 429).length, 15);
    const lines = log.filter((line) => line.includes('limits let everything through'));
    assert.equal(lines.length, 1);
  }

  it('let everything through but guesses while nothing listens', async () =>
    checkLimits(await freePort()));

  it(
    'let everything through but guesses while its memory is full',
    { skip: noServer },
    async () => {
      await using server = await startRedis(memoryLimits);
      const redis = new Redis(server.url);
      const fill = async () => {
        for (let n = 0; n < 1000; n++)
          await redis.set(randomBytes(8).toString('hex'), 'x'.repeat(10_000));
      };
      await assert.rejects(fill(), /OOM/);
      await checkLimits(Number(new URL(server.url).port));
      redis.disconnect();
    },
  );

  it('let everything through but guesses while it is frozen', { skip: noRedis }, async () => {
    const { hostname, port } = new URL(redisUrl);
    let isFrozen = false;
    await using server = createServer((client) => {
      const redis = connect(Number(port || 6379), hostname);
      redis.on('data', (data) => isFrozen || client.write(data));
      client.on('data', (data) => isFrozen || redis.write(data));
      client.on('close', () => redis.destroy());
      client.on('error', () => redis.destroy());
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    await checkLimits((server.address() as AddressInfo).port, () => (isFrozen = true));
  });
});
