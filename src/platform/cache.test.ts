import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createCache, type Cache } from './cache.ts';
import { DatabaseUnavailable } from './db.ts';

const unavailable = () =>
  Promise.reject(new DatabaseUnavailable('unavailable', { code: 'ECONNREFUSED' }));
const read = (cache: Cache, load: () => Promise<number>) => cache.read('group', 'key', load);
/** So short that each read after `expired` loads again. */
const ttlMs = 1;
const expired = () => new Promise((resolve) => setTimeout(resolve, 40));

describe('a cache while the database is unavailable', () => {
  it('returns the older value', async () => {
    const cache = createCache({ ttlMs, staleMs: 30_000 });
    assert.equal(await read(cache, async () => 1), 1);
    await expired();
    assert.equal(await read(cache, unavailable), 1);
    await expired();
    assert.equal(await read(cache, async () => 2), 2);
  });

  it('does not wait for a database that does not answer', async () => {
    const cache = createCache({ ttlMs, staleMs: 30_000 });
    await read(cache, async () => 1);
    await expired();
    assert.equal(await read(cache, () => new Promise(() => {})), 1);
  });

  it('does not return values that were dropped before or during the load', async () => {
    const cache = createCache({ ttlMs: 10_000, staleMs: 30_000 });
    await read(cache, async () => 1);
    cache.drop('group', 'key');
    await assert.rejects(read(cache, unavailable), DatabaseUnavailable);
    const { promise, resolve } = Promise.withResolvers<number>();
    const reading = read(cache, () => promise);
    cache.drop('group');
    resolve(2);
    assert.equal(await reading, 2);
    await assert.rejects(read(cache, unavailable), DatabaseUnavailable);
  });

  it('fails without older values, and for other errors', async () => {
    const strict = createCache({ ttlMs });
    await read(strict, async () => 1);
    await expired();
    await assert.rejects(read(strict, unavailable), DatabaseUnavailable);
    const cache = createCache({ ttlMs, staleMs: 30_000 });
    await read(cache, async () => 1);
    await expired();
    await assert.rejects(
      read(cache, () => Promise.reject(new Error('a mistake'))),
      /a mistake/,
    );
  });
});
