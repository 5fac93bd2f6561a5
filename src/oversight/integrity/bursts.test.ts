import assert from 'node:assert/strict';
import { it } from 'node:test';
import { findBursts } from './bursts.ts';

const minute = 60_000;
const byMinute = (counts: number[]) =>
  new Map(counts.flatMap((count, n) => (count > 0 ? [[n * minute, count] as const] : [])));

it('finds spans with far more signatures than the median', () => {
  const steady = Array.from({ length: 600 }, (_, n) => 8 + ((n * 7) % 5));
  assert.deepEqual(findBursts(byMinute(steady), minute), []);
  const attacked = steady.with(300, 500).with(301, 700).with(400, 90);
  assert.deepEqual(
    findBursts(byMinute(attacked), minute).map(({ from, until, count }) => [
      from.getTime() / minute,
      until.getTime() / minute,
      count,
    ]),
    [
      [300, 302, 1200],
      [400, 401, 90],
    ],
  );
});

it('counts minutes without signatures as zero', () => {
  const quiet = new Map([
    [0, 1],
    [100 * minute, 2],
    [500 * minute, 40],
    [900 * minute, 1],
  ]);
  const [burst, ...more] = findBursts(quiet, minute);
  assert.deepEqual([burst?.from.getTime(), burst?.count, burst?.usual], [500 * minute, 40, 0]);
  assert.deepEqual(more, []);
  assert.deepEqual(findBursts(new Map(), minute), []);
  assert.deepEqual(findBursts(new Map([[0, 5000]]), minute), []);
});

it('finds bursts that are nearly half of all minutes', () => {
  const counts = Array.from({ length: 101 }, (_, n) => (n % 2 === 0 && n < 90 ? 2000 : 10));
  assert.equal(findBursts(byMinute(counts), minute).length, 45);
});
