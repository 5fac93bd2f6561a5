import { spawn, type ChildProcess } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import type { Service } from './service.ts';

export interface ServiceProcess extends AsyncDisposable {
  origin: string;
  pid: number;
  /** Whether it has not ended. */
  isAlive(): boolean;
  /** Sends a signal and gives the exit code, or the signal that ended it. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | string | null>;
  /** All that it has written. */
  output(): string;
}

/** Settings of a process on the same database as this service. */
export const sharedSettings = ({ ctx, databaseUrl }: Service) => ({
  DATABASE_URL: databaseUrl,
  DATA_DIR: ctx.config.dataDir,
  BASE_URL: ctx.config.baseUrl,
  SECRET: ctx.config.secret,
  RATE_LIMITS: 'off',
});

/** A port that is free at the moment. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Starts the service as a process of its own, and waits until it is ready. */
export async function startProcess(
  env: Record<string, string>,
  port?: number,
  /** The folder of another version of the service. */
  cwd?: string,
): Promise<ServiceProcess> {
  const listenOn = port ?? (await freePort());
  // The code that the first process of a test run compiled is reused.
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(process.execPath, ['src/main.ts'], {
    env: { PATH, NODE_COMPILE_CACHE, LOG_LEVEL: 'error', PORT: String(listenOn), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd,
  });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (output += chunk));
  const exited = new Promise<number | string | null>((resolve) =>
    child.once('exit', (code, signal) => resolve(signal ?? code)),
  );
  await ready(child, () => output);
  const end = (signal: 'SIGTERM' | 'SIGKILL') => {
    child.kill(signal);
    return exited;
  };
  return {
    origin: `http://127.0.0.1:${listenOn}`,
    pid: child.pid!,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    end,
    output: () => output,
    [Symbol.asyncDispose]: async () => void (await end('SIGKILL')),
  };
}

function ready(child: ChildProcess, output: () => string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.stdout!.on('data', () => {
      if (output().includes('Ready')) resolve();
    });
    child.once('exit', () => reject(new Error(`it ended: ${output()}`)));
  });
}
