/** What can be set for a run, from the environment; nothing else in bench reads it. */
export const settings = {
  /** A server on which databases may be made; run.ts starts one where none is named. */
  databaseUrl: process.env.BENCH_DATABASE_URL,
  /** Keeps the cluster, and with it the large database of paging, for the next run. */
  dataDir: process.env.BENCH_DATA_DIR,
  /** Signatures of one round of signing. */
  signatures: number('BENCH_SIGNATURES', 20_000),
  /** How often each side of a comparison is measured; medians are reported. */
  rounds: number('BENCH_ROUNDS', 3),
  /** Length of one round of reading. */
  seconds: number('BENCH_SECONDS', 4),
  /** Share of the 1,000,000 petitions and 5,000,000 signatures that paging makes. */
  scale: number('BENCH_SCALE', 1),
  /** Prints plans and each round. */
  verbose: process.env.BENCH_VERBOSE === '1',
  /** A folder for CPU profiles of the service's process. */
  profileDir: process.env.BENCH_PROFILE,
};

function number(name: string, fallback: number): number {
  const value = Number(process.env[name] || fallback);
  if (!(value > 0)) throw new Error(`${name} must be a number above 0.`);
  return value;
}
