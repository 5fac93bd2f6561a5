/** Counts that are milestones, apart from the multiples of `milestoneStep` and the petition's goal. */
export const milestoneCounts: number[] = [
  100, 500, 1_000, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000,
];
export const milestoneStep = 1_000_000;

/** Returns the lowest milestone above a count. */
export function nextMilestone(count: number, goal: number | null): number {
  const next =
    milestoneCounts.find((one) => one > count) ??
    (Math.floor(count / milestoneStep) + 1) * milestoneStep;
  return goal !== null && goal > count ? Math.min(goal, next) : next;
}
