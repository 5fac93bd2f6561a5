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

/** Longest that a reader waits at the moment when the replica goes away: about 2 s, and a margin. */
const worstMs = 3000;
/** How soon readers are served later, while it is away: as ever, on a machine that is busy. */
const usualMs = 1500;

describe('a replica that goes away', () => {
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

  /** Reads of each kind that may ask the replica, none of which is remembered from before. */
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

  async function replicaIsRead(slug: string): Promise<boolean> {
    const bytes = proxy.forwardedBytes();
    await readAll(slug);
    return proxy.forwardedBytes() - bytes > 500;
  }

  async function eachRound(fault: () => Promise<void> | void): Promise<string[]> {
    const seen: string[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const petition = crowd.petitions.pop()!;
      await eventually(() => replicaIsRead(petition.slug), 10_000);
      const load = { service, databaseUrl: primaryUrl, petition, ...crowd, clients: 4 };
      const answers = await underFault({ ...load, withinMs: worstMs }, async () => {
        await readsDuring(petition.slug, () => pause(300));
        try {
          const first = await readsDuring(petition.slug, async () => {
            await fault();
            await pause(1500);
          });
          assertAllRead(first, worstMs);
          const later = await readsDuring(petition.slug, () => pause(2000));
          assertAllRead(later, usualMs);
          seen.push(`slowest ${slowest(first)} ms, later ${slowest(later)} ms`);
        } finally {
          await proxy.resume();
        }
        await eventually(() => replicaIsRead(petition.slug), 15_000);
        assertAllRead(await readAll(petition.slug), usualMs);
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

  it('frozen: readers are served from the primary', roundsTimeout(15_000), async (t) => {
    t.diagnostic((await eachRound(() => proxy.stall())).join('; '));
  });

  it('dead: readers are served from the primary', roundsTimeout(15_000), async (t) => {
    t.diagnostic((await eachRound(() => proxy.refuse())).join('; '));
  });

  it('with its old connections dead: new ones are used', roundsTimeout(15_000), async (t) => {
    t.diagnostic((await eachRound(() => proxy.stallExisting())).join('; '));
  });
});
