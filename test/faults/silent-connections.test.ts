import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { startCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import {
  openTestPool,
  type Answer,
  prepareCrowd,
  request,
  summary,
  throughProxy,
} from '../support/load.ts';
import { startProcess } from '../support/process.ts';
import { roundsTimeout } from '../support/rounds.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

interface Timed extends Answer {
  startedAt: number;
  endedAt: number;
}

describe('connections to the database that fall silent while new ones work', () => {
  it('cost no request that starts after the first time-out', roundsTimeout(40_000), async (t) => {
    await using cluster = await startCluster();
    await using proxy = await startTcpProxy({ host: '127.0.0.1', port: cluster.port });
    const crowd = await prepareCrowd(cluster.url, { petitions: 1, signers: 400 });
    const env = { ...crowd.env, DATABASE_URL: throughProxy(cluster.url, proxy) };
    await using service = await startProcess(env);
    const signatures = `/v1/petitions/${crowd.petitions[0]!.id}/signatures`;
    const ask = async (n: number): Promise<Timed> => {
      const startedAt = performance.now();
      const signer = crowd.signers[n % crowd.signers.length];
      const { origin } = service;
      const answer = await (n % 4 === 0
        ? request('POST', origin, signatures, signer)
        : request('GET', origin, '/v1/users/me', signer));
      return { ...answer, startedAt, endedAt: performance.now() };
    };

    await Promise.all(Array.from({ length: 100 }, (_, n) => ask(n)));
    assert.ok(proxy.openConnections() > 12, `${proxy.openConnections()} connections`);
    await untilQuiet(cluster.url);

    proxy.stallExisting();
    const stalledAt = performance.now();
    const asked: Promise<Timed>[] = [];
    for (let n = 0; performance.now() - stalledAt < 10_000; n += 1) {
      asked.push(ask(n));
      await pause(25);
    }
    const answers = await Promise.all(asked);
    const failed = answers.filter(({ status }) => status === 503 || status === 0);
    const firstFailureAt = Math.min(...failed.map(({ endedAt }) => endedAt));
    const afterMs = Math.round(firstFailureAt - stalledAt);
    t.diagnostic(`${summary(answers)}; the first time-out after ${afterMs} ms`);
    assert.deepEqual(
      failed.filter(({ startedAt }) => startedAt > firstFailureAt),
      [],
    );
  });
});

/**
 * Waits until the followers of these signatures have been done for about a second. The server keeps the locks of a silent
 * transaction until it has been idle for 30 seconds, which delays signatures of its petition whatever the connections.
 */
async function untilQuiet(databaseUrl: string): Promise<void> {
  await using test = openTestPool(databaseUrl);
  let quietChecks = 0;
  await eventually(async () => {
    const isWriting = await test.db.exists`
      select from pg_stat_activity where backend_xid is not null and pid <> pg_backend_pid()`;
    quietChecks = isWriting ? 0 : quietChecks + 1;
    return quietChecks >= 20;
  }, 20_000);
}
