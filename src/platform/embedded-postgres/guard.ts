import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { findPostmaster, type GuardTask, shutDown, startServer } from './server.ts';
import { connectTo, isUnused } from './sharing.ts';
import type { Cluster } from './cluster.ts';

/*
 * The process between a PostgreSQL and the process that started it. A process that is killed cannot stop its server, so
 * this one waits for the end of its standard input, which the other process holds, and then until no process uses the
 * server any more.
 */

/** How often it looks whether other processes use the server. */
const checkIntervalMs = 500;

/** Resolves when no process holds the lock of the cluster. Tries again after errors: no other process would stop the server. */
async function unused(cluster: Cluster): Promise<void> {
  while (!(await takeLock(cluster).catch(() => false))) await sleep(checkIntervalMs);
}

/** Takes the lock of the cluster if no process holds it. No other can join from then on. */
async function takeLock(cluster: Cluster): Promise<boolean> {
  const postmaster = await findPostmaster(cluster);
  const connection = postmaster?.isReady && (await connectTo(cluster, postmaster.port));
  if (!connection) return false;
  const isFree = await isUnused(connection).catch(() => false);
  if (!isFree) await connection.close();
  return isFree;
}

// What ends the other processes of a service does not end the guard.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

const lines = createInterface({ input: process.stdin });
const released = once(lines, 'close');
const [line] = (await once(lines, 'line')) as [string];
const task = JSON.parse(line) as GuardTask;
const server = startServer(task);
server.once('error', (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
server.once('exit', (code) => process.exit(code ?? 1));
await released;
await unused(task.cluster);
await shutDown(task.cluster);
