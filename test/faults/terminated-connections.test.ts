import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createTestDatabase, databaseNamed } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import {
  assertAnswered,
  assertNothingLost,
  openTestPool,
  prepareCrowd,
  request,
  summary,
  underLoad,
} from '../support/load.ts';
import { startProcess } from '../support/process.ts';
import { rounds, roundsTimeout } from '../support/rounds.ts';
import { assertVerified } from '../support/verify.ts';

/** Times that all connections are terminated in a round. */
const blows = 3;

it(
  'all connections terminated under load: the process lives, and loses nothing',
  roundsTimeout(20_000),
  async (t) => {
    await using database = await createTestDatabase();
    const crowd = await prepareCrowd(database.url, { petitions: rounds, signers: 2000 });
    await using admin = openTestPool(databaseNamed(database.url, 'postgres'));
    await using reader = openTestPool(database.url);
    const service = await startProcess(crowd.env);
    await using _ = service;
    const name = new URL(database.url).pathname.slice(1);
    const terminate = async () => {
      const rows = await admin.db`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = ${name} and backend_type = 'client backend'
          and application_name <> 'petitions test'`;
      return rows.length;
    };
    for (const petition of crowd.petitions) {
      let terminated = 0;
      const answers = await underLoad({ origin: service.origin, petition, ...crowd }, async () => {
        for (let blow = 0; blow < blows; blow += 1) {
          // Each blow meets other statements under way.
          await pause(300 + Math.random() * 300);
          terminated += await terminate();
        }
        await pause(500);
      });
      assert.ok(service.isAlive(), service.output());
      assert.doesNotMatch(service.output(), /unhandled/);
      assert.ok(terminated >= blows * 4, `${terminated} connections were terminated`);
      assertAnswered(answers, { withinMs: 5000 });
      assert.ok(answers.filter(({ status }) => status === 201).length > 50, summary(answers));
      await eventually(async () => {
        const { status } = await request('GET', service.origin, '/health/ready');
        return status === 200;
      });
      await assertNothingLost(reader.db, petition, answers);
      t.diagnostic(`${terminated} connections terminated: ${summary(answers)}`);
    }
    assert.equal(await service.end('SIGTERM'), 0, service.output());
    await assertVerified(database.url);
  },
);

it('a lost connection that a library does not handle leaves the process alive; other errors end it', async () => {
  await using database = await createTestDatabase();
  const { env } = await prepareCrowd(database.url, { petitions: 0, signers: 0 });
  const start = (message: string) =>
    startProcess({ ...env, NODE_OPTIONS: rejectOn('SIGUSR2', message) });
  await using living = await start('Connection terminated unexpectedly');
  process.kill(living.pid, 'SIGUSR2');
  await eventually(() => living.output().includes('unhandled loss of a database connection'));
  const { status } = await request('GET', living.origin, '/health/ready');
  assert.equal(status, 200);
  await using ending = await start('a mistake');
  process.kill(ending.pid, 'SIGUSR2');
  await eventually(() => !ending.isAlive());
});

/** The option of Node with which a process rejects a promise that nothing handles when it receives the signal. */
function rejectOn(signal: NodeJS.Signals, message: string): string {
  const code = `process.on('${signal}', () => void Promise.reject(new Error('${message}')))`;
  return `--import=data:text/javascript,${encodeURIComponent(code)}`;
}
