import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LogFiles } from '../../src/reach/transparency-log/log-files.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { eventually } from './eventually.ts';
import { startService, type Service } from './service.ts';

/** An instance that is stopped, copied and started again. */
export interface Instance extends AsyncDisposable {
  dataDir: string;
  database: TestDatabase;
  /** Starts it with its own database and folder, unless others are named. */
  start(options?: StartOptions): Promise<Service>;
  /** Copies its database while it is stopped. */
  copyDatabase(): Promise<TestDatabase>;
  createEmptyDatabase(): Promise<TestDatabase>;
  createFolder(): Promise<string>;
}

interface StartOptions {
  database?: TestDatabase;
  env?: Record<string, string>;
  /** Receives the lines of the service's log. */
  lines?: string[];
}

/** Creates the database and the folder of an instance. */
export async function createInstance(): Promise<Instance> {
  const stack = new AsyncDisposableStack();
  const createFolder = async () => {
    const folder = await mkdtemp(join(tmpdir(), 'petitions-instance-'));
    // PostgreSQL and the service can be other users.
    await chmod(folder, 0o755);
    stack.defer(() => rm(folder, { recursive: true, force: true }));
    return folder;
  };
  const database = stack.use(await createTestDatabase());
  const dataDir = await createFolder();
  return {
    dataDir,
    database,
    start: ({ database: { url } = database, env, lines } = {}) =>
      startService({
        databaseUrl: url,
        worker: true,
        env: { DATA_DIR: dataDir, ...env },
        ...(lines && { log: lines }),
      }),
    copyDatabase: async () => stack.use(await createTestDatabase({ copyOf: database })),
    createEmptyDatabase: async () => stack.use(await createTestDatabase({ migrated: false })),
    createFolder,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Environment of commands for a service. */
export const commandEnv = ({ ctx, databaseUrl }: Service): Record<string, string> => ({
  DATABASE_URL: databaseUrl,
  DATA_DIR: ctx.config.dataDir,
  BASE_URL: ctx.config.baseUrl,
  SECRET: ctx.config.secret,
});

/** Reads the checkpoint among the files of a log. */
export const checkpointOf = ({ ctx }: Service, origin = 'petitions.test/log') =>
  new LogFiles(ctx.blobs, origin).readCheckpoint();

/** Whether the metrics say that the log is halted. */
export async function isHalted({ api, ctx }: Service): Promise<boolean> {
  ctx.cache.drop('transparency-log');
  return /^transparency_log_halted 1$/m.test((await api.get('/metrics')).body);
}

/** Waits until the writer of the log has passed the last event. */
export async function passedEvents({ ctx }: Service): Promise<void> {
  const position = () => ctx.db.value<string>`
    select (transaction, position)::text from event_followers where name = 'transparency-log'`;
  const newest = () => ctx.db.value<string>`
    select (transaction, position)::text from events e order by e.transaction desc, e.position desc limit 1`;
  await eventually(async () => (await position()) === (await newest()));
}
