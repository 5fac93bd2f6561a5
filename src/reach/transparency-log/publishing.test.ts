import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { describe, it } from 'node:test';
import {
  openTestLog,
  publisherWith,
  readPublished,
  readerOf,
  requireWhole,
  startLogWorld,
  watchedBlobs,
} from '../../../test/support/log.ts';
import { startService } from '../../../test/support/service.ts';
import type { Checkpoint } from '../../platform/transparency/checkpoints.ts';
import {
  consistencyProof,
  emptyRoot,
  verifyConsistency,
} from '../../platform/transparency/merkle.ts';
import type { Tile } from '../../platform/transparency/tiles.ts';

describe('publishing', () => {
  it('adds what was appended, so that every size is consistent with the ones before', async () => {
    await using world = await startLogWorld();
    const { service, log } = world;
    const { readTile } = readerOf(service);
    assert.equal(await log.publish(), 'up-to-date');
    let earlier: Pick<Checkpoint, 'size' | 'root'> = { size: 0, root: emptyRoot };
    const batches = [
      1,
      1,
      253,
      1,
      1,
      256,
      700,
      ...Array.from({ length: 6 }, () => randomInt(1, 600)),
    ];
    for (const count of batches) {
      await log.append(count);
      assert.equal(await log.publish(), 'published');
      assert.equal(await log.publish(), 'up-to-date');
      await requireWhole(world);
      const { size, root } = await readPublished(log);
      assert.equal(size, earlier.size + count);
      const proof = await consistencyProof(earlier.size, size, readTile);
      const claim = { from: earlier.size, to: size, toRoot: root, proof };
      if (earlier.size > 0) assert.ok(verifyConsistency({ ...claim, fromRoot: earlier.root }));
      earlier = { size, root };
    }
    const pending = await service.ctx.db.value<string>`
      select min(index)::text from transparency_pending_entries`;
    if (earlier.size % 256 > 0) assert.equal(Number(pending), earlier.size - (earlier.size % 256));
  });

  it('deletes partial tiles once the full one is published, and cuts them from it', async () => {
    await using world = await startLogWorld();
    const { service, log } = world;
    const partial: Tile[] = (['entries', 0] as const).map((level) => ({
      level,
      index: 0,
      width: 200,
    }));
    await log.append(200);
    await log.publish();
    const contents = await Promise.all(partial.map((tile) => readerOf(service).readTile(tile)));
    const isStored = async (tile: Tile) => {
      const found = await service.ctx.blobs.get(log.files.keyOf(tile));
      found?.stream.on('error', () => {}).destroy();
      return found !== undefined;
    };
    assert.deepEqual(await Promise.all(partial.map(isStored)), [true, true]);
    await log.append(60);
    await log.publish();
    assert.deepEqual(await Promise.all(partial.map(isStored)), [false, false]);
    const cut = await Promise.all(partial.map((tile) => readerOf(service).readTile(tile)));
    assert.deepEqual(cut, contents);
    const rows = await service.ctx.db<{ level: number; index: string; width: number }[]>`
      select level, index, width from transparency_partial_tiles order by level`;
    assert.deepEqual(rows.slice(), [
      { level: -1, index: '1', width: 4 },
      { level: 0, index: '1', width: 4 },
      { level: 1, index: '0', width: 1 },
    ]);
  });

  it('writes nothing to the database while it writes files', async () => {
    await using world = await startLogWorld();
    const { service, log } = world;
    const { db, blobs } = service.ctx;
    await log.append(300);
    let writers = 0;
    const after = async () => {
      writers += await db.value<number>`
        select count(*)::int from pg_stat_activity
        where backend_xid is not null and datname = current_database()`;
    };
    const publisher = publisherWith(service.ctx, log, watchedBlobs(blobs, { after }));
    assert.equal(await publisher.publish(log.keys), 'published');
    assert.equal(writers, 0);
  });

  it('leaves the log of another instance alone', async () => {
    await using world = await startLogWorld();
    const { service, log } = world;
    await log.append(1);
    await using copy = await startService({
      beside: service,
      env: { BASE_URL: 'http://staging.test', LOG_ORIGIN: log.origin },
    });
    assert.equal(await (await openTestLog(copy.ctx)).publish(), 'not-ours');
    assert.equal(await log.files.readCheckpoint(), undefined);
    assert.equal(await log.publish(), 'published');
  });
});
