import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  isCheckpoint,
  publisherWith,
  startLogWorld,
  watchedBlobs,
} from '../../../test/support/log.ts';
import { startService } from '../../../test/support/service.ts';
import type { Blobs } from '../../platform/blobs.ts';
import type { Tile } from '../../platform/transparency/tiles.ts';
import { LogFiles } from './log-files.ts';
import { PublishedLog } from './published-log.ts';

describe('the published log over HTTP', () => {
  const immutable = 'public, max-age=31536000, immutable';

  it('has a checkpoint, tiles and bundles', async () => {
    await using world = await startLogWorld();
    const { service, log } = world;
    const { api } = service;
    assert.equal((await api.get('/log/checkpoint')).status, 404);
    await log.append(300);
    await log.publish();
    const tile = await api.get('/log/tile/0/000');
    assert.equal(tile.status, 200);
    assert.equal(tile.headers.get('content-type'), 'application/octet-stream');
    assert.equal(tile.headers.get('content-length'), '8192');
    assert.equal(tile.headers.get('cache-control'), immutable);
    assert.equal(tile.headers.get('access-control-allow-origin'), '*');
    const note = await api.get('/log/checkpoint');
    assert.equal(note.body, await log.files.readCheckpoint());
    assert.equal(note.headers.get('content-type'), 'text/plain; charset=utf-8');
    assert.equal(note.headers.get('cache-control'), 'public, max-age=1');
    assert.equal(note.headers.get('access-control-allow-origin'), '*');
    for (const path of ['checkpoint', 'tile/0/000', 'tile/entries/001.p/44']) {
      const { status, headers, body } = await api.send('HEAD', `/log/${path}`);
      assert.deepEqual([status, body], [200, ''], path);
      assert.ok(Number(headers.get('content-length')) > 0);
    }
    assert.equal((await api.get('/log/tile/1/000.p%2F1')).status, 200);
  });

  it('compresses bundles where asked, and no hashes', async () => {
    await using world = await startLogWorld();
    const { service, log } = world;
    await log.append(300);
    await log.publish();
    const get = (path: string, coding: string) =>
      fetch(`${service.origin}/log/tile/${path}`, { headers: { 'accept-encoding': coding } });
    const plain = await get('entries/000', 'identity');
    const gzip = await get('entries/000', 'gzip');
    assert.equal(plain.headers.get('content-encoding'), null);
    assert.equal(gzip.headers.get('content-encoding'), 'gzip');
    assert.equal(plain.headers.get('vary'), 'Accept-Encoding');
    assert.equal(gzip.headers.get('vary'), 'Accept-Encoding');
    assert.equal(gzip.headers.get('cache-control'), immutable);
    assert.deepEqual(await gzip.arrayBuffer(), await plain.arrayBuffer());
    assert.equal((await get('0/000', 'gzip')).headers.get('content-encoding'), null);
  });

  it('has nothing beyond its tree', async () => {
    await using world = await startLogWorld();
    const { service, log } = world;
    await log.append(300);
    await log.publish();
    await log.append(300);
    const ending = publisherWith(
      service.ctx,
      log,
      watchedBlobs(service.ctx.blobs, {
        before: (key) => {
          if (isCheckpoint(key)) throw new Error('The process ends.');
        },
      }),
    );
    await assert.rejects(ending.publish(log.keys));
    for (const path of [
      '0/001',
      '0/001.p/88',
      '0/002.p/88',
      'entries/001',
      'entries/002.p/88',
      '1/000',
      '1/000.p/2',
      '2/000.p/1',
      '0/x001/000',
      '0/000.p/0',
      '0/0',
      '0/000/',
      '0/',
      '64/000',
      '63/000',
      'data/000',
      '0/..%2f..%2fcheckpoint',
      'entries/../0/000.p/300',
    ]) {
      const response = await fetch(`${service.origin}/log/tile/${path}`);
      assert.equal(response.status, 404, path);
      assert.equal(response.headers.get('cache-control'), 'no-store');
      await response.body?.cancel();
    }
    assert.equal(await log.publish(), 'published');
    assert.equal((await service.api.get('/log/tile/0/001')).status, 200);
  });

  it('reads the checkpoint once a second, and again for a tile that it does not have', async () => {
    await using world = await startLogWorld();
    const { service, log } = world;
    await log.append(10);
    await log.publish();
    let reads = 0;
    const { blobs } = service.ctx;
    const counting: Blobs = {
      ...watchedBlobs(blobs, {}),
      get: (key) => {
        if (isCheckpoint(key)) reads += 1;
        return blobs.get(key);
      },
    };
    const published = new PublishedLog(new LogFiles(counting, log.origin));
    const ten: Tile = { level: 0, index: 0, width: 10 };
    await Promise.all(Array.from({ length: 20 }, () => published.checkpoint()));
    await Promise.all(Array.from({ length: 20 }, () => published.tile(ten)));
    assert.equal(reads, 1);
    await log.append(10);
    await log.publish();
    const twenty: Tile = { ...ten, width: 20 };
    const found = await Promise.all(Array.from({ length: 20 }, () => published.tile(twenty)));
    assert.ok(found.every((content) => content?.length === 20 * 32));
    assert.equal(reads, 2);
  });

  it('is 404 where LOG is off, and needs no database', async () => {
    await using world = await startLogWorld();
    const { service, log } = world;
    await log.append(1);
    await log.publish();
    const env = { DATA_DIR: service.ctx.config.dataDir };
    await using off = await startService({ beside: service, env: { ...env, LOG: 'off' } });
    for (const path of ['checkpoint', 'tile/0/000.p/1', 'tile/entries/000.p/1']) {
      assert.equal((await off.api.get(`/log/${path}`)).status, 404, path);
    }
    await service.ctx.db`alter table transparency_log rename to away`;
    for (const path of ['checkpoint', 'tile/0/000.p/1', 'tile/entries/000.p/1']) {
      assert.equal((await service.api.get(`/log/${path}`)).status, 200, path);
    }
  });
});
