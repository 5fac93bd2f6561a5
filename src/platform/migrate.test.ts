import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { pino } from 'pino';
import { createTestDatabase } from '../../test/support/database.ts';
import { eventually } from '../../test/support/eventually.ts';
import { openPool, type Pool } from './db.ts';
import { migrate, type MigrateOptions } from './migrate.ts';

interface World extends AsyncDisposable {
  db: Pool;
  url: string;
  directory: URL;
  /** Messages of the log. */
  log: string[];
  /** Migrates in this process. */
  migrate(options?: MigrateOptions): Promise<string[]>;
  /** Starts migrating in another process, kills it once the condition is true, and ends its sessions. */
  killWhileMigrating(isTrue: () => Promise<boolean>): Promise<void>;
  applied(): Promise<string[]>;
}

/** Creates an empty database and a folder with these migrations. */
async function prepare(files: Record<string, string>): Promise<World> {
  const stack = new AsyncDisposableStack();
  const { url } = stack.use(await createTestDatabase({ migrated: false }));
  const folder = await mkdtemp(join(tmpdir(), 'petitions-migrations-'));
  stack.defer(() => rm(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const directory = pathToFileURL(`${folder}/`);
  const db = stack.adopt(openPool(url, { name: 'test', max: 8 }), (pool) => pool.end());
  const log: string[] = [];
  const logger = pino({}, { write: (line: string) => void log.push(JSON.parse(line).msg) });
  return {
    db,
    url,
    directory,
    log,
    migrate: (options) => migrate(url, { directory, log: logger, ...options }),
    async killWhileMigrating(isTrue) {
      const module = new URL('migrate.ts', import.meta.url).href;
      const script = `
        const { migrate } = await import(${JSON.stringify(module)});
        await migrate(${JSON.stringify(url)}, { directory: new URL(${JSON.stringify(directory.href)}) });`;
      const child = spawn(process.execPath, ['--input-type=module', '-e', script]);
      const exited = once(child, 'exit');
      await eventually(isTrue, 30_000);
      child.kill('SIGKILL');
      await exited;
      const sessions = () => db`
        select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'petitions migrate' and datname = current_database()`;
      await eventually(async () => (await sessions()).length === 0);
    },
    applied: () => db.column<string>`select name from migrations order by name`,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Like `prepare`, with an empty table `people` as the first migration makes it. */
async function prepareTable(files: Record<string, string>): Promise<World> {
  const world = await prepare(files);
  await world.db`create table people (name text)`;
  await createMigrations(world.db);
  await world.db`insert into migrations (name) values ('0001_table.sql')`;
  return world;
}

const createMigrations = (db: Pool) => db`
  create table migrations (name text primary key, applied_at timestamptz not null default now())`;

/** Holds a lock of the table until it is released. */
async function holdTable(db: Pool, table: string, mode: string): Promise<() => Promise<void>> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: held, resolve: markHeld } = Promise.withResolvers<void>();
  const holding = db.begin(async (tx) => {
    await tx.unsafe(`lock table ${table} in ${mode} mode`);
    markHeld();
    await released;
  });
  await held;
  return async () => {
    release();
    await holding;
  };
}

const isValid = (db: Pool, index: string) =>
  db.value<
    boolean | undefined
  >`select indisvalid from pg_index where indexrelid = to_regclass(${index})`;

it('refuses a database that lacks most characters', async () => {
  await using database = await createTestDatabase({ migrated: false, encoding: 'LATIN1' });
  await assert.rejects(migrate(database.url), {
    name: 'MigrationError',
    message: /encoding LATIN1.*create database test_\w+_utf8 encoding 'UTF8'/,
  });
});

describe('migrations', () => {
  it('continue after the last applied file if the process is killed', async () => {
    await using world = await prepare({
      '0001_first.sql': 'create table first (n integer); create table gate (n integer);',
      '0002_second.sql': `
        create table second (n integer);
        do $$ begin
          if not exists (select from gate) then perform pg_sleep(60); end if;
        end $$;`,
      '0003_third.sql': 'create table third (n integer)',
    });
    const { db } = world;
    await world.killWhileMigrating(
      () =>
        db.exists`
        select from pg_stat_activity
        where wait_event = 'PgSleep' and datname = current_database()`,
    );
    assert.deepEqual(await world.applied(), ['0001_first.sql']);
    assert.equal(await db.value<unknown>`select to_regclass('second')`, null);
    await db`insert into gate values (1)`;
    assert.deepEqual(await world.migrate(), ['0002_second.sql', '0003_third.sql']);
    assert.deepEqual(await world.migrate(), []);
  });

  it('leave no part of a file that fails, and keep the files before it', async () => {
    await using world = await prepare({
      '0001_first.sql': 'create table first (n integer)',
      '0002_second.sql': 'create table second (n integer); select 1 / 0;',
    });
    await assert.rejects(world.migrate(), /division by zero/);
    assert.deepEqual(await world.applied(), ['0001_first.sql']);
    assert.equal(await world.db.value<unknown>`select to_regclass('second')`, null);
  });

  it('are applied once by processes that start together, also those outside a transaction', async () => {
    await using world = await prepare({
      '0001_first.sql': 'create table runs (n integer); insert into runs values (1);',
      '0002_second.sql': 'select pg_sleep(0.5); insert into runs values (2);',
      // It would wait for ever for a snapshot of the processes that wait.
      '0003_index.sql':
        '-- concurrently\ncreate index concurrently if not exists runs_n on runs (n);\n',
      '0004_fourth.sql': 'insert into runs values (4);',
    });
    const all = await Promise.all([world.migrate(), world.migrate(), world.migrate()]);
    const names = ['0001_first.sql', '0002_second.sql', '0003_index.sql', '0004_fourth.sql'];
    assert.deepEqual(all.flat().toSorted(), names);
    assert.deepEqual(await world.applied(), names);
    assert.deepEqual(await world.db.column`select n from runs order by n`, [1, 2, 4]);
    assert.ok(world.log.includes('waiting for another process, which migrates the database'));
  });

  it('do not run a file again that another process has applied meanwhile', async () => {
    await using world = await prepare({
      '0001_first.sql': 'create table runs (n integer);',
      '0002_second.sql': 'insert into runs values (2);',
    });
    const { db } = world;
    await createMigrations(db);
    const { promise: recorded, resolve: record } = Promise.withResolvers<void>();
    // A process that lost its lock, and still works.
    const other = db.begin(async (tx) => {
      await tx`insert into migrations (name) values ('0002_second.sql')`;
      await recorded;
    });
    const migrating = world.migrate();
    await eventually(
      () => db.exists`select from pg_stat_activity where wait_event_type = 'Lock'
      and datname = current_database()`,
    );
    record();
    await other;
    assert.deepEqual(await migrating, ['0001_first.sql']);
    assert.deepEqual(await db`select from runs`, Object.assign([], { count: 0 }));
  });
});

describe('a migration outside a transaction', () => {
  const files = {
    '0001_table.sql': "create table people (name text); insert into people values ('a'), ('a');",
    '0002_index.sql': `-- concurrently
-- Names are unique; takes a minute for ten million rows;
create unique index concurrently if not exists people_name
  on people (name);

analyze people;
`,
  };

  it('builds an index again that a failed run left invalid', async () => {
    await using world = await prepare(files);
    const { db } = world;
    await assert.rejects(world.migrate(), /could not create unique index/);
    assert.equal(await isValid(db, 'people_name'), false);
    assert.deepEqual(await world.applied(), ['0001_table.sql']);
    await db`delete from people where ctid = (select min(ctid) from people)`;
    assert.deepEqual(await world.migrate(), ['0002_index.sql']);
    assert.equal(await isValid(db, 'people_name'), true);
  });

  it('builds an index again that a killed process left invalid', async () => {
    await using world = await prepareTable(files);
    const { db } = world;
    // The build waits for it.
    const release = await holdTable(db, 'people', 'row exclusive');
    await world.killWhileMigrating(async () => (await isValid(db, 'people_name')) === false);
    await release();
    assert.equal(await isValid(db, 'people_name'), false);
    assert.deepEqual(await world.migrate(), ['0002_index.sql']);
    assert.equal(await isValid(db, 'people_name'), true);
  });

  it('waits for the server session of a killed process, which still builds the index', async () => {
    await using world = await prepareTable(files);
    const { db } = world;
    const release = await holdTable(db, 'people', 'row exclusive');
    const session = openPool(world.url, { name: 'test session', max: 1 });
    const building = session.run({
      text: 'create unique index concurrently people_name on people (name)',
      parameters: [],
      isSimple: true,
    });
    await eventually(async () => (await isValid(db, 'people_name')) === false);
    const oid = await db.value`select to_regclass('people_name')::oid`;
    const migrating = world.migrate();
    await eventually(() => world.log.includes('applying a migration'));
    await sleep(600);
    await release();
    await building;
    await session.end();
    assert.deepEqual(await migrating, ['0002_index.sql']);
    assert.equal(await db.value`select to_regclass('people_name')::oid`, oid, 'the same index');
  });

  it('must say `if not exists`', async () => {
    await using world = await prepare({
      '0001_index.sql': '-- concurrently\ncreate index concurrently on people (name);',
    });
    await assert.rejects(world.migrate(), {
      name: 'MigrationError',
      message: /0001_index.sql: write an index as `create index concurrently if not exists NAME/,
    });
  });
});

describe('a migration that waits for a lock', () => {
  const files = {
    '0001_table.sql': 'create table people (name text)',
    '0002_column.sql': 'alter table people add column age integer',
  };
  const prepareLocked = async () => {
    const world = await prepareTable(files);
    return { world, release: await holdTable(world.db, 'people', 'access share') };
  };

  it('retries, and other statements wait half a second at most', async (t) => {
    const { world: opened, release } = await prepareLocked();
    await using world = opened;
    const { db, log } = world;
    const done = new AbortController();
    let longestMs = 0;
    let reads = 0;
    const reading = Promise.all(
      Array.from({ length: 4 }, async () => {
        while (!done.signal.aborted) {
          const startedAt = performance.now();
          await db`select name from people`;
          longestMs = Math.max(longestMs, performance.now() - startedAt);
          reads += 1;
          await sleep(5);
        }
      }),
    );
    const migrating = world.migrate();
    const retries = () =>
      log.filter((message) => message === 'a migration waits for a lock').length;
    await eventually(() => retries() >= 3, 20_000);
    await release();
    assert.deepEqual(await migrating, ['0002_column.sql']);
    done.abort();
    await reading;
    t.diagnostic(`${reads} reads waited ${Math.round(longestMs)} ms at most; ${retries()} retries`);
    assert.ok(longestMs > 300, `the reads waited behind it: ${longestMs} ms`);
    // 0.5 s and some time for a busy machine.
    assert.ok(longestMs < 1000, `${longestMs} ms`);
  });

  it('gives up with an error that says what to do', async () => {
    const { world: opened, release } = await prepareLocked();
    await using world = opened;
    await assert.rejects(world.migrate({ giveUpAfterMs: 1000 }), {
      name: 'MigrationError',
      message: /0002_column.sql did not get its locks for 1 s: .+ migrate again/,
    });
    assert.deepEqual(await world.applied(), ['0001_table.sql']);
    await release();
    assert.deepEqual(await world.migrate(), ['0002_column.sql']);
  });
});
