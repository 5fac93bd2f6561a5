import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../support/eventually.ts';

/** The account of the servers; PostgreSQL refuses to run as root. */
export interface Account {
  uid: number;
  gid: number;
  user: string;
  group: string;
}

/** Finds the account: Debian's `postgres` if the tests run as root, otherwise the user of the tests. */
export function findAccount(): Account {
  const asRoot = process.getuid?.() === 0;
  const { uid, gid } = asRoot
    ? { uid: idOf('-u', 'postgres'), gid: idOf('-g', 'postgres') }
    : userInfo();
  return { uid, gid, user: nameOf('-un', uid), group: nameOf('-gn', uid) };
}

const ask = (...args: string[]) => spawnSync('id', args, { encoding: 'utf8' }).stdout.trim();
const idOf = (option: string, user: string) => Number(ask(option, user));
const nameOf = (option: string, uid: number) => ask(option, String(uid));

/** Creates a temporary folder of the account. FAILOVER_KEEP=1 keeps it with the logs of all servers. */
export async function makeFolder(account: Account): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'failover-'));
  await chmod(path, 0o755);
  await chown(path, account.uid, account.gid);
  const remove = async () => {
    if (process.env.FAILOVER_KEEP)
      process.stdout.write(`The servers' folder is ${path}
`);
    else await rm(path, { recursive: true, force: true, maxRetries: 5 });
  };
  return { path, [Symbol.asyncDispose]: remove };
}

/** Writes a file that only the account can read. */
export async function writeOwned(account: Account, path: string, text: string): Promise<void> {
  await writeFile(path, text, { mode: 0o600 });
  await chown(path, account.uid, account.gid);
}

const killsAtExit = new Set<() => void>();
process.on('exit', () => {
  for (const kill of killsAtExit) kill();
});

/** Registers a kill for the case that this process exits early. */
export function killAtExit(kill: () => void): Disposable {
  killsAtExit.add(kill);
  return { [Symbol.dispose]: () => void killsAtExit.delete(kill) };
}

/** Returns the pid of the postmaster of a data directory, if it runs. */
function findPostmaster(dataDir: string): number | undefined {
  const file = join(dataDir, 'postmaster.pid');
  if (!existsSync(file)) return undefined;
  const [pid] = readFileSync(file, 'utf8').split('\n');
  // The file outlives a killed postmaster, whose pid may be reused.
  const commandLine = `/proc/${pid}/cmdline`;
  const isPostmaster =
    existsSync(commandLine) && readFileSync(commandLine, 'utf8').includes(dataDir);
  return isPostmaster ? Number(pid) : undefined;
}

/** Kills the postmaster of a data directory, if it runs, with SIGKILL. */
export function killPostmaster(dataDir: string): void {
  const pid = findPostmaster(dataDir);
  if (pid) process.kill(pid, 'SIGKILL');
}

/** Stops the server of a data directory immediately. Unlike SIGKILL, this leaves no shared memory. */
export async function stopPostmaster(dataDir: string): Promise<void> {
  const pid = findPostmaster(dataDir);
  if (!pid) return;
  process.kill(pid, 'SIGQUIT');
  await eventually(() => findPostmaster(dataDir) === undefined, 30_000);
}

interface DaemonOptions {
  command: string;
  args: string[];
  account: Account;
  /** Its working folder, also for its log. */
  folder: string;
  name: string;
  env?: Record<string, string>;
}

/** A server process that can be killed and restarted. */
export class Daemon implements AsyncDisposable {
  readonly #options: DaemonOptions;
  #child: ChildProcess | undefined;
  #exited: Promise<void> = Promise.resolve();
  readonly #atExit = killAtExit(() => void this.#child?.kill('SIGKILL'));

  constructor(options: DaemonOptions) {
    this.#options = options;
  }

  get #logPath(): string {
    return join(this.#options.folder, `${this.#options.name}.log`);
  }

  start(): void {
    const { command, args, account, folder, env } = this.#options;
    const log = openSync(this.#logPath, 'a');
    const child = spawn(command, args, {
      cwd: folder,
      uid: account.uid,
      gid: account.gid,
      env: { PATH: process.env.PATH, HOME: folder, LC_ALL: 'C.UTF-8', ...env },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    this.#child = child;
    this.#exited = new Promise((resolve) => {
      child.once('exit', () => resolve());
      child.once('error', () => resolve());
    });
  }

  get isRunning(): boolean {
    return this.#child?.exitCode === null && this.#child.signalCode === null;
  }

  /** Sends the signal, and waits for the end of the process. */
  async kill(signal: 'SIGKILL' | 'SIGTERM' | 'SIGQUIT' | 'SIGINT' = 'SIGKILL'): Promise<void> {
    this.#child?.kill(signal);
    await this.#exited;
  }

  /** The last lines of its log. */
  logTail(lines = 15): string {
    return readFileSync(this.#logPath, 'utf8').split('\n').slice(-lines).join('\n');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    this.#atExit[Symbol.dispose]();
  }
}
