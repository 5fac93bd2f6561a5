import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openPool } from '../../src/platform/db.ts';
import {
  type Cluster,
  openCluster,
  rolePassword,
} from '../../src/platform/embedded-postgres/cluster.ts';
import {
  findPostmaster,
  logTail,
  launch,
  shutDown,
} from '../../src/platform/embedded-postgres/server.ts';
import { migrate } from '../../src/platform/migrate.ts';
import { eventually } from './eventually.ts';
import { openTestPool } from './load.ts';
import { freePort } from './process.ts';

/** A PostgreSQL server of a test's own, that the test alone starts and stops. */
export interface TestCluster extends AsyncDisposable {
  port: number;
  /** The folder that holds the data directory. */
  home: string;
  /** The database of a service, for a role that owns it and is no superuser. */
  url: string;
  /** The same database, for the superuser. */
  superuserUrl: string;
  /** Number of the postmaster. */
  pid(): Promise<number>;
  start(): Promise<void>;
  /** Stops it cleanly and cuts its connections. */
  stop(): Promise<void>;
}

const role = 'petitions';
const quick = {
  fsync: 'off',
  shared_buffers: '32MB',
  // Another test's stopped server is not waited for.
  wal_sender_timeout: '5s',
};

interface ClusterOptions {
  settings?: Record<string, string>;
  /** Where its folder is made. */
  parent?: string;
}

/** Makes a cluster with an empty database of the role of a service, migrated, and starts it. */
export async function startCluster(options: ClusterOptions = {}): Promise<TestCluster> {
  const folder = await makeFolder(options.parent);
  const cluster = await runningCluster(folder, options.settings);
  const db = openPool(databaseOf(cluster.superuserUrl, 'postgres'), { name: 'test', max: 1 });
  try {
    const { password } = new URL(cluster.url);
    await db.unsafe(`create role ${role} login createdb password '${password}'`);
    await db.unsafe(`create database ${role} owner ${role}`);
  } finally {
    await db.end();
  }
  await migrate(cluster.url);
  return cluster;
}

/**
 * Makes a hot standby that streams from a cluster, and starts both. The cluster is stopped cleanly while
 * its files are copied.
 */
export async function startStandby(primary: TestCluster): Promise<TestCluster> {
  const folder = await makeFolder();
  await primary.stop();
  await promisify(execFile)('cp', ['-a', primary.home, join(folder, 'postgres')]);
  await primary.start();
  await writeFile(join(folder, 'postgres/data/standby.signal'), '');
  const { port, username, password } = new URL(primary.superuserUrl);
  return runningCluster(folder, {
    primary_conninfo: `host=127.0.0.1 port=${port} user=${username} password=${password}`,
    wal_retrieve_retry_interval: '200ms',
  });
}

/** Waits until the standby shows what the primary has committed. */
export async function caughtUp(primary: TestCluster, standby: TestCluster): Promise<void> {
  await using from = openTestPool(primary.superuserUrl);
  await using to = openTestPool(standby.superuserUrl);
  const [row] = await from.db`select pg_current_wal_flush_lsn()::text as lsn`;
  await eventually(async () => {
    const [replayed] = await to.db`
      select pg_last_wal_replay_lsn() >= ${row!.lsn as string}::pg_lsn as is_there`;
    return replayed?.is_there === true;
  }, 10_000);
}

async function makeFolder(parent = tmpdir()): Promise<string> {
  const folder = await mkdtemp(join(parent, 'petitions-cluster-'));
  // The server runs as another user where the tests run as root.
  await chmod(folder, 0o755);
  return folder;
}

async function runningCluster(
  folder: string,
  settings: Record<string, string> = {},
): Promise<TestCluster> {
  const cluster = await openCluster(folder, { ...quick, ...settings });
  const port = await freePort();
  const address = (name: string) =>
    `postgres://${name}:${rolePassword(cluster, name)}@127.0.0.1:${port}/${role}`;
  const postmaster = async () => (await findPostmaster(cluster))?.pid ?? 0;
  await startServer(cluster, port);
  return {
    port,
    home: cluster.home,
    url: address(role),
    superuserUrl: address('postgres'),
    pid: postmaster,
    start: () => startServer(cluster, port),
    stop: () => shutDown(cluster),
    async [Symbol.asyncDispose]() {
      const pid = await postmaster();
      if (pid) process.kill(pid, 'SIGQUIT');
      await eventually(async () => !(await postmaster()), 10_000);
      await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}

async function startServer(cluster: Cluster, port: number): Promise<void> {
  const server = await launch(cluster, port);
  await eventually(async () => {
    if (server.hasEnded) throw new Error(`PostgreSQL did not start:\n${await server.output()}`);
    return (await findPostmaster(cluster))?.isReady ?? false;
  }, 30_000).catch(async (error: unknown) => {
    throw new Error(`${String(error)}\n${await logTail(cluster)}`, { cause: error });
  });
}

const databaseOf = (url: string, name: string): string =>
  Object.assign(new URL(url), { pathname: `/${name}` }).href;
