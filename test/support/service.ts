import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp, type App } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { createContext, createLogger } from '../../src/context.ts';
import type { Context } from '../../src/platform/context.ts';
import { Client } from './client.ts';
import { Contract } from './contract.ts';
import { createTestDatabase } from './database.ts';

export interface Service extends AsyncDisposable {
  ctx: Context;
  app: App;
  databaseUrl: string;
  /** Origin of its HTTP address. */
  origin: string;
  contract: Contract;
  /** Calls without credentials. */
  api: Client;
  /** Advances the service's clock. */
  advanceClock(milliseconds: number): void;
  /** The mails written so far, oldest first. */
  mails(): Promise<string[]>;
  /** The texts sent so far, oldest first. */
  texts(): Promise<{ to: string; text: string }[]>;
}

export const admin = { email: 'admin@example.org', password: 'an administrator' };

/** Key of the signatures of the tests' payment provider. */
export const paymentSecret = 'a secret that the provider shares';

/** Token of delivery reports. */
export const bounceToken = 'a token of the mail provider';

interface ServiceOptions {
  env?: Record<string, string>;
  /** Receives the lines of the log instead of standard output. */
  log?: string[];
  /** Whether to run jobs. */
  worker?: boolean;
  /** Shares the database of this service, as another process. */
  beside?: Service;
  /** A migrated database to use instead of a new one. */
  databaseUrl?: string;
  /** The port to listen on; sets BASE_URL to that address, for clients that follow links. */
  port?: number;
  /** Replacements of parts of the context. */
  parts?: Partial<Pick<Context, 'log' | 'now' | 'httpClient' | 'searchEngines'>>;
}

/** Starts the whole service in this process, with its own database and folder. */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const stack = new AsyncDisposableStack();
  const databaseUrl =
    options.databaseUrl ?? options.beside?.databaseUrl ?? stack.use(await createTestDatabase()).url;
  const dataDir = await mkdtemp(join(tmpdir(), 'petitions-service-'));
  await chmod(dataDir, 0o755);
  stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  const config = readConfig({
    NODE_ENV: 'test',
    DATABASE_URL: databaseUrl,
    DATA_DIR: dataDir,
    BASE_URL: options.port ? `http://127.0.0.1:${options.port}` : 'http://petitions.test',
    SECRET: 'a secret that only tests know, of more than 32 bytes',
    PAYMENT_SECRET: paymentSecret,
    MAIL_BOUNCE_TOKEN: bounceToken,
    ADMIN_EMAIL: admin.email,
    ADMIN_PASSWORD: admin.password,
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'error',
    ...options.env,
  });
  let advancedMs = 0;
  const { log: lines } = options;
  const ctx = stack.use(
    await createContext(config, databaseUrl, {
      now: () => new Date(Date.now() + advancedMs),
      ...options.parts,
      ...(lines && { log: createLogger(config, { write: (line) => void lines.push(line) }) }),
    }),
  );
  const app = createApp(ctx);
  await app.start();
  stack.defer(() => app.stop());
  const server = await app.buildServer();
  await server.listen({ port: options.port ?? 0, host: '127.0.0.1' });
  stack.defer(() => server.close());
  if (options.worker) {
    const worker = await app.startWorker(databaseUrl);
    stack.defer(() => worker.stop());
  }
  const origin = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
  const contract = contractOf(app.describe());
  return {
    ctx,
    app,
    databaseUrl,
    origin,
    contract,
    api: new Client(origin, contract),
    advanceClock: (milliseconds) => void (advancedMs += milliseconds),
    mails: () => readFolder(join(dataDir, 'mail')),
    texts: async () =>
      (await readFolder(join(dataDir, 'sms'))).map(
        (text) => JSON.parse(text) as { to: string; text: string },
      ),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Services of one process with the same description share its compiled contract. */
const contracts = new Map<string, Contract>();

function contractOf(description: object): Contract {
  const key = JSON.stringify(description);
  const known = contracts.get(key) ?? new Contract(description);
  contracts.set(key, known);
  return known;
}

async function readFolder(path: string): Promise<string[]> {
  const names = await readdir(path).catch(() => []);
  const whole = names.filter((name) => !name.startsWith('.')).toSorted();
  return Promise.all(whole.map((name) => readFile(join(path, name), 'utf8')));
}
