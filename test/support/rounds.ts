/** How often a fault test repeats its fault: once for each change, many times nightly. */
export const rounds = Number(process.env.FAULT_ROUNDS || 1);

if (!Number.isInteger(rounds) || rounds < 1) {
  throw new Error(
    `FAULT_ROUNDS is '${process.env.FAULT_ROUNDS}'; it must be a whole number above 0.`,
  );
}

/** Timeout of a test with its setup and all rounds on a busy machine. */
export const roundsTimeout = (roundMs: number): { timeout: number } => ({
  timeout: 120_000 + rounds * roundMs,
});
