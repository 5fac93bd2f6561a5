import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { constants, existsSync, readFileSync, unlinkSync } from 'node:fs';
import { type FileHandle, open, readFile, stat } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { runTool, toolEnvironment } from './binaries.ts';
import type { Cluster } from './cluster.ts';
import { hasCode, isAlive } from './directories.ts';

/** A running server, read from its postmaster.pid. */
export interface Postmaster {
  pid: number;
  port: number;
  /** Whether it accepts connections: false while it starts, recovers or stops. */
  isReady: boolean;
}

/** Finds the cluster's server, started by any process. Ignores the pid file of a dead server. */
export async function findPostmaster({ data }: Cluster): Promise<Postmaster | undefined> {
  const path = join(data, 'postmaster.pid');
  const content = await readFile(path, 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  });
  if (content === undefined) return undefined;
  const [pid, , , port, , , , status] = content.split('\n');
  if (!Number(pid)) {
    // Empty for an instant at every start, and permanently after a power failure.
    const { mtimeMs } = await stat(path);
    if (Date.now() - mtimeMs > 3000) removePidFile(path, content);
    return { pid: 0, port: 0, isReady: false };
  }
  if (!isAlive(Number(pid))) return undefined;
  if (await isServerOf(data, Number(pid))) {
    return { pid: Number(pid), port: Number(port), isReady: status?.trim() === 'ready' };
  }
  // The pid now belongs to another process, and PostgreSQL would refuse to start.
  removePidFile(path, content);
  return undefined;
}

async function isServerOf(data: string, pid: number): Promise<boolean> {
  // On Windows, PostgreSQL starts even if the pid was reused.
  if (process.platform === 'win32') return true;
  if (existsSync('/proc/self/cwd')) {
    try {
      // Compares inodes, since one folder can be mounted at two paths.
      const [workingFolder, dataFolder] = await Promise.all([stat(`/proc/${pid}/cwd`), stat(data)]);
      return workingFolder.ino === dataFolder.ino && workingFolder.dev === dataFolder.dev;
    } catch {
      // In a container, root may be unable to read the working folder of another user's process, but not its arguments.
      const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      return commandLine.split('\0').includes(data);
    }
  }
  const { stdout } = await promisify(execFile)('ps', ['-p', String(pid), '-o', 'comm=']).catch(
    () => ({ stdout: '' }),
  );
  return /postgres/.test(stdout);
}

/** Reads and removes synchronously: another process may be starting the server. */
function removePidFile(path: string, content: string): void {
  try {
    if (readFileSync(path, 'utf8') === content) unlinkSync(path);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}

/** A server process that was started. */
export interface Launch {
  hasEnded: boolean;
  /** The last lines of its log. */
  output(): Promise<string>;
}

/**
 * Starts the server under a guard (guard.ts): a detached process, which stops the server when this process and all
 * others that use it have ended, however they ended.
 */
export async function launch(cluster: Cluster, port?: number): Promise<Launch> {
  const log = await openLog(cluster);
  const from = (await log.stat()).size;
  const launched: Launch = { hasEnded: false, output: () => logTail(cluster, from) };
  const guard = spawn(process.execPath, [guardScript], {
    cwd: cluster.home,
    // Its own process group, so that it does not receive Ctrl-C, nor what ends this group.
    detached: true,
    stdio: ['pipe', log.fd, log.fd],
    windowsHide: true,
  });
  guard.once('exit', () => {
    launched.hasEnded = true;
  });
  guard.once('error', (error) => {
    launched.output = async () => error.message;
    launched.hasEnded = true;
  });
  guard.unref();
  const stdin = guard.stdin as Socket;
  // Its end is how the guard learns that this process has ended.
  stdin.on('error', () => {});
  const task: GuardTask = { cluster, settings: settings(port ?? (await freePort())) };
  stdin.write(`${JSON.stringify(task)}\n`);
  stdin.unref();
  await log.close();
  return launched;
}

const guardScript = fileURLToPath(new URL('guard.ts', import.meta.url));

/** Input of a guard: a line of JSON on its standard input. */
export interface GuardTask {
  cluster: Cluster;
  settings: Record<string, string>;
}

/** Starts the server as a child of this process. Its output goes where that of this process goes. */
export function startServer({ cluster, settings: usual }: GuardTask): ChildProcess {
  const { data, binaries, user } = cluster;
  const args = Object.entries({ ...usual, ...cluster.settings });
  return spawn(
    binaries.postgres,
    ['-D', data, ...args.flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    {
      cwd: data,
      env: toolEnvironment(),
      detached: true,
      stdio: ['ignore', 'inherit', 'inherit'],
      windowsHide: true,
      ...user,
    },
  );
}

function settings(port: number): Record<string, string> {
  const limit = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  const megabytes = Math.min(totalmem(), limit) / 2 ** 20;
  const bufferMegabytes = Math.round(Math.min(512, Math.max(64, megabytes / 8)));
  return {
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '200',
    shared_buffers: `${bufferMegabytes}MB`,
    effective_cache_size: `${Math.max(128, Math.round(megabytes / 2))}MB`,
    random_page_cost: '1.1',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // The caller gets the errors of statements; in the log, their values would be personal data.
    log_min_messages: 'log',
    log_min_error_statement: 'panic',
    log_checkpoints: 'off',
  };
}

/** Finds a free port. The caller retries if it is taken in the meantime. */
async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

const logName = 'log';
const maxLogBytes = 1_000_000;

async function openLog({ home }: Cluster): Promise<FileHandle> {
  const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW } = constants;
  // Undefined on Windows, which counts as 0.
  const log = await open(join(home, logName), O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600);
  // Keeps the log of a few starts, which shows the reason of a crash.
  if ((await log.stat()).size > maxLogBytes) await log.truncate();
  return log;
}

/** The last lines of the server's log after byte `from`. */
export async function logTail({ home }: Cluster, from = 0): Promise<string> {
  const content = await readFile(join(home, logName)).catch(() => Buffer.alloc(0));
  return content.subarray(from).toString('utf8').trim().split('\n').slice(-15).join('\n');
}

const stopTimeoutMs = 60_000;

/**
 * Stops the server, closing its connections, and waits for its end. `pg_ctl stop` would wait for the next one as well,
 * which another process may start at once.
 */
export async function shutDown(cluster: Cluster): Promise<void> {
  const { data, binaries, user } = cluster;
  const postmaster = await findPostmaster(cluster);
  if (!postmaster) return;
  const isRunning = async () => (await findPostmaster(cluster))?.pid === postmaster.pid;
  try {
    await runTool(binaries.pgCtl, ['kill', 'INT', String(postmaster.pid)], { cwd: data, user });
  } catch (error) {
    // It may have ended just before.
    if (await isRunning()) throw error;
  }
  const deadline = performance.now() + stopTimeoutMs;
  while (await isRunning()) {
    if (performance.now() > deadline) {
      throw new Error(`PostgreSQL did not stop within ${stopTimeoutMs / 1000} s.`);
    }
    await sleep(20);
  }
}
