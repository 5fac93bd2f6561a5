import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createTestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { underFault } from '../support/faults.ts';
import { type Answer, prepareCrowd, request, type Signer, summary } from '../support/load.ts';
import { startProcess } from '../support/process.ts';
import { hasRedis, startRedis } from '../support/redis.ts';
import { rounds, roundsTimeout } from '../support/rounds.ts';
import { assertVerified } from '../support/verify.ts';

/** Longest time until an answer, including all waits for Redis. */
const withinMs = 2000;
/** Signatures of one address in an hour. */
const signingLimit = 10;

it(
  'serves without limits while Redis is frozen, and with limits afterwards',
  { ...roundsTimeout(20_000), skip: !hasRedis && 'redis-server is not installed' },
  async (t) => {
    await using redis = await startRedis();
    await using database = await createTestDatabase();
    const crowd = await prepareCrowd(database.url, { petitions: rounds, signers: 2000 });
    await using service = await startProcess({
      ...crowd.env,
      REDIS_URL: redis.url,
      RATE_LIMITS: 'on',
      TRUST_PROXY: '127.0.0.1',
    });
    let crowds = 0;
    /** The signers sign from one new address. */
    const signFromOneAddress = async (petition: { id: string }, signers: Signer[]) => {
      const from = { 'x-forwarded-for': `10.200.${crowds >> 8}.${crowds++ & 255}` };
      const answers: Answer[] = [];
      for (const signer of signers) {
        const path = `/v1/petitions/${petition.id}/signatures`;
        answers.push(await request('POST', service.origin, path, signer, from));
      }
      return answers.map(({ status }) => status);
    };
    const asLimited = [...Array<number>(signingLimit).fill(201), 429, 429];
    for (const petition of crowd.petitions) {
      const size = asLimited.length;
      const [first, second, third] = [0, 1, 2].map((n) =>
        crowd.signers.slice(n * size, (n + 1) * size),
      ) as [Signer[], Signer[], Signer[]];
      assert.deepEqual(await signFromOneAddress(petition, first), asLimited);
      const load = {
        service,
        databaseUrl: database.url,
        petition,
        signers: crowd.signers.slice(3 * size),
        withinMs,
        headers: (n: number) => ({
          'x-forwarded-for': `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`,
        }),
      };
      const answers = await underFault(load, async () => {
        await pause(300);
        redis.freeze();
        try {
          await pause(2000);
          const frozen = await signFromOneAddress(petition, second);
          assert.deepEqual(new Set(frozen), new Set([201]), 'limits let all through');
        } finally {
          redis.thaw();
        }
        // A process asks once a second whether Redis is back. Who signed before that is not counted afterwards.
        await pause(1500);
      });
      assert.deepEqual(
        answers.filter(({ status }) => status >= 500),
        [],
      );
      await eventually(async () => {
        const statuses = await signFromOneAddress(petition, third);
        return statuses.includes(429);
      }, 10_000);
      t.diagnostic(summary(answers));
    }
    await assertVerified(database.url);
  },
);
