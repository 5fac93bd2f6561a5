import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createCache, type Cache } from './cache.ts';
import { DatabaseUnavailable } from './db.ts';

const away = () => Promise.reject(new DatabaseUnavailable('away', { code: 'ECONNREFUSED' }));
const read = (cache: Cache, load: () => Promise<number>) => cache.read('group', 'key', load);
/** So short that each read loads again. */
const ttlMs = 1;
const expired = () => new Promise((resolve) => setTimeout(resolve, 40));

describe('a cache whose database is away', () => {
  it('gives the value of before', async () => {
    const cache = createCache({ ttlMs, staleMs: 30_000 });
    assert.equal(await read(cache, async () => 1), 1);
    await expired();
    assert.equal(await read(cache, away), 1);
    await expired();
    assert.equal(await read(cache, async () => 2), 2);
  });

  it('does not wait for one that does not answer', async () => {
    const cache = createCache({ ttlMs, staleMs: 30_000 });
    await read(cache, async () => 1);
    await expired();
    const begun = performance.now();
    assert.equal(await read(cache, () => new Promise(() => {})), 1);
    assert.ok(performance.now() - begun < 4000);
  });

  it('gives nothing that was dropped, or read while it was', async () => {
    const cache = createCache({ ttlMs: 10_000, staleMs: 30_000 });
    await read(cache, async () => 1);
    cache.drop('group', 'key');
    await assert.rejects(read(cache, away), DatabaseUnavailable);
    const { promise, resolve } = Promise.withResolvers<number>();
    const reading = read(cache, () => promise);
    cache.drop('group');
    resolve(2);
    assert.equal(await reading, 2);
    await assert.rejects(read(cache, away), DatabaseUnavailable);
  });

  it('fails where it may not give older values, and for other failures', async () => {
    const strict = createCache({ ttlMs });
    await read(strict, async () => 1);
    await expired();
    await assert.rejects(read(strict, away), DatabaseUnavailable);
    const cache = createCache({ ttlMs, staleMs: 30_000 });
    await read(cache, async () => 1);
    await expired();
    await assert.rejects(
      read(cache, () => Promise.reject(new Error('a mistake'))),
      /a mistake/,
    );
  });
});
