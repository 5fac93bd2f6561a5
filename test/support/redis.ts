import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './eventually.ts';
import { freePort } from './process.ts';

export const hasRedis = spawnSync('redis-server', ['--version']).status === 0;

/** A Redis of its own. */
export interface RedisServer extends AsyncDisposable {
  url: string;
  freeze(): void;
  thaw(): void;
}

/** Starts a Redis with these further settings, such as `--maxmemory`. */
export async function startRedis(settings: string[] = []): Promise<RedisServer> {
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'petitions-redis-'));
  const server = spawn(
    'redis-server',
    ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder, ...settings],
    { stdio: 'ignore' },
  );
  const exited = once(server, 'exit');
  await eventually(() => isListening(port), 10_000);
  return {
    url: `redis://127.0.0.1:${port}`,
    freeze: () => void server.kill('SIGSTOP'),
    thaw: () => void server.kill('SIGCONT'),
    async [Symbol.asyncDispose]() {
      server.kill('SIGKILL');
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const connected = await Promise.race([
    once(socket, 'connect').then(() => true),
    once(socket, 'error').then(() => false),
  ]).catch(() => false);
  socket.destroy();
  return connected;
}
