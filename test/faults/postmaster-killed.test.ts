import assert from 'node:assert/strict';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { startEmbeddedPostgres } from '../../src/platform/embedded-postgres.ts';
import { migrate } from '../../src/platform/migrate.ts';
import { eventually } from '../support/eventually.ts';
import { underFault } from '../support/faults.ts';
import {
  assertAnswered,
  assertServes,
  prepareCrowd,
  readinessDuring,
  summary,
  untilReady,
} from '../support/load.ts';
import { startProcess } from '../support/process.ts';
import { rounds, roundsTimeout } from '../support/rounds.ts';
import { assertVerified } from '../support/verify.ts';

it(
  'survives the death of the embedded postmaster, and restarts it',
  roundsTimeout(30_000),
  async (t) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'petitions-killed-'));
    await chmod(dataDir, 0o755);
    await using stack = new AsyncDisposableStack();
    stack.defer(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }));
    const pidFile = join(dataDir, 'postgres/data/postmaster.pid');
    const postmasterPid = async () => Number((await readFile(pidFile, 'utf8')).split('\n')[0]);

    const embedded = await startEmbeddedPostgres({ dataDir });
    stack.defer(() => embedded.stop());
    await migrate(embedded.url);
    const crowd = await prepareCrowd(embedded.url, { petitions: rounds, signers: 2000 });
    await embedded.stop();
    const { DATABASE_URL: url = '', ...env } = crowd.env;

    await using service = await startProcess({ ...env, DATA_DIR: dataDir });
    for (const petition of crowd.petitions) {
      let backAfterMs = 0;
      const databaseUrl = () => currentUrl(url, pidFile);
      const load = { service, databaseUrl, petition, ...crowd, withinMs: 8000 };
      const answers = await underFault(load, async () => {
        await pause(500);
        const killed = await postmasterPid();
        process.kill(killed, 'SIGKILL');
        const ready = await readinessDuring(service.origin, async () => {
          await eventually(
            async () => (await postmasterPid().catch(() => killed)) !== killed,
            20_000,
          );
          backAfterMs = await untilReady(service.origin, 20_000);
        });
        assertAnswered(ready, { withinMs: 2000 });
        // Where it is back soon, an answer waits for it instead.
        assert.ok(
          ready.some(({ status, durationMs }) => status === 503 || durationMs > 100),
          `readiness while it was gone: ${summary(ready)}`,
        );
        await assertServes(service.origin, petition, crowd.signers);
      });
      t.diagnostic(`ready ${backAfterMs} ms after the start: ${summary(answers)}`);
    }
    await assertVerified(await currentUrl(url, pidFile));
    assert.equal(await service.end('SIGTERM'), 0, service.output());
  },
);

/** The address of the database on the current port of its server. */
async function currentUrl(url: string, pidFile: string): Promise<string> {
  const port = (await readFile(pidFile, 'utf8')).split('\n')[3]!;
  return Object.assign(new URL(url), { port }).href;
}
