import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { startCluster, type TestCluster } from '../support/cluster.ts';
import { assertNotReady, underFault } from '../support/faults.ts';
import {
  assertAnswered,
  assertServes,
  type Crowd,
  openTestPool,
  prepareCrowd,
  readinessDuring,
  summary,
  throughProxy,
  untilReady,
} from '../support/load.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';
import { rounds, roundsTimeout } from '../support/rounds.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { assertVerified } from '../support/verify.ts';

/** Longest time until an answer. */
const withinMs = 8000;
/** Longer than any request may take, so that all are answered during the fault. */
const faultMs = withinMs + 500;

describe('a network that fails between the service and its database', () => {
  const faults = 4;
  const stack = new AsyncDisposableStack();
  let cluster: TestCluster;
  let proxy: TcpProxy;
  let crowd: Crowd;
  let service: ServiceProcess;

  before(async () => {
    cluster = stack.use(await startCluster());
    proxy = stack.use(await startTcpProxy({ host: '127.0.0.1', port: cluster.port }));
    crowd = await prepareCrowd(cluster.url, { petitions: faults * rounds, signers: 2000 });
    service = stack.use(
      await startProcess({ ...crowd.env, DATABASE_URL: throughProxy(cluster.url, proxy) }),
    );
  });
  after(() => stack.disposeAsync());

  /** Causes the fault under load in each round. Returns a summary of each. */
  async function eachRound(fault: (petition: { id: string }) => Promise<void>): Promise<string[]> {
    const summaries = [];
    for (let round = 0; round < rounds; round += 1) {
      const petition = crowd.petitions.pop()!;
      const databaseUrl = cluster.url;
      const load = { service, databaseUrl, petition, ...crowd, withinMs };
      const answers = await underFault(load, async () => {
        await pause(500);
        try {
          await fault(petition);
        } finally {
          await proxy.resume();
        }
        await untilReady(service.origin, 8000);
        await assertServes(service.origin, petition, crowd.signers);
      });
      summaries.push(summary(answers));
    }
    await assertVerified(cluster.url);
    return summaries;
  }

  it(
    'forwards nothing: all requests are answered in time, and the service recovers',
    roundsTimeout(25_000),
    async (t) => {
      const seen = await eachRound(async () => {
        proxy.stall();
        assertNotReady(await readinessDuring(service.origin, () => pause(faultMs)));
      });
      t.diagnostic(seen.join('; '));
    },
  );

  it('loses existing connections: new ones replace them', roundsTimeout(25_000), async (t) => {
    const seen = await eachRound(async (petition) => {
      proxy.stallExisting();
      const stalled = proxy.openConnections();
      assert.ok(stalled > 4, `${stalled} connections`);
      const readyAfterMs = await untilReady(service.origin, withinMs);
      await pause(Math.max(0, 4000 - readyAfterMs));
      await assertServes(service.origin, petition, crowd.signers);
      const answers = await readinessDuring(service.origin, () => pause(1500));
      assert.ok(
        answers.every(({ status }) => status === 200),
        summary(answers),
      );
    });
    t.diagnostic(seen.join('; '));
  });

  it(
    'refuses connections: the service answers 503, and recovers',
    roundsTimeout(20_000),
    async (t) => {
      const seen = await eachRound(async () => {
        await proxy.refuse();
        assertNotReady(await readinessDuring(service.origin, () => pause(3000)));
      });
      t.diagnostic(seen.join('; '));
    },
  );

  it(
    'has stopped backends: all requests are answered in time',
    roundsTimeout(25_000),
    async (t) => {
      await using admin = openTestPool(cluster.superuserUrl);
      const seen = await eachRound(async () => {
        const rows = await admin.db`
        select pid from pg_stat_activity
        where datname = current_database() and backend_type = 'client backend'
          and pid <> pg_backend_pid()`;
        const pids = rows.map(({ pid }) => pid as number);
        assert.ok(pids.length > 4, `${pids.length} backends`);
        try {
          for (const pid of pids) process.kill(pid, 'SIGSTOP');
          const answers = await readinessDuring(service.origin, () => pause(faultMs));
          assertAnswered(answers, { withinMs: 2000 });
        } finally {
          for (const pid of pids) signalIfAlive(pid, 'SIGCONT');
        }
      });
      t.diagnostic(seen.join('; '));
    },
  );
});

function signalIfAlive(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
