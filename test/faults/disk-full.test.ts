import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmdirSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { startCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { assertNotReady, underFault } from '../support/faults.ts';
import {
  assertServes,
  openTestPool,
  prepareCrowd,
  readinessDuring,
  request,
  summary,
  untilReady,
} from '../support/load.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';
import { rounds, roundsTimeout } from '../support/rounds.ts';
import { assertVerified } from '../support/verify.ts';

/** How long the disk stays full. */
const fullMs = 5000;

/** Mounts a small file system, or returns why it cannot. */
function mountSmallDisk(): (Disposable & { path: string }) | string {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) {
    return 'only root on Linux can mount a small disk';
  }
  const path = mkdtempSync(join(tmpdir(), 'petitions-disk-'));
  chmodSync(path, 0o755);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=224m,mode=755', 'tmpfs', path], {
      stdio: 'pipe',
    });
  } catch (error) {
    rmdirSync(path);
    return `a small disk cannot be mounted: ${(error as Error).message}`;
  }
  return {
    path,
    [Symbol.dispose]: () => {
      execFileSync('umount', [path]);
      rmdirSync(path);
    },
  };
}

/** Writes a file until the disk is full. */
async function fill(path: string): Promise<void> {
  await using file = await open(path, 'w');
  for (let size = 2 ** 20; size >= 4096; size = size === 2 ** 20 ? 4096 : size / 2) {
    const chunk = Buffer.alloc(size);
    try {
      for (;;) {
        const { bytesWritten } = await file.write(chunk);
        if (bytesWritten < size) break;
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }
}

/** Checks that the log has about one line a second at most, from now until `assert`. */
function watchLog(service: ServiceProcess): { assert(): void } {
  // Without the lines of requests, which are always logged, and those that go on from the one before, such as stacks.
  const lines = () =>
    service
      .output()
      .split('\n')
      .filter((line) => !line.includes('"msg":"request"') && !/^[\s}]/.test(line));
  const before = lines().length;
  const startedAt = performance.now();
  return {
    assert: () => {
      const written = lines().slice(before);
      const seconds = Math.ceil((performance.now() - startedAt) / 1000);
      assert.ok(
        written.length <= seconds + 3,
        `${written.length} lines in ${seconds} s:\n${written.slice(0, 10).join('\n')}`,
      );
    },
  };
}

describe('a database that cannot take more', () => {
  it(
    'has a full disk: answers 503, logs few lines, and recovers once there is room',
    roundsTimeout(40_000),
    async (t) => {
      const mounted = mountSmallDisk();
      if (typeof mounted === 'string') return t.skip(mounted);
      using disk = mounted;
      await using cluster = await startCluster({
        parent: disk.path,
        settings: { max_wal_size: '64MB', min_wal_size: '32MB' },
      });
      const crowd = await prepareCrowd(cluster.url, { petitions: rounds, signers: 6000 });
      await using service = await startProcess({ ...crowd.env, LOG_LEVEL: 'warn' });
      const filler = join(disk.path, 'filler');
      for (const petition of crowd.petitions) {
        const load = { service, databaseUrl: cluster.url, petition, ...crowd, pauseMs: 10 };
        let refused = 0;
        const answers = await underFault({ ...load, withinMs: 8000 }, async () => {
          await fill(filler);
          const quiet = watchLog(service);
          const path = `/v1/petitions/${petition.id}/signatures`;
          const sign = () => request('POST', service.origin, path, crowd.signers[6000 - ++refused]);
          await eventually(async () => (await sign()).status === 503, 20_000);
          const ready = await readinessDuring(service.origin, () => pause(fullMs));
          assertNotReady(ready, 10);
          quiet.assert();
          await rm(filler);
          // A server without room for its WAL ends; here the test is the supervisor that starts it.
          if (!(await cluster.pid())) {
            t.diagnostic('the server had ended');
            await cluster.start();
          }
          const backAfterMs = await untilReady(service.origin, 20_000);
          t.diagnostic(`ready ${backAfterMs} ms after there was room`);
          await assertServes(service.origin, petition, crowd.signers);
        });
        t.diagnostic(summary(answers));
      }
      await assertVerified(cluster.url);
    },
  );

  it(
    'has too many connections: answers 503, and recovers once there are fewer',
    roundsTimeout(20_000),
    async (t) => {
      await using cluster = await startCluster();
      await using admin = openTestPool(cluster.superuserUrl);
      const crowd = await prepareCrowd(cluster.url, { petitions: rounds, signers: 2000 });
      await using service = await startProcess({ ...crowd.env, LOG_LEVEL: 'warn' });
      for (const petition of crowd.petitions) {
        const answers = await underFault(
          { service, databaseUrl: cluster.superuserUrl, petition, ...crowd, withinMs: 8000 },
          async () => {
            await pause(300);
            const quiet = watchLog(service);
            // The same SQLSTATE, 53300, as for max_connections.
            await admin.db.unsafe('alter role petitions connection limit 0');
            await admin.db`
          select pg_terminate_backend(pid) from pg_stat_activity where usename = 'petitions'`;
            const ready = await readinessDuring(service.origin, () => pause(3000));
            assertNotReady(ready);
            quiet.assert();
            await admin.db.unsafe('alter role petitions connection limit -1');
            const backAfterMs = await untilReady(service.origin, 8000);
            t.diagnostic(`ready ${backAfterMs} ms after connections were allowed`);
            await assertServes(service.origin, petition, crowd.signers);
          },
        );
        t.diagnostic(summary(answers));
      }
      await assertVerified(cluster.url);
    },
  );
});
