import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import {
  isCheckpoint,
  openTestLog,
  publisherWith,
  requireWhole,
  startLogWorld,
  watchedBlobs,
  type LogWorld,
} from '../../../test/support/log.ts';
import { startService } from '../../../test/support/service.ts';

/** Partial tiles among the files that would never be deleted. */
async function unnotedPartialTiles({ service, log }: LogWorld): Promise<string[]> {
  const { config, db } = service.ctx;
  const rows = await db<{ level: number; index: string; width: number }[]>`
    select level, index, width from transparency_partial_tiles`;
  const noted = new Set(
    rows.map(({ level, index, width }) =>
      log.files.keyOf({ level: level < 0 ? 'entries' : level, index: Number(index), width }),
    ),
  );
  const stored = globSync('log/**/*.p/*', { cwd: join(config.dataDir, 'media') });
  assert.ok(stored.length > 0);
  return stored.filter((key) => !noted.has(key));
}

describe('a process that ends while it publishes', () => {
  const crash = new Error('The process ends.');
  const cases: Record<string, Parameters<typeof watchedBlobs>[1]> = {
    'at the first tile': {
      before: () => {
        throw crash;
      },
    },
    'between tiles': {
      before: (key) => {
        if (key.includes('.p/')) throw crash;
      },
    },
    'between tiles and checkpoint': {
      before: (key) => {
        if (isCheckpoint(key)) throw crash;
      },
    },
    'between checkpoint and database': {
      after: (key) => {
        if (isCheckpoint(key)) throw crash;
      },
    },
  };
  for (const [when, hooks] of Object.entries(cases)) {
    for (const more of [0, 500]) {
      it(`${when} is followed by another one, ${more} entries later`, async () => {
        await using world = await startLogWorld();
        const { service, log } = world;
        await log.append(300);
        await log.publish();
        await log.append(100);
        const ending = publisherWith(service.ctx, log, watchedBlobs(service.ctx.blobs, hooks));
        await assert.rejects(ending.publish(log.keys), crash);
        if (more > 0) await log.append(more);
        assert.equal(await log.publish(), 'published');
        await requireWhole(world);
        // No partial tile is forgotten.
        await log.append(1024);
        await log.publish();
        const rows = await service.ctx.db.value<number>`
          select count(*)::int from transparency_partial_tiles where index < 5 and level < 1`;
        assert.equal(rows, 0);
        assert.deepEqual(await unnotedPartialTiles(world), []);
      });
    }
  }

  it('writes no checkpoint once its connection is lost', async () => {
    await using world = await startLogWorld();
    const { service, log } = world;
    const { db, blobs } = service.ctx;
    await log.append(10);
    const before = async (key: string) => {
      if (!key.endsWith('tile/0/000.p/10')) return;
      await db`
        select pg_terminate_backend(l.pid) from pg_locks l
        where l.locktype = 'advisory' and l.granted
          and l.database = (select oid from pg_database where datname = current_database())`;
    };
    const lost = publisherWith(service.ctx, log, watchedBlobs(blobs, { before }));
    await assert.rejects(lost.publish(log.keys));
    assert.equal(await log.files.readCheckpoint(), undefined);
    assert.equal(await log.publish(), 'published');
    await requireWhole(world);
  });
});

describe('publishing much, or at the same time', () => {
  it('takes large batches quickly, several levels high', async () => {
    await using world = await startLogWorld();
    const { log } = world;
    for (const count of [25_000, 16_000, 25_000]) {
      await log.append(count);
      const startedAt = performance.now();
      assert.equal(await log.publish(), 'published');
      const ms = performance.now() - startedAt;
      assert.ok(ms < 3000, `${count} entries took ${ms} ms`);
    }
    await requireWhole(world);
  });

  it('is done by one of two processes at a time', async () => {
    await using world = await startLogWorld();
    const { service, log } = world;
    await using beside = await startService({
      beside: service,
      env: { DATA_DIR: service.ctx.config.dataDir },
    });
    const other = await openTestLog(beside.ctx);
    const outcomes = new Set<string>();
    for (let round = 0; round < 10; round += 1) {
      await log.append(randomInt(1, 200));
      const both = await Promise.all([log.publish(), other.publish()]);
      assert.equal(both.filter((one) => one === 'published').length, 1, both.join());
      for (const one of both) outcomes.add(one);
    }
    assert.ok(outcomes.has('busy') || outcomes.has('up-to-date'));
    await requireWhole(world);
  });
});
