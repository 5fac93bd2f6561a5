export interface Burst {
  from: Date;
  until: Date;
  count: number;
  /** The median count of a span of this length. */
  usual: number;
}

/** Robust standard deviations above the median from which a bucket is a burst. */
const threshold = 6;
/** Buckets with fewer signatures are never bursts. */
const minBurstCount = 20;

/**
 * Returns spans of time with far more signatures than usual, largest first. The usual rate is the median of
 * all buckets from the first to the last. Its spread is the median absolute deviation, scaled by 1.4826 to
 * be comparable with a standard deviation. Both are robust while up to half of the buckets are bursts (Leys
 * et al. 2013, "Detecting outliers: do not use standard deviation around the mean"). The spread is at least
 * the square root of the rate, the standard deviation of random arrivals.
 *
 * @param counts number of signatures by the start of their bucket in milliseconds, in order; empty buckets
 *   may be missing
 * @param widthMs width of a bucket in milliseconds
 */
export function findBursts(counts: ReadonlyMap<number, number>, widthMs: number): Burst[] {
  const starts = [...counts.keys()];
  const [first, last] = [starts[0], starts.at(-1)];
  if (first === undefined || last === undefined) return [];
  const buckets = Math.round((last - first) / widthMs) + 1;
  const usual = paddedMedian([...counts.values()], buckets);
  const deviations = [...counts.values()].map((count) => Math.abs(count - usual));
  const spread = Math.max(
    1.4826 * paddedMedian(deviations, buckets, usual),
    Math.sqrt(Math.max(usual, 1)),
  );
  const minCount = Math.max(minBurstCount, usual + threshold * spread);
  const bursts: Burst[] = [];
  for (const [start, count] of counts) {
    if (count < minCount) continue;
    const previous = bursts.at(-1);
    if (previous?.until.getTime() === start) {
      previous.until = new Date(start + widthMs);
      previous.count += count;
      previous.usual += usual;
    } else {
      bursts.push({ from: new Date(start), until: new Date(start + widthMs), count, usual });
    }
  }
  return bursts.toSorted((a, b) => b.count - a.count);
}

/** Adds an hour without signatures before the first bucket, so that the first ones can be bursts. */
export function withQuietHour(
  counts: ReadonlyMap<number, number>,
  widthMs: number,
): Map<number, number> {
  const first = counts.keys().next().value;
  if (first === undefined) return new Map();
  const quiet = Math.max(1, 3_600_000 / widthMs);
  return new Map([[first - quiet * widthMs, 0], ...counts]);
}

/** Returns the median of `length` numbers: the values, and `rest` for all others. */
function paddedMedian(values: number[], length: number, rest = 0): number {
  const sorted = values.toSorted((a, b) => a - b);
  const missing = length - sorted.length;
  const before = sorted.filter((value) => value < rest).length;
  const valueAt = (rank: number) => {
    if (rank < before) return sorted[rank]!;
    return rank < before + missing ? rest : sorted[rank - missing]!;
  };
  return (valueAt(Math.floor((length - 1) / 2)) + valueAt(Math.floor(length / 2))) / 2;
}
