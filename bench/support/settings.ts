/** Settings of a run, from the environment. Nothing else in bench reads it. */
export const settings = {
  /** A server for the databases; by default run.ts starts one. */
  databaseUrl: process.env.BENCH_DATABASE_URL,
  /** Folder that keeps the cluster, with the large database of paging, for later runs. */
  dataDir: process.env.BENCH_DATA_DIR,
  /** Signatures in one round of benchmarks other than signing. */
  signatures: number('BENCH_SIGNATURES', 20_000),
  /** Signatures in one round of signing, sized so that its seven shapes take less than four minutes. */
  signingSignatures: number('BENCH_SIGNATURES', 3000),
  /** Leaves out shapes of signing with more petitions. */
  maxPetitions: number('BENCH_PETITIONS', 50_000),
  /** People to whom a victory is mailed. */
  recipients: number('BENCH_RECIPIENTS', 20_000),
  /** Measurements of each side of a comparison; the report has medians. */
  rounds: number('BENCH_ROUNDS', 3),
  /** The same for signing. */
  signingRounds: number('BENCH_ROUNDS', 2),
  /** Length of one round of reading. */
  seconds: number('BENCH_SECONDS', 4),
  /** Fraction of the 1,000,000 petitions and 5,000,000 signatures of paging. */
  scale: number('BENCH_SCALE', 1),
  /** Older signatures that the public log begins with. */
  olderSignatures: number('BENCH_OLDER', 1_000_000),
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
