/** What signatures have in common. */
export interface Trait {
  /** Signatures of the window that have it. */
  recent: number;
  /** Signatures before the window that have it. */
  earlier: number;
}

export interface WindowTotals {
  recent: number;
  earlier: number;
}

/** Fewer signatures are never an outlier. */
const minCount = 20;
/** Standard deviations above the expected count. */
const threshold = 6;
/** With fewer signatures before the window, these say little of what is usual. */
const minEarlier = 200;

/** Whether the signatures before the window say what is usual. */
export const hasPast = ({ earlier }: WindowTotals): boolean => earlier >= minEarlier;

/**
 * Returns how many signatures of a trait are usual in the window: its share of the signatures before. If these are too
 * few, `unknownShare` of the window.
 */
export function usualCount(trait: Trait, totals: WindowTotals, unknownShare: number): number {
  const share = hasPast(totals) ? trait.earlier / totals.earlier : unknownShare;
  return share * totals.recent;
}

/**
 * Whether a count is far above the usual one: more than 6 standard deviations of random arrivals, and at least twice as
 * many.
 */
export const isOutlier = (count: number, usual: number): boolean =>
  count >= minCount &&
  count >= 2 * usual &&
  count > usual + threshold * Math.sqrt(Math.max(usual, 1));

/**
 * Returns the size up to which networks have this part of the signatures. Where many people share the networks of
 * carriers, theirs is the usual size of a network.
 */
export function usualNetworkSize(sizes: readonly number[], part: number): number {
  const sorted = sizes.toSorted((a, b) => a - b);
  const total = sorted.reduce((sum, size) => sum + size, 0);
  let sum = 0;
  for (const size of sorted) {
    sum += size;
    if (sum >= part * total) return size;
  }
  return 0;
}
