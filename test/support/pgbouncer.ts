import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './eventually.ts';
import { freePort } from './process.ts';

export interface Pgbouncer extends AsyncDisposable {
  /** The database's address through the pooler. */
  url: string;
}

/** Returns why PgBouncer cannot run here, or undefined if it can. */
export function whyNoPgbouncer(): string | undefined {
  try {
    execFileSync('pgbouncer', ['--version'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'PgBouncer is not installed (on Debian: apt-get install pgbouncer)';
  }
}

/** Starts PgBouncer in transaction mode in front of the server. */
export async function startPgbouncer(databaseUrl: string): Promise<Pgbouncer> {
  const { hostname, port, username, password } = new URL(databaseUrl);
  const directory = await mkdtemp(join(tmpdir(), 'petitions-pgbouncer-'));
  await chmod(directory, 0o755);
  const listenPort = await freePort();
  const configPath = join(directory, 'pgbouncer.ini');
  const server = [
    `host=${hostname} port=${port || 5432} user=${decodeURIComponent(username)}`,
    ...(password ? [`password=${decodeURIComponent(password)}`] : []),
  ].join(' ');
  const config = [
    '[databases]',
    `* = ${server}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${listenPort}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    'max_client_conn = 300',
    'default_pool_size = 20',
  ];
  await writeFile(configPath, config.join('\n'), { mode: 0o644 });
  // It refuses to run as root.
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const child = spawn('pgbouncer', [configPath], { stdio: 'ignore', ...user });
  const exited = once(child, 'exit');
  await eventually(() => accepts(listenPort), 10_000);
  const pooled = new URL(databaseUrl);
  pooled.host = `127.0.0.1:${listenPort}`;
  return {
    url: pooled.href,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exited;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
