import { spawn } from 'node:child_process';
import { findCeph } from './packages.ts';
import { startStore } from './store.ts';

/**
 * Runs the tests of uploads with an S3 store: Ceph's radosgw, which checks every signature. Installs it from Debian if
 * it is missing; skips the tests if that is not possible.
 */
async function main(): Promise<number> {
  const missing = findCeph();
  if (missing) {
    process.stdout.write(`\n!!! SKIPPED: the S3 tests did not run: ${missing}\n`);
    return 0;
  }
  // An interrupted run stops its tests and then its store.
  let stop = (): unknown => process.exit(1);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop());
  await using store = await startStore();
  const tests = spawn(process.execPath, ['test/run.ts', 'test/s3/media.s3.ts'], {
    stdio: 'inherit',
    env: { ...process.env, ...store.env },
  });
  stop = () => tests.kill();
  return await new Promise<number>((resolve) => tests.on('exit', (code) => resolve(code ?? 1)));
}

process.exitCode = await main();
