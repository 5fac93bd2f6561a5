import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createTestDatabase, databaseNamed } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { underFault } from '../support/faults.ts';
import { openTestPool, prepareCrowd, request, summary, untilReady } from '../support/load.ts';
import { startProcess } from '../support/process.ts';
import { rounds, roundsTimeout } from '../support/rounds.ts';
import { assertVerified } from '../support/verify.ts';

/** How often all connections are terminated in a round. */
const terminations = 3;

it(
  'survives the termination of all connections under load, and loses nothing',
  roundsTimeout(20_000),
  async (t) => {
    await using database = await createTestDatabase();
    const crowd = await prepareCrowd(database.url, { petitions: rounds, signers: 2000 });
    await using admin = openTestPool(databaseNamed(database.url, 'postgres'));
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
      const load = { service, databaseUrl: database.url, petition, ...crowd, withinMs: 5000 };
      const answers = await underFault(load, async () => {
        for (let n = 0; n < terminations; n += 1) {
          // Random, so that other statements are in progress each time.
          await pause(300 + Math.random() * 300);
          terminated += await terminate();
        }
        await pause(500);
      });
      assert.doesNotMatch(service.output(), /unhandled/);
      assert.ok(terminated >= terminations * 2, `${terminated} connections were terminated`);
      assert.ok(answers.filter(({ status }) => status === 201).length > 50, summary(answers));
      await untilReady(service.origin, 5000);
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
