import { execFileSync, spawn } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { openPool } from '../src/platform/db.ts';
import { startEmbeddedPostgres } from '../src/platform/embedded-postgres.ts';
import { print } from './support/report.ts';
import { settings } from './support/settings.ts';

const benchmarks = [
  'signing',
  'foreign-keys',
  'reading',
  'pages',
  'pictures',
  'paging',
  'webhooks',
  'watchers',
  'fan-out',
  'mail',
  'exports',
  'search',
  'insight',
  'sign-in',
  'transparency-log',
  'verifier',
];

/**
 * Runs all or the named benchmarks, each in its own process, and prints their results as Markdown. Fails if one does not
 * run, but not if a target is missed.
 */
async function main(names: string[]): Promise<number> {
  const unknown = names.filter((name) => !benchmarks.includes(name));
  if (unknown.length > 0) {
    process.stderr.write(
      `No benchmark is called ${unknown.join(', ')}: ${benchmarks.join(', ')}\n`,
    );
    return 1;
  }
  await using server = await openServer();
  print(await describeMachine(server.url));
  const failed: string[] = [];
  for (const name of names.length > 0 ? names : benchmarks) {
    print(`## ${name}`);
    const start = performance.now();
    if (!(await run(name, server.url))) failed.push(name);
    print(`_${name}: ${Math.round((performance.now() - start) / 1000)} s_`);
  }
  if (failed.length > 0) process.stderr.write(`Did not run to the end: ${failed.join(', ')}\n`);
  return failed.length > 0 ? 1 : 0;
}

/**
 * Uses the given PostgreSQL, or starts a durable embedded one like the service, with a quarter of the memory, as
 * docs/operating.md recommends.
 */
async function openServer(): Promise<AsyncDisposable & { url: string }> {
  if (settings.databaseUrl) {
    return { url: settings.databaseUrl, [Symbol.asyncDispose]: async () => {} };
  }
  const directory = settings.dataDir ?? (await mkdtemp(join(tmpdir(), 'petitions-bench-')));
  // The server runs as another user if the benchmarks run as root.
  if (!settings.dataDir) await chmod(directory, 0o755);
  const quarter = Math.round(totalmem() / 4 / 2 ** 20);
  const postgres = await startEmbeddedPostgres({
    dataDir: directory,
    settings: { shared_buffers: `${quarter}MB` },
  });
  return {
    url: postgres.url,
    async [Symbol.asyncDispose]() {
      await postgres.stop();
      if (!settings.dataDir) await rm(directory, { recursive: true, force: true });
    },
  };
}

function run(name: string, databaseUrl: string): Promise<boolean> {
  const child = spawn(process.execPath, [join(import.meta.dirname, `${name}.ts`)], {
    stdio: 'inherit',
    env: { ...process.env, BENCH_DATABASE_URL: databaseUrl },
  });
  return new Promise((resolve) => child.on('exit', (code) => resolve(code === 0)));
}

async function describeMachine(url: string): Promise<string> {
  const db = openPool(url, { name: 'bench', max: 1 });
  const [postgres] = await db`
    select current_setting('server_version') as version, current_setting('fsync') as fsync,
      current_setting('synchronous_commit') as commit,
      current_setting('shared_buffers') as buffers,
      coalesce(current_setting('huge_pages_status', true), 'unknown') as huge_pages`;
  await db.end();
  const cores = cpus();
  return [
    `- ${cores.length} cores, ${cores[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GB of memory`,
    `- Node ${process.version}, PostgreSQL ${postgres!.version} (fsync ${postgres!.fsync}, synchronous_commit ${postgres!.commit}, shared_buffers ${postgres!.buffers}, huge pages ${postgres!.huge_pages})`,
    `- commit ${commit()}`,
  ].join('\n');
}

function commit(): string {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8', stdio: 'pipe' }).trim();
  try {
    const changed = git('status', '--porcelain') ? ', with changes that are not committed' : '';
    return git('rev-parse', '--short', 'HEAD') + changed;
  } catch {
    return 'unknown';
  }
}

process.exitCode = await main(process.argv.slice(2));
