import { spawn } from 'node:child_process';
import { findCeph } from './packages.ts';
import { startStore } from './store.ts';

/**
 * Runs the tests of uploads against an S3 store: Ceph's radosgw, which checks every signature. It is
 * installed from Debian where it is missing and that is possible; where not, nothing is tested.
 */
async function main(): Promise<number> {
  const missing = findCeph();
  if (missing) {
    process.stdout.write(`Skipped: no S3 store to test with. ${missing}\n`);
    return 0;
  }
  // An interrupted run ends its tests, and then its store too.
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
