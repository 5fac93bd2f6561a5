import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { caughtUp, startCluster, startStandby } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { underFault } from '../support/faults.ts';
import {
  type Answer,
  assertAnswered,
  type Crowd,
  prepareCrowd,
  request,
  summary,
  throughProxy,
} from '../support/load.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';
import { rounds, roundsTimeout } from '../support/rounds.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { assertVerified } from '../support/verify.ts';

/** Longest read when the replica fails: about 2 s, and a margin. */
const maxDuringFailureMs = 3000;
/** Longest read after the failure was detected: normal, on a busy machine. */
const maxAfterFailureMs = 1500;

describe('a replica that fails', () => {
  const stack = new AsyncDisposableStack();
  const faults = 3;
  let primaryUrl: string;
  let proxy: TcpProxy;
  let crowd: Crowd;
  let service: ServiceProcess;
  let reads = 0;

  before(async () => {
    const primary = stack.use(await startCluster());
    primaryUrl = primary.url;
    crowd = await prepareCrowd(primary.url, { petitions: faults * rounds, signers: 2000 });
    const standby = stack.use(await startStandby(primary));
    proxy = stack.use(await startTcpProxy({ host: '127.0.0.1', port: standby.port }));
    const DATABASE_REPLICA_URL = throughProxy(standby.url, proxy);
    service = stack.use(await startProcess({ ...crowd.env, DATABASE_REPLICA_URL }));
    await caughtUp(primary, standby);
  });
  after(() => stack.disposeAsync());

  /** Sends uncached reads of each kind that may use the replica. */
  function readAll(slug: string): Promise<Answer[]> {
    reads += 1;
    const paths = [
      '/',
      `/v1/petitions?limit=${(reads % 50) + 1}`,
      `/v1/petitions?sort=trending&limit=${(reads % 50) + 1}`,
      `/p/${slug}`,
      `/v1/search/petitions?q=river+${reads}`,
      `/petitions?q=path+${reads}`,
      `/v1/petitions/${slug}/history`,
    ];
    return Promise.all(paths.map((path) => request('GET', service.origin, path)));
  }

  async function readsDuring(slug: string, work: () => Promise<void>): Promise<Answer[]> {
    const ending = new AbortController();
    const answers: Answer[] = [];
    const reader = async () => {
      while (!ending.signal.aborted) {
        answers.push(...(await readAll(slug)));
        await pause(50);
      }
    };
    const reading = Promise.all([reader(), reader()]);
    try {
      await work();
    } finally {
      ending.abort();
      await reading;
    }
    return answers;
  }

  async function isReplicaUsed(slug: string): Promise<boolean> {
    const bytes = proxy.forwardedBytes();
    await readAll(slug);
    return proxy.forwardedBytes() - bytes > 500;
  }

  async function eachRound(fault: () => Promise<void> | void): Promise<string[]> {
    const seen: string[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const petition = crowd.petitions.pop()!;
      await eventually(() => isReplicaUsed(petition.slug), 10_000);
      const load = { service, databaseUrl: primaryUrl, petition, ...crowd, clients: 4 };
      const answers = await underFault({ ...load, withinMs: maxDuringFailureMs }, async () => {
        await readsDuring(petition.slug, () => pause(300));
        try {
          const first = await readsDuring(petition.slug, async () => {
            await fault();
            await pause(1500);
          });
          assertAllRead(first, maxDuringFailureMs);
          const later = await readsDuring(petition.slug, () => pause(2000));
          assertAllRead(later, maxAfterFailureMs);
          seen.push(`slowest ${slowest(first)} ms, later ${slowest(later)} ms`);
        } finally {
          await proxy.resume();
        }
        await eventually(() => isReplicaUsed(petition.slug), 15_000);
        assertAllRead(await readAll(petition.slug), maxAfterFailureMs);
      });
      assert.deepEqual(
        answers.filter(({ status }) => status >= 500),
        [],
      );
    }
    await assertVerified(primaryUrl);
    return seen;
  }

  function assertAllRead(answers: Answer[], withinMs: number): void {
    const failed = answers.filter(({ status }) => status !== 200);
    assert.deepEqual(failed.slice(0, 5), [], summary(answers));
    assertAnswered(answers, { withinMs });
  }

  const slowest = (answers: Answer[]): number =>
    Math.round(Math.max(...answers.map(({ durationMs }) => durationMs)));

  it('by freezing: the primary serves reads', roundsTimeout(15_000), async (t) => {
    t.diagnostic((await eachRound(() => proxy.stall())).join('; '));
  });

  it('by refusing connections: the primary serves reads', roundsTimeout(15_000), async (t) => {
    t.diagnostic((await eachRound(() => proxy.refuse())).join('; '));
  });

  it('by losing its connections: new ones replace them', roundsTimeout(15_000), async (t) => {
    t.diagnostic((await eachRound(() => proxy.stallExisting())).join('; '));
  });
});
