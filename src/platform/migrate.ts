import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger as GraphileLogger, runMigrations } from 'graphile-worker';
import type { Logger } from 'pino';
import { isDeadlock, isLockTimeout, openPool, type Db, type Pool } from './db.ts';
import { createPgPool, Servers } from './db/client.ts';
import { noteVersion, readInstance } from './instance.ts';
import { MigrationError, parseStatements, type Statement } from './migration-statements.ts';
import { version } from './version.ts';

export { MigrationError } from './migration-statements.ts';

export interface MigrateOptions {
  /** Folder with the files; default: `migrations/` of this version. */
  directory?: URL;
  log?: Logger;
  /** The migrations to apply; default: all. */
  only?: ReadonlySet<string>;
  /** How long a migration retries to get its locks; default: 10 minutes. */
  giveUpAfterMs?: number;
}

const ownDirectory = new URL('../../migrations/', import.meta.url);
// An arbitrary number, unique among the advisory locks of this database.
const migrationLock = 7_240_113;
/** Defines, and runs, the renumbering of an event log that was restored from another server. */
const restoredLog = '0042_restored_log.sql';
/** First line of a file whose statements run outside a transaction. */
const outsideTransaction = '-- concurrently';

/**
 * Statements of others queue behind a lock that a migration waits for, so it stops waiting after this time. Shorter
 * than `deadlock_timeout` (1 s), so that a deadlock ends the migration and not a request.
 */
const lockTimeoutMs = 500;
const maxRetryMs = 10_000;
const defaultGiveUpAfterMs = 10 * 60_000;
/** How often a process looks whether another one still migrates. */
const waitForOtherMs = 200;

/**
 * Migrates the database while the service runs: the tables of the job queue, then `migrations/*.sql` in order, each
 * once. Each file is a transaction of its own, so an interrupted migration continues with the file that was not
 * applied. One process migrates at a time; the others wait. Returns the names of the files that it applied.
 *
 * A file whose first line is `-- concurrently` runs outside a transaction, statement by statement. Its statements end
 * with `;` at the end of a line and must be safe to repeat.
 * @throws {MigrationError} if a newer version has migrated the database, or a migration does not get its locks for 10
 *   minutes
 */
export async function migrate(
  databaseUrl: string,
  options: MigrateOptions = {},
): Promise<string[]> {
  const servers = new Servers(databaseUrl);
  await using stack = new AsyncDisposableStack();
  const open = (settings: Record<string, string>) => {
    const idle = { idle_in_transaction_session_timeout: '0' };
    const limits = { name: 'migrate', max: 1, statementTimeoutMs: 0 };
    return stack.adopt(
      openPool(servers, { ...limits, settings: { ...idle, ...settings } }),
      (pool) => pool.end(),
    );
  };
  const lockTimeout = { lock_timeout: String(lockTimeoutMs) };
  const pgPool = stack.adopt(
    createPgPool(servers, {
      applicationName: 'petitions migrate',
      settings: lockTimeout,
      max: 1,
      acquireTimeoutMs: 10_000,
    }),
    (pool) => pool.end(),
  );
  const db = open({});
  await requireUtf8(db);
  const migrator = new Migrator(open(lockTimeout), open({}), options);
  return await holdLock(open({}), options.log, async () => {
    // Under the lock: a newer version may have migrated while this one waited for it.
    await requireNotNewer(db, options.directory);
    await migrator.retry("graphile-worker's migrations", () =>
      runMigrations({ pgPool, logger: new GraphileLogger(() => () => {}) }),
    );
    return migrator.applyAll();
  });
}

/** @throws {MigrationError} if the database lacks migrations of this version; it may have newer ones */
export async function requireMigrated(
  databaseUrl: string,
  { directory = ownDirectory }: Pick<MigrateOptions, 'directory'> = {},
): Promise<void> {
  const db = openPool(databaseUrl, { name: 'migrate', max: 1 });
  try {
    await requireUtf8(db);
    const applied = await readApplied(db);
    const missing = (await migrationNames(directory)).filter((name) => !applied.has(name));
    if (missing.length > 0) {
      const more = missing.length > 1 ? ` and ${missing.length - 1} more` : '';
      throw new MigrationError(
        `The database lacks migration ${missing[0]}${more}: run \`npm run migrate\`.`,
      );
    }
    await requireOwnLog(db);
  } finally {
    await db.end();
  }
}

/** @throws {MigrationError} if the database has migrations that this version does not know */
async function requireNotNewer(db: Db, directory?: URL): Promise<void> {
  const known = await migrationNames(directory);
  const unknown = [...(await readApplied(db))].filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const newer = (await readInstance(db))?.version;
  throw new MigrationError(
    `The database was migrated by version ${newer ?? 'unknown'} (up to ${unknown.toSorted().at(-1)}), and this is version ${version} (up to ${known.at(-1)}). Start that version or a later one. To go back, see "Going back" in docs/operating.md.`,
  );
}

/** @throws {MigrationError} if the event log is that of another server, from which the database was restored */
export async function requireOwnLog(db: Db): Promise<void> {
  if (!(await readApplied(db)).has(restoredLog) || !(await isLogBeyond(db))) return;
  throw new MigrationError('The database was restored from another server: run `npm run migrate`.');
}

/** @throws {MigrationError} if the database cannot store every character */
async function requireUtf8(db: Db): Promise<void> {
  const { name, encoding } = await db.one<{ name: string; encoding: string }>`
    select datname as name, pg_encoding_to_char(encoding) as encoding from pg_database
    where datname = current_database()`;
  if (encoding === 'UTF8') return;
  throw new MigrationError(
    `The database has the encoding ${encoding}, which lacks most characters. Make one with UTF8: create database ${name}_utf8 encoding 'UTF8' template template0;`,
  );
}

/** The names of a version's migrations, in order. */
export async function migrationNames(directory: URL = ownDirectory): Promise<string[]> {
  const names = await readdir(directory);
  return names.filter((name) => /^\d{4}_\w+\.sql$/.test(name)).toSorted();
}

/**
 * Holds the lock of migrations during the work. A transaction-level lock also works through a pooler.
 *
 * `create index concurrently` waits for every transaction that has a snapshot. So nothing here may keep one while
 * another process migrates: a process that waits for the lock polls, since a waiting statement keeps its snapshot, and
 * a transaction that holds it uses the simple protocol, since an extended query keeps its snapshot until the next one.
 */
async function holdLock<T>(db: Pool, log: Logger | undefined, work: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    const done = await db.begin('isolation level read committed', async (tx) => {
      const [lock] = await tx.unsafe<{ is_held: boolean }[]>(
        `select pg_try_advisory_xact_lock(${migrationLock}) as is_held`,
      );
      return lock!.is_held ? { result: await work() } : undefined;
    });
    if (done) return done.result;
    if (tries === 0) log?.info('waiting for another process, which migrates the database');
    await sleep(waitForOtherMs);
  }
}

class Migrator {
  /** With a lock timeout. */
  readonly #db: Pool;
  /** Without a lock timeout. */
  readonly #patientDb: Pool;
  readonly #directory: URL;
  readonly #log: Logger | undefined;
  readonly #only: ReadonlySet<string> | undefined;
  readonly #giveUpAfterMs: number;

  constructor(db: Pool, patientDb: Pool, options: MigrateOptions) {
    this.#db = db;
    this.#patientDb = patientDb;
    this.#directory = options.directory ?? ownDirectory;
    this.#log = options.log;
    this.#only = options.only;
    this.#giveUpAfterMs = options.giveUpAfterMs ?? defaultGiveUpAfterMs;
  }

  async applyAll(): Promise<string[]> {
    const db = this.#db;
    await db`create table if not exists migrations (
      name text primary key, applied_at timestamptz not null default now())`;
    const applied = await readApplied(db);
    // First, since other migrations may add followers at the end of the log.
    if (applied.has(restoredLog)) {
      await this.retry('renumber_restored_log', () => db`select renumber_restored_log()`);
    }
    const names: string[] = [];
    for (const name of await migrationNames(this.#directory)) {
      if (applied.has(name) || this.#only?.has(name) === false) continue;
      if (await this.#apply(name)) names.push(name);
    }
    await noteVersion(db);
    return names;
  }

  /**
   * Runs the work again while it does not get its locks. Between two tries, the statements that queued behind it run.
   * @throws {MigrationError} if it got none since its first failure 10 minutes ago
   */
  async retry<T>(name: string, work: () => Promise<T>): Promise<T> {
    let firstFailureMs: number | undefined;
    for (let failures = 1; ; failures += 1) {
      try {
        return await work();
      } catch (error) {
        if (!isLockTimeout(error) && !isDeadlock(error)) throw error;
        firstFailureMs ??= performance.now();
        if (performance.now() - firstFailureMs >= this.#giveUpAfterMs) {
          throw new MigrationError(
            `${name} did not get its locks for ${Math.round(this.#giveUpAfterMs / 1000)} s: a long transaction holds them (see pg_stat_activity). End it, and migrate again.`,
            { cause: error },
          );
        }
        const retryMs = Math.round(
          Math.min(250 * 2 ** failures, maxRetryMs) * (0.5 + Math.random() / 2),
        );
        this.#log?.warn({ migration: name, err: error, retryMs }, 'a migration waits for a lock');
        await sleep(retryMs);
      }
    }
  }

  /** Applies a file. Returns false if another process has done so. */
  async #apply(name: string): Promise<boolean> {
    const text = await readFile(new URL(name, this.#directory), 'utf8');
    const startedAt = performance.now();
    this.#log?.info({ migration: name }, 'applying a migration');
    const isApplied =
      text.split('\n', 1)[0]!.trim() === outsideTransaction
        ? await this.#applyStatements(name, text)
        : await this.#applyTransaction(name, text);
    const ms = Math.round(performance.now() - startedAt);
    if (isApplied) this.#log?.info({ migration: name, ms }, 'applied a migration');
    return isApplied;
  }

  #applyTransaction(name: string, text: string): Promise<boolean> {
    return this.retry(name, () =>
      this.#patientDb.begin(async (tx) => {
        // First, so that two processes never apply the same file, even if one lost the lock of migrations. Waits only
        // for such a process, or for the last statement of one that was killed.
        if (!(await recordApplied(tx, name))) return false;
        await tx.unsafe(`set local lock_timeout = ${lockTimeoutMs}`);
        await tx.unsafe(text);
        return true;
      }),
    );
  }

  async #applyStatements(name: string, text: string): Promise<boolean> {
    for (const statement of parseStatements(name, text)) {
      await this.retry(name, () => this.#runStatement(statement));
    }
    return recordApplied(this.#patientDb, name);
  }

  async #runStatement({ text, index, isConcurrent }: Statement): Promise<void> {
    // These hold up no reads or writes. They wait for old transactions, which must not count as waiting for a lock: a
    // build that gives up leaves an invalid index.
    const db = isConcurrent ? this.#patientDb : this.#db;
    if (index === undefined) {
      await db.unsafe(text);
      return;
    }
    while (!(await isIndexValid(db, index))) {
      await db.unsafe(`drop index concurrently if exists ${index}`);
      await db.unsafe(text);
    }
  }
}

async function readApplied(db: Db): Promise<Set<string>> {
  const row = await db.one`select to_regclass('migrations') is not null as has_table`;
  return new Set(row.has_table ? await db.column<string>`select name from migrations` : []);
}

/** Returns false if it is recorded already. */
const recordApplied = (db: Db, name: string): Promise<boolean> =>
  db.changed`insert into migrations (name) values (${name}) on conflict do nothing`;

/** Whether the event log has transactions that this server has not reached: renumber_restored_log() would renumber it. */
const isLogBeyond = (db: Db): Promise<boolean> =>
  db.exists`
    select from (
      (select transaction from events order by transaction desc limit 1)
      union all
      (select transaction from event_followers order by transaction desc limit 1)
    ) newest
    where transaction > pg_snapshot_xmax(pg_current_snapshot())`;

/**
 * Whether an index exists and is complete. Waits while it is being built: the server session of a migration that was
 * killed builds on.
 */
async function isIndexValid(db: Pool, name: string): Promise<boolean> {
  for (;;) {
    const index = await db.first<{ is_valid: boolean; is_building: boolean }>`
      select indisvalid as is_valid, exists (
        select from pg_stat_progress_create_index p
        where p.index_relid = i.indexrelid and p.datname = current_database()
      ) as is_building
      from pg_index i where indexrelid = to_regclass(${name})`;
    if (!index) return false;
    if (index.is_valid || !index.is_building) return index.is_valid;
    await sleep(waitForOtherMs);
  }
}
