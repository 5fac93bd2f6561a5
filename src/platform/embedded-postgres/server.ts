import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, existsSync, readFileSync, unlinkSync } from 'node:fs';
import { type FileHandle, open, readFile, stat } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { runTool, toolEnvironment } from './binaries.ts';
import type { Cluster } from './cluster.ts';
import { hasCode, isAlive } from './places.ts';

/** A running server, as its postmaster.pid tells. */
export interface Postmaster {
  pid: number;
  port: number;
  /** Whether it takes connections: not while it starts, recovers or stops. */
  ready: boolean;
}

/** Looks for the cluster's server, whoever started it; a pid file left by a dead one is no server. */
export async function findPostmaster({ data }: Cluster): Promise<Postmaster | undefined> {
  const path = join(data, 'postmaster.pid');
  const content = await readFile(path, 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  });
  if (content === undefined) return undefined;
  const [pid, , , port, , , , status] = content.split('\n');
  if (!Number(pid)) {
    // Empty for an instant at every start, for good after a power cut.
    const { mtimeMs } = await stat(path);
    if (Date.now() - mtimeMs > 3000) removePidFile(path, content);
    return { pid: 0, port: 0, ready: false };
  }
  if (!isAlive(Number(pid))) return undefined;
  if (await isServerOf(data, Number(pid))) {
    return { pid: Number(pid), port: Number(port), ready: status?.trim() === 'ready' };
  }
  // The number now belongs to another process, and PostgreSQL would refuse to start.
  removePidFile(path, content);
  return undefined;
}

async function isServerOf(data: string, pid: number): Promise<boolean> {
  // PostgreSQL for Windows does not mind a number that was given anew.
  if (process.platform === 'win32') return true;
  if (existsSync('/proc/self/cwd')) {
    try {
      // Compared by number: one folder can be mounted at two paths.
      const [works, here] = await Promise.all([stat(`/proc/${pid}/cwd`), stat(data)]);
      return works.ino === here.ino && works.dev === here.dev;
    } catch {
      // Root in a container may not read where another user's process works, but how it was called.
      const call = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      return call.split('\0').includes(data);
    }
  }
  const { stdout } = await promisify(execFile)('ps', ['-p', String(pid), '-o', 'comm=']).catch(
    () => ({ stdout: '' }),
  );
  return /postgres/.test(stdout);
}

/** Without a pause between look and removal: another process may be starting the server. */
function removePidFile(path: string, content: string): void {
  try {
    if (readFileSync(path, 'utf8') === content) unlinkSync(path);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}

/** A server process that was started. */
export interface Launch {
  ended: boolean;
  /** The last lines of what it logged. */
  said(): Promise<string>;
}

/** Starts the server; it outlives this process, which need not wait for it to end. */
export async function launch(cluster: Cluster, port?: number): Promise<Launch> {
  const { data, binaries, user } = cluster;
  const args = Object.entries({ ...settings(port ?? (await freePort())), ...cluster.settings });
  const log = await openLog(cluster);
  const from = (await log.stat()).size;
  const launched: Launch = { ended: false, said: () => lastLines(cluster, from) };
  const server = spawn(
    binaries.postgres,
    ['-D', data, ...args.flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    {
      cwd: data,
      env: toolEnvironment(),
      // In a process group of its own Ctrl-C does not reach it.
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
      windowsHide: true,
      ...user,
    },
  );
  server.once('exit', () => {
    launched.ended = true;
  });
  server.once('error', (error) => {
    launched.said = async () => error.message;
    launched.ended = true;
  });
  server.unref();
  await log.close();
  return launched;
}

function settings(port: number): Record<string, string> {
  const limit = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  const megabytes = Math.min(totalmem(), limit) / 2 ** 20;
  const buffers = Math.round(Math.min(512, Math.max(64, megabytes / 8)));
  return {
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '200',
    shared_buffers: `${buffers}MB`,
    effective_cache_size: `${Math.max(128, Math.round(megabytes / 2))}MB`,
    random_page_cost: '1.1',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // Failed statements are told to the caller; in the log their values would be people's data.
    log_min_messages: 'log',
    log_min_error_statement: 'panic',
    log_checkpoints: 'off',
  };
}

/** A port that is free now; the caller tries again when it was taken in between. */
async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

const logName = 'log';
const logLimit = 1_000_000;

async function openLog({ home }: Cluster): Promise<FileHandle> {
  const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW } = constants;
  // Windows has no O_NOFOLLOW; undefined counts as 0.
  const log = await open(join(home, logName), O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600);
  // Kept over a few starts: after a crash it tells why.
  if ((await log.stat()).size > logLimit) await log.truncate();
  return log;
}

/** The end of the server's log, of what was written after that many bytes. */
export async function lastLines({ home }: Cluster, from = 0): Promise<string> {
  const content = await readFile(join(home, logName)).catch(() => Buffer.alloc(0));
  return content.subarray(from).toString('utf8').trim().split('\n').slice(-15).join('\n');
}

/** Stops the server, cutting its connections, and waits until it has. */
export async function shutDown(cluster: Cluster): Promise<void> {
  const { data, binaries, user } = cluster;
  const args = ['stop', '--pgdata', data, '--mode=fast', '--wait', '--timeout=60', '--silent'];
  try {
    await runTool(binaries.pgCtl, args, { cwd: data, user });
  } catch (error) {
    // It may have ended by itself just before.
    if (await findPostmaster(cluster)) throw error;
  }
}
