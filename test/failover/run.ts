import { spawn } from 'node:child_process';
import { findPatroni } from './packages.ts';

/**
 * Runs the failover tests: Patroni with etcd and haproxy, then quorum commit without Patroni. Installs missing programs
 * from Debian; skips the tests if that is not possible. FAILOVER_ROUNDS sets how often the primary is killed (20);
 * FAILOVER_KEEP=1 keeps the folder of the servers with their logs.
 */
async function main(files: string[]): Promise<number> {
  const missing = findPatroni();
  if (missing) {
    process.stdout.write(`\n!!! SKIPPED: the failover tests did not run: ${missing}\n`);
    return 0;
  }
  const tests = spawn(
    process.execPath,
    [
      '--test',
      '--test-reporter=spec',
      '--test-isolation=none',
      '--test-concurrency=1',
      ...(files.length > 0 ? files : ['test/failover/*.failover.ts']),
    ],
    { stdio: 'inherit' },
  );
  // An interrupted run stops its tests, which stop their servers.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => tests.kill(signal));
  return new Promise((resolve) => tests.on('exit', (code) => resolve(code ?? 1)));
}

process.exitCode = await main(process.argv.slice(2));
