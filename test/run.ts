import { spawn } from 'node:child_process';
import { existsSync, globSync, statfsSync } from 'node:fs';
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../src/platform/embedded-postgres.ts';
import { openPool } from '../src/platform/db.ts';
import { migrate } from '../src/platform/migrate.ts';
import { databaseNamed, templateName } from './support/database.ts';

/** Beside the code, in this folder and in `deploy`, and those of workspaces; the other suites in folders of `test` have commands of their own. */
const testFiles = [
  'src/**/*.test.ts',
  'test/*.test.ts',
  'test/deploy/*.test.ts',
  'verifier/test/*.test.ts',
];
/** Files that take more than ten seconds, which `--long` runs instead of the others. */
const longFiles = '.long.test.ts';

/** Tests that start processes and measure them, which too many of them at a time would make slow. */
const measuringFiles = /^test\/faults\//;

/** Returns the files to run: the given ones, else all quick or all long ones. */
function chosenFiles(given: string[]): string[] {
  const isLong = given[0] === '--long';
  if (given.length > 0 && !isLong) return given;
  return globSync(testFiles).filter((file) => file.endsWith(longFiles) === isLong);
}

/**
 * Runs the quick tests, the long ones, or the given files. Starts a PostgreSQL server, unless TEST_DATABASE_URL names one, and
 * migrates the template that the databases of the test files are copied from.
 */
async function main(files: string[]): Promise<number> {
  const directory = await mkdtemp(join(temporaryFolder(), 'petitions-test-'));
  // The server runs as another user if the tests run as root.
  await chmod(directory, 0o755);
  const embedded = process.env.TEST_DATABASE_URL
    ? undefined
    : await startEmbeddedPostgres({
        dataDir: directory,
        // Test data need not survive a crash of the machine.
        settings: {
          fsync: 'off',
          synchronous_commit: 'off',
          full_page_writes: 'off',
          max_wal_size: '256MB',
          // Services of several files are open at the same time, each with pools of its own.
          max_connections: '400',
        },
      });
  try {
    const url = process.env.TEST_DATABASE_URL ?? embedded!.url;
    await makeTemplate(url);
    const code = await runTests(files, directory, {
      TEST_DATABASE_URL: url,
      TMPDIR: directory,
      // Service processes that tests start reuse the code that the first one compiled.
      NODE_COMPILE_CACHE: join(directory, 'compiled'),
    });
    await printSkipped(directory);
    return code;
  } finally {
    await embedded?.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

const memoryFolder = '/dev/shm';
const minMemoryBytes = 6 * 2 ** 30;

/**
 * The folder for the databases and files of tests: in memory on Linux, if there is enough of it and TMPDIR
 * does not name another one. Creating a database there takes 31 ms of CPU time instead of 76 ms on ext4.
 */
function temporaryFolder(): string {
  if (process.env.TMPDIR || !existsSync(memoryFolder)) return tmpdir();
  const { bavail, bsize } = statfsSync(memoryFolder);
  const freeBytes = Math.min(bavail * bsize, process.availableMemory());
  return freeBytes >= minMemoryBytes ? memoryFolder : tmpdir();
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
 * Divides the files among a few processes, since loading the service takes a second of CPU time. One process
 * more than there are cores, since tests also wait; not where they measure.
 */
async function runTests(files: string[], directory: string, env: Environment): Promise<number> {
  const most = availableParallelism() + (files.every((file) => measuringFiles.test(file)) ? 0 : 1);
  const shards = Math.min(files.length, most);
  const codes = await Promise.all(
    Array.from({ length: shards }, (_, index) => {
      const shard = `${index + 1}/${shards}`;
      return runShard(files, { shard, skippedFile: join(directory, `skipped-${index}`), env });
    }),
  );
  return Math.max(...codes);
}

interface ShardOptions {
  shard: string;
  /** The file for the list of skipped tests. */
  skippedFile: string;
  env: Environment;
}

function runShard(files: string[], { shard, skippedFile, env }: ShardOptions): Promise<number> {
  const child = spawn(
    process.execPath,
    [
      '--test',
      '--test-reporter=spec',
      '--test-reporter-destination=stdout',
      '--test-reporter=./test/support/skip-reporter.ts',
      `--test-reporter-destination=${skippedFile}`,
      '--test-isolation=none',
      `--test-shard=${shard}`,
      '--test-timeout=120000',
      // Whatever a failed test left running must not delay the results.
      '--test-force-exit',
      ...files,
    ],
    { stdio: 'inherit', env: { ...process.env, ...env } },
  );
  // An interrupted run stops its tests and then its database.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  return new Promise((resolve) => child.on('exit', (code) => resolve(code ?? 1)));
}

/** Prints the tests that were skipped, and why, as the last lines of the run. */
async function printSkipped(directory: string): Promise<void> {
  const names = (await readdir(directory)).filter((name) => name.startsWith('skipped-'));
  const lists = await Promise.all(names.map((name) => readFile(join(directory, name), 'utf8')));
  const lines = lists.flatMap((list) => list.split('\n')).filter(Boolean);
  if (lines.length === 0) return;
  process.stdout.write(`\n!!! SKIPPED: ${lines.length} tests or groups of tests did not run:\n`);
  for (const line of lines.toSorted()) process.stdout.write(`!!!   ${line}\n`);
}

process.exitCode = await main(chosenFiles(process.argv.slice(2)));
