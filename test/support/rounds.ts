/** How often a test of faults repeats its fault: once for a change, many times at night. */
export const rounds = Number(process.env.FAULT_ROUNDS || 1);

if (!Number.isInteger(rounds) || rounds < 1) {
  throw new Error(
    `FAULT_ROUNDS is '${process.env.FAULT_ROUNDS}'; it must be a whole number above 0.`,
  );
}

/** Time for the setting up of a test and all its rounds, on a machine that has other work too. */
export const roundsTimeout = (roundMs: number): { timeout: number } => ({
  timeout: 120_000 + rounds * roundMs,
});
