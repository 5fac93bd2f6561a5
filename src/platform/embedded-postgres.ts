import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { isConnectionError } from './db.ts';
import { type Cluster, openCluster, rolePassword } from './embedded-postgres/cluster.ts';
import {
  type Connection,
  connectTo,
  hold,
  prepareDatabase,
  releaseAsLast,
} from './embedded-postgres/sharing.ts';
import {
  findPostmaster,
  lastLines,
  type Launch,
  launch,
  shutDown,
} from './embedded-postgres/server.ts';

export interface EmbeddedPostgres {
  /** Connection URL of the database in the cluster, for a role that owns it and may create others. */
  url: string;
  /** Leaves the cluster; the last process to leave stops it. */
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  /** Where the cluster is kept, as `postgres`: a folder, or a link to one that the server can reach. */
  dataDir: string;
  /** Default: petitions. */
  database?: string;
  /** Extra PostgreSQL settings; those of the process that starts the server count. */
  settings?: Record<string, string>;
  log?: (line: string) => void;
}

/** Crash recovery is waited for that long. */
const patience = 60_000;
const role = 'petitions';

/**
 * Runs the PostgreSQL of the optional dependency `@embedded-postgres/*` on a data directory, or
 * joins the one that another process, living or killed, has running there.
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { dataDir, database = 'petitions', settings = {}, log = () => {} } = options;
  const cluster = await openCluster(dataDir, settings);
  const password = rolePassword(cluster, role);
  const leaving = new AbortController();
  const aborted = once(leaving.signal, 'abort');
  let connection = await join(cluster, leaving.signal);
  const { port } = connection;
  try {
    await prepareDatabase(connection, { role, password, database });
  } catch (error) {
    await leave(cluster, connection);
    throw error;
  }

  const stay = async () => {
    while (!leaving.signal.aborted) {
      // The server alone is no reason to keep this process.
      connection.background();
      await Promise.race([connection.lost, aborted]);
      if (leaving.signal.aborted) return;
      await connection.close();
      connection = (await joinAgain(cluster, leaving.signal, { port, log })) ?? connection;
    }
  };
  const staying = stay();
  const stop = async () => {
    leaving.abort();
    await staying;
    await leave(cluster, connection);
  };
  let stopped: Promise<void> | undefined;
  log(`PostgreSQL on port ${port}, its data in ${cluster.data}`);
  return {
    url: `postgres://${role}:${password}@127.0.0.1:${port}/${encodeURIComponent(database)}`,
    stop: () => (stopped ??= stop()),
  };
}

/** Joins until it succeeds, where possible on the same port, since the URL was given out. */
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

// A server that ended so is worth another try: another process started one at the same moment, was
// stopping it, or took the port; or children of a killed one have not yet noticed.
const passing = /lock file .* already exists|is still in use|received \w+ shutdown request/;
const portTaken = /could not create any TCP/;

/** Ends with a connection that holds the cluster, on a server found or started. */
async function join(cluster: Cluster, signal: AbortSignal, port?: number): Promise<Connection> {
  const deadline = Date.now() + patience;
  let wanted = port;
  let server: Launch | undefined;
  while (Date.now() < deadline) {
    const postmaster = await findPostmaster(cluster);
    if (postmaster?.ready) {
      const connection = await connectTo(cluster, postmaster.port);
      if (connection && (await hold(connection))) return connection;
      await connection?.close();
    } else if (!postmaster && server?.ended) {
      const said = await server.said();
      if (!passing.test(said) && !portTaken.test(said)) {
        throw new Error(`PostgreSQL did not start:\n${said}`);
      }
      server = undefined;
      if (portTaken.test(said)) wanted = undefined;
      await sleep(100, undefined, { signal });
    } else if (!postmaster && !server) {
      server = await launch(cluster, wanted);
    }
    await sleep(20, undefined, { signal });
  }
  throw new Error(
    `PostgreSQL was not ready after ${patience / 1000} s:\n${await lastLines(cluster)}`,
  );
}

async function leave(cluster: Cluster, connection: Connection): Promise<void> {
  connection.foreground();
  try {
    if (await releaseAsLast(connection)) await shutDown(cluster);
  } catch (error) {
    if (!isConnectionError(error)) throw error;
    await leaveAnew(cluster);
  } finally {
    await connection.close();
  }
}

/** Leaves when the connection is gone: its lock may live on for a moment, so a few tries. */
async function leaveAnew(cluster: Cluster): Promise<void> {
  for (let tries = 0; tries < 20; tries += 1) {
    const postmaster = await findPostmaster(cluster);
    if (!postmaster) return;
    const connection = postmaster.ready ? await connectTo(cluster, postmaster.port) : undefined;
    try {
      if (connection && (await releaseAsLast(connection))) return await shutDown(cluster);
    } finally {
      await connection?.close();
    }
    await sleep(50);
  }
}
