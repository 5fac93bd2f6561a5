import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openPool } from '../../src/platform/db.ts';
import { type Binaries, runTool } from '../../src/platform/embedded-postgres/binaries.ts';
import {
  type Cluster,
  openCluster,
  rolePassword,
} from '../../src/platform/embedded-postgres/cluster.ts';
import { serverUser } from '../../src/platform/embedded-postgres/directories.ts';
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

/** A PostgreSQL server of a single test, which starts and stops it. */
export interface TestCluster extends AsyncDisposable {
  port: number;
  /** The folder that holds the data directory. */
  home: string;
  /** Address of the service's database, for its owner, who is no superuser. */
  url: string;
  /** The same database, for the superuser. */
  superuserUrl: string;
  /** The pid of the postmaster; 0 if it does not run. */
  pid(): Promise<number>;
  start(): Promise<void>;
  /** Stops it cleanly and closes its connections. */
  stop(): Promise<void>;
}

const role = 'petitions';
const defaultSettings = {
  fsync: 'off',
  shared_buffers: '32MB',
  // Does not wait for the stopped server of another test.
  wal_sender_timeout: '5s',
};

interface ClusterOptions {
  settings?: Record<string, string>;
  /** Parent of its folder. */
  parent?: string;
}

/** Creates and starts a cluster with a role and a migrated, empty database for the service. */
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

/** Creates and starts a streaming hot standby of a cluster, which is stopped while its files are copied. */
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

/** Waits until the standby has replayed all commits of the primary. */
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
  // The server runs as another user if the tests run as root.
  await chmod(folder, 0o755);
  return folder;
}

async function runningCluster(
  folder: string,
  settings: Record<string, string> = {},
): Promise<TestCluster> {
  const cluster = await openCluster(folder, { ...defaultSettings, ...settings });
  return run(cluster, folder);
}

/** Creates and starts a cluster of a PostgreSQL of this machine. It has the databases of initdb only. */
export async function startInstalledCluster(binaries: Binaries): Promise<TestCluster> {
  const home = await makeFolder();
  const data = join(home, 'data');
  const user = await serverUser(data);
  const secret = randomBytes(32).toString('base64url');
  const passwordFile = join(home, 'initdb-password');
  await writeFile(passwordFile, rolePassword({ secret }, 'postgres'), { mode: 0o600 });
  await mkdir(data, { mode: 0o700 });
  if (user) {
    await chown(passwordFile, user.uid, user.gid);
    await chown(data, user.uid, user.gid);
  }
  const options = [
    `--pgdata=${data}`,
    '--username=postgres',
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--no-sync',
    '--no-instructions',
  ];
  await runTool(binaries.initdb, options, { cwd: home, user });
  const cluster = { home, data, secret, binaries, user, settings: defaultSettings };
  return run(cluster, home, 'postgres');
}

/** Starts a cluster, whose folder is removed at the end. */
async function run(cluster: Cluster, folder: string, database = role): Promise<TestCluster> {
  const port = await freePort();
  const address = (name: string) =>
    `postgres://${name}:${rolePassword(cluster, name)}@127.0.0.1:${port}/${database}`;
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
