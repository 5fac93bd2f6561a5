import { spawn } from 'node:child_process';
import { mkdtemp, chmod, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../src/platform/embedded-postgres.ts';
import { openPool } from '../src/platform/db.ts';
import { migrate } from '../src/platform/migrate.ts';
import { databaseNamed, templateName } from './support/database.ts';

/** All but what takes long, and has a command of its own. */
const suite = ['src/**/*.test.ts', 'test/*.test.ts'];

/**
 * Runs the tests: all of them, or the files that are named. Starts a PostgreSQL of its own, unless
 * TEST_DATABASE_URL names one, and migrates the template from which each test file's database is made.
 */
async function main(files: string[]): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), 'petitions-test-'));
  // The server runs as another user where the tests run as root.
  await chmod(directory, 0o755);
  const embedded = process.env.TEST_DATABASE_URL
    ? undefined
    : await startEmbeddedPostgres({
        dataDir: directory,
        // Test data need not survive the machine.
        settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' },
      });
  try {
    const url = process.env.TEST_DATABASE_URL ?? embedded!.url;
    await makeTemplate(url);
    return await runTests(files, {
      TEST_DATABASE_URL: url,
      // Processes that tests start load what others have compiled.
      NODE_COMPILE_CACHE: join(directory, 'compiled'),
    });
  } finally {
    await embedded?.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

async function makeTemplate(url: string): Promise<void> {
  const admin = openPool(url, { name: 'test', max: 1 });
  await admin.unsafe(`drop database if exists ${templateName} with (force)`);
  await admin.unsafe(`create database ${templateName}`);
  await admin.end();
  const templateUrl = databaseNamed(url, templateName);
  await migrate(templateUrl);
}

type Environment = Record<string, string>;

/**
 * A few processes share the files out, and each loads the service once for all of its own. They are one
 * more than there are cores, since tests wait too.
 */
async function runTests(files: string[], env: Environment): Promise<number> {
  const patterns = files.length > 0 ? files : suite;
  const shares = files.length === 1 ? 1 : availableParallelism() + 1;
  const codes = await Promise.all(
    Array.from({ length: shares }, (_, share) => runShare(patterns, `${share + 1}/${shares}`, env)),
  );
  return Math.max(...codes);
}

function runShare(patterns: string[], share: string, env: Environment): Promise<number> {
  const child = spawn(
    process.execPath,
    [
      '--test',
      '--test-reporter=spec',
      '--test-isolation=none',
      `--test-shard=${share}`,
      '--test-timeout=120000',
      // What a failed test has left running must not keep the others' results back.
      '--test-force-exit',
      ...patterns,
    ],
    { stdio: 'inherit', env: { ...process.env, ...env } },
  );
  // An interrupted run ends its tests, and then its database too.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  return new Promise((resolve) => child.on('exit', (code) => resolve(code ?? 1)));
}

process.exitCode = await main(process.argv.slice(2));
