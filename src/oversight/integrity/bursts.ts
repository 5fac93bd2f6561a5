export interface Burst {
  from: Date;
  until: Date;
  count: number;
  /** The median of such a span. */
  usual: number;
}

/** How far above the median, in robust standard deviations, a bucket is out of the ordinary. */
const threshold = 6;
/** Fewer are no burst, however quiet the petition else is. */
const leastCount = 20;

/**
 * Spans of time in which far more signed than usually. The usual rate and its spread are the median over
 * all buckets from the first to the last, and the median absolute deviation from it, scaled by 1.4826 to
 * be comparable with a standard deviation: both stay what they are though up to half of the buckets are
 * bursts (Leys et al. 2013, "Detecting outliers: do not use standard deviation around the mean"). Random
 * arrivals alone spread by the root of their rate, so the spread is taken to be at least that.
 *
 * @param counts signatures by the start of their bucket, in milliseconds, in order; buckets without any
 *   may be missing
 * @param width of a bucket, in milliseconds
 */
export function findBursts(counts: ReadonlyMap<number, number>, width: number): Burst[] {
  const starts = [...counts.keys()];
  const [first, last] = [starts[0], starts.at(-1)];
  if (first === undefined || last === undefined) return [];
  const buckets = Math.round((last - first) / width) + 1;
  const usual = paddedMedian([...counts.values()], buckets);
  const deviations = [...counts.values()].map((count) => Math.abs(count - usual));
  const spread = Math.max(
    1.4826 * paddedMedian(deviations, buckets, usual),
    Math.sqrt(Math.max(usual, 1)),
  );
  const least = Math.max(leastCount, usual + threshold * spread);
  const bursts: Burst[] = [];
  for (const [start, count] of counts) {
    if (count < least) continue;
    const before = bursts.at(-1);
    if (before?.until.getTime() === start) {
      before.until = new Date(start + width);
      before.count += count;
      before.usual += usual;
    } else {
      bursts.push({ from: new Date(start), until: new Date(start + width), count, usual });
    }
  }
  return bursts.toSorted((a, b) => b.count - a.count);
}

/** The median of so many values, of which those that are not given are all `rest`. */
function paddedMedian(given: number[], howMany: number, rest = 0): number {
  const sorted = given.toSorted((a, b) => a - b);
  const missing = howMany - sorted.length;
  const before = sorted.filter((value) => value < rest).length;
  const at = (rank: number) => {
    if (rank < before) return sorted[rank]!;
    return rank < before + missing ? rest : sorted[rank - missing]!;
  };
  return (at(Math.floor((howMany - 1) / 2)) + at(Math.floor(howMany / 2))) / 2;
}
