import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startService } from '../../../test/support/service.ts';
import { lowestBucket, rangesOf, stepOfKnown, highestBucket, type SortAxis } from './sort-axes.ts';

/** Whole numbers below a limit, the same at each run. */
function numbersBelow(limit: number, howMany: number): number[] {
  let state = 1;
  return Array.from({ length: howMany }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return state % limit;
  });
}

describe('a range of buckets', () => {
  it('is some ranges, which the database gives to those that stand on it, and to no others', async () => {
    await using service = await startService();
    const { main } = service.ctx.pools;
    const [steps, months, days] = [
      numbersBelow(62, 400),
      numbersBelow(1000, 400),
      numbersBelow(30_000, 400),
    ];
    const known = steps.map((step, n) => step * stepOfKnown + months[n]!);
    const documents = await main<{ known: number; day: number; trend: number; ranges: number[] }[]>`
      select known, day, trend, search_ranges(known, day, trend) as ranges
      from unnest(${known}::integer[], ${days}::integer[], ${days.toReversed()}::integer[])
        as buckets (known, day, trend)`;
    for (const axis of ['known', 'day', 'trend'] satisfies SortAxis[]) {
      const buckets = documents.map((one) => one[axis]);
      const ends = [
        lowestBucket,
        ...buckets.slice(0, 60).flatMap((bucket) => [bucket, bucket + 1]),
        highestBucket,
      ];
      for (const [n, one] of ends.entries()) {
        const other = ends[(n * 7) % ends.length]!;
        const [low, high] = [Math.min(one, other), Math.max(one, other)];
        const ranges = rangesOf(axis, { high, low });
        assert.ok(ranges.length < 80, `${ranges.length} ranges`);
        const wanted = new Set(ranges);
        assert.deepEqual(
          documents.filter((document) => document.ranges.some((range) => wanted.has(range))),
          documents.filter((document) => document[axis] >= low && document[axis] <= high),
          `${axis} from ${low} to ${high}`,
        );
      }
    }
  });
});
