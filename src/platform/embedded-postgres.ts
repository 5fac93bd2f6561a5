import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDatabaseUnavailable } from './db.ts';
import { type Cluster, openCluster, rolePassword } from './embedded-postgres/cluster.ts';
import {
  type Connection,
  connectTo,
  acquireLock,
  prepareDatabase,
  releaseLock,
} from './embedded-postgres/sharing.ts';
import {
  findPostmaster,
  logTail,
  type Launch,
  launch,
  shutDown,
} from './embedded-postgres/server.ts';

export interface EmbeddedPostgres {
  /** Connection URL of the database, for a role that owns it and may create others. */
  url: string;
  /** Leaves the cluster; the last process to leave stops it. */
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  /** Holds the cluster as `postgres`: a folder, or a link to one that the server can reach. */
  dataDir: string;
  /** Default: petitions. */
  database?: string;
  /** Additional PostgreSQL settings. Those of the process that starts the server apply. */
  settings?: Record<string, string>;
  log?: (line: string) => void;
}

/** How long to wait for the server, including crash recovery. */
const startTimeoutMs = 60_000;
const role = 'petitions';

/**
 * Starts the PostgreSQL of the optional dependency `@embedded-postgres/*` on a data directory, or joins the server
 * that another process has started there.
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { dataDir, database = 'petitions', settings = {}, log = () => {} } = options;
  const cluster = await openCluster(dataDir, settings);
  const password = rolePassword(cluster, role);
  const stopping = new AbortController();
  const aborted = once(stopping.signal, 'abort');
  let connection = await join(cluster, stopping.signal);
  const { port } = connection;
  try {
    await prepareDatabase(connection, { role, password, database });
  } catch (error) {
    await leave(cluster, connection);
    throw error;
  }

  const keepJoined = async () => {
    while (!stopping.signal.aborted) {
      // The server must not keep this process alive.
      connection.background();
      await Promise.race([connection.lost, aborted]);
      if (stopping.signal.aborted) return;
      await connection.close();
      connection = (await joinAgain(cluster, stopping.signal, { port, log })) ?? connection;
    }
  };
  const joined = keepJoined();
  const stop = async () => {
    stopping.abort();
    await joined;
    await leave(cluster, connection);
  };
  let stopped: Promise<void> | undefined;
  log(`PostgreSQL on port ${port}, its data in ${cluster.data}`);
  return {
    url: `postgres://${role}:${password}@127.0.0.1:${port}/${encodeURIComponent(database)}`,
    stop: () => (stopped ??= stop()),
  };
}

/** Retries until it has joined, if possible on the same port, since callers have the URL. */
async function joinAgain(
  cluster: Cluster,
  signal: AbortSignal,
  { port, log }: { port: number; log: (line: string) => void },
): Promise<Connection | undefined> {
  log('The connection to the embedded PostgreSQL broke; joining it again.');
  while (!signal.aborted) {
    try {
      const connection = await join(cluster, signal, port);
      if (connection.port !== port) {
        log(
          `The embedded PostgreSQL moved to port ${connection.port}: this process must be restarted.`,
        );
      }
      return connection;
    } catch (error) {
      if (signal.aborted) break;
      log(`The embedded PostgreSQL can't be joined: ${(error as Error).message}`);
      await sleep(5000, undefined, { ref: false, signal }).catch(() => {});
    }
  }
  return undefined;
}

// Temporary reasons for a failed start: another process started or stopped the server at the same moment, or children
// of a killed server still run.
const temporaryFailure =
  /lock file .* already exists|is still in use|received \w+ shutdown request/;
const portTaken = /could not create any TCP/;

/** Finds or starts the server, and returns a connection that holds the lock of the cluster. */
async function join(cluster: Cluster, signal: AbortSignal, port?: number): Promise<Connection> {
  const deadline = Date.now() + startTimeoutMs;
  let preferredPort = port;
  let server: Launch | undefined;
  while (Date.now() < deadline) {
    const postmaster = await findPostmaster(cluster);
    if (postmaster?.isReady) {
      const connection = await connectTo(cluster, postmaster.port);
      if (connection && (await acquireLock(connection))) return connection;
      await connection?.close();
    } else if (!postmaster && server?.hasEnded) {
      const output = await server.output();
      if (!temporaryFailure.test(output) && !portTaken.test(output)) {
        throw new Error(`PostgreSQL did not start:\n${output}`);
      }
      server = undefined;
      if (portTaken.test(output)) preferredPort = undefined;
      await sleep(100, undefined, { signal });
    } else if (!postmaster && !server) {
      server = await launch(cluster, preferredPort);
    }
    await sleep(20, undefined, { signal });
  }
  throw new Error(
    `PostgreSQL was not ready after ${startTimeoutMs / 1000} s:\n${await logTail(cluster)}`,
  );
}

async function leave(cluster: Cluster, connection: Connection): Promise<void> {
  connection.foreground();
  try {
    if (await releaseLock(connection)) await shutDown(cluster);
  } catch (error) {
    if (!isDatabaseUnavailable(error)) throw error;
    await leaveOnNewConnection(cluster);
  } finally {
    await connection.close();
  }
}

/** Leaves after the connection was lost. The server may release its lock late, so this retries for a second. */
async function leaveOnNewConnection(cluster: Cluster): Promise<void> {
  for (let tries = 0; tries < 20; tries += 1) {
    const postmaster = await findPostmaster(cluster);
    if (!postmaster) return;
    const connection = postmaster.isReady ? await connectTo(cluster, postmaster.port) : undefined;
    try {
      if (connection && (await releaseLock(connection))) return await shutDown(cluster);
    } finally {
      await connection?.close();
    }
    await sleep(50);
  }
}
