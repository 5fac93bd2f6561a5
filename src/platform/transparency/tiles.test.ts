import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  encodeEntryBundle,
  entryInBundle,
  grownTiles,
  parseEntryBundle,
  parseHashes,
  parseTilePath,
  tilePath,
} from './tiles.ts';

const paths = (from: number, to: number) => grownTiles(from, to).map(tilePath);

describe('paths', () => {
  it('are those of tlog-tiles', () => {
    assert.equal(tilePath({ level: 0, index: 1_234_067, width: 256 }), 'tile/0/x001/x234/067');
    for (const [path, tile] of [
      ['tile/0/000', { level: 0, index: 0, width: 256 }],
      ['tile/1/999', { level: 1, index: 999, width: 256 }],
      ['tile/2/x001/000.p/1', { level: 2, index: 1000, width: 1 }],
      ['tile/63/x001/x234/067.p/255', { level: 63, index: 1_234_067, width: 255 }],
      ['tile/entries/x012/345', { level: 'entries', index: 12_345, width: 256 }],
      ['tile/entries/007.p/17', { level: 'entries', index: 7, width: 17 }],
    ] as const) {
      assert.equal(tilePath(tile), path);
      assert.deepEqual(parseTilePath(path), tile);
    }
  });

  it('have one form', () => {
    for (const path of [
      '',
      'checkpoint',
      '/tile/0/000',
      'tile/0/0',
      'tile/0/0000',
      'tile/00/000',
      'tile/64/000',
      'tile/-1/000',
      'tile/0/x000/001',
      'tile/0/001/001',
      'tile/0/x001',
      'tile/0/000.p/0',
      'tile/0/000.p/01',
      'tile/0/000.p/256',
      'tile/0/000.p/',
      'tile/0/000/',
      'tile/0/000\n',
      'tile/data/000',
      'tile/8/0/000',
      'tile/0/x999/x999/x999/x999/x999/999',
    ]) {
      assert.equal(parseTilePath(path), undefined, path);
    }
  });
});

describe('grownTiles', () => {
  it('counts the tiles of a log of 70,000 entries, as tlog-tiles does', () => {
    const hashes = grownTiles(0, 70_000).filter(({ level }) => level !== 'entries');
    const count = (level: number, isFull: boolean) =>
      hashes.filter((tile) => tile.level === level && (tile.width === 256) === isFull).length;
    assert.deepEqual([count(0, true), count(0, false)], [273, 1]);
    assert.deepEqual([count(1, true), count(1, false)], [1, 1]);
    assert.deepEqual([count(2, true), count(2, false)], [0, 1]);
    assert.deepEqual(hashes.filter(({ width }) => width < 256).map(tilePath), [
      'tile/0/273.p/112',
      'tile/1/001.p/17',
      'tile/2/000.p/1',
    ]);
  });

  it('names what a log of 256 entries has', () => {
    assert.deepEqual(paths(0, 256), ['tile/entries/000', 'tile/0/000', 'tile/1/000.p/1']);
  });

  it('names only what is new', () => {
    assert.deepEqual(paths(0, 0), []);
    assert.deepEqual(paths(5, 5), []);
    assert.deepEqual(paths(5, 6), ['tile/entries/000.p/6', 'tile/0/000.p/6']);
    assert.deepEqual(paths(255, 257), [
      'tile/entries/000',
      'tile/entries/001.p/1',
      'tile/0/000',
      'tile/0/001.p/1',
      'tile/1/000.p/1',
    ]);
    assert.deepEqual(paths(256, 257), ['tile/entries/001.p/1', 'tile/0/001.p/1']);
    assert.deepEqual(paths(65_535, 65_536), [
      'tile/entries/255',
      'tile/0/255',
      'tile/1/000',
      'tile/2/000.p/1',
    ]);
  });
});

describe('content', () => {
  it('of a bundle: each entry after its length', () => {
    const entries = [Buffer.from('a'), Buffer.alloc(0), Buffer.alloc(65_535, 'b')];
    const bundle = encodeEntryBundle(entries);
    assert.equal(bundle.toString('hex', 0, 7), '0001610000ffff');
    assert.deepEqual(parseEntryBundle(bundle, 3), entries);
    assert.deepEqual(
      entries.map((_, position) => entryInBundle(bundle, position)),
      entries,
    );
    assert.throws(() => entryInBundle(bundle, 3), { name: 'LogFormatError' });
    assert.throws(() => entryInBundle(bundle.subarray(0, -1), 2), { name: 'LogFormatError' });
    assert.throws(() => encodeEntryBundle([Buffer.alloc(65_536)]), RangeError);
  });

  it('of a bundle that is cut or has another number of entries is refused', () => {
    const bundle = encodeEntryBundle([Buffer.from('one'), Buffer.from('two')]);
    for (let length = 0; length < bundle.length; length++) {
      assert.throws(() => parseEntryBundle(bundle.subarray(0, length), 2), {
        name: 'LogFormatError',
      });
    }
    assert.throws(() => parseEntryBundle(bundle, 1), /a bundle of 1 entries has 2/);
  });

  it('of a tile: its hashes', () => {
    const hashes = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
    assert.deepEqual(parseHashes(Buffer.concat(hashes), 2), hashes);
    assert.throws(() => parseHashes(Buffer.alloc(63), 2), /a tile of 2 hashes has 63 bytes/);
    assert.throws(() => parseHashes(Buffer.alloc(96), 2), { name: 'LogFormatError' });
  });
});
