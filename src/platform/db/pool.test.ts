import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createTestDatabase } from '../../../test/support/database.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { startTcpProxy } from '../../../test/support/tcp-proxy.ts';
import { Servers } from './client.ts';
import { withDeadline } from './deadline.ts';
import { DatabaseUnavailable, isDatabaseUnavailable } from './errors.ts';
import { openPool, type Pool } from './pool.ts';

interface Opened extends AsyncDisposable {
  db: Pool;
  admin: Pool;
  url: string;
}

async function open(max = 1, maxWithoutDeadline = max): Promise<Opened> {
  const database = await createTestDatabase({ migrated: false });
  const db = openPool(database.url, { name: 'tested', max, maxWithoutDeadline });
  const admin = openPool(database.url, { name: 'admin', max: 1 });
  return {
    db,
    admin,
    url: database.url,
    async [Symbol.asyncDispose]() {
      await Promise.all([db.end({ timeout: 0 }), admin.end()]);
      await database[Symbol.asyncDispose]();
    },
  };
}

const pidOf = async (db: Pool) => (await db`select pg_backend_pid() as pid`)[0]!.pid as number;

describe('a pool', () => {
  it('parses values by type', async () => {
    await using opened = await open();
    const [row] = await opened.db`
      select 5::bigint as big, 1.5::numeric as exact, 1.5::float8 as float, true as yes,
        '2026-01-02'::date as day, '2026-01-02 03:04:05.678+00'::timestamptz as at,
        '1 day'::interval as span, '{"a": [1]}'::jsonb as json, array['a', null] as texts,
        array['2026-01-02 00:00+00'::timestamptz] as times, '\\x61'::bytea as bytes,
        array['b1b2c3d4-0000-4000-8000-000000000000']::uuid[] as ids`;
    assert.deepEqual(row, {
      big: '5',
      exact: '1.5',
      float: 1.5,
      yes: true,
      day: new Date('2026-01-02T00:00:00Z'),
      at: new Date('2026-01-02T03:04:05.678Z'),
      span: '1 day',
      json: { a: [1] },
      texts: ['a', null],
      times: [new Date('2026-01-02T00:00:00Z')],
      bytes: Buffer.from('a'),
      ids: ['b1b2c3d4-0000-4000-8000-000000000000'],
    });
  });

  it('replaces the connection of a statement whose deadline passes', async () => {
    await using opened = await open();
    const { db } = opened;
    const pid = await pidOf(db);
    await assert.rejects(
      withDeadline(200, () => db`select pg_sleep(30)`),
      DatabaseUnavailable,
    );
    assert.notEqual(await pidOf(db), pid);
  });

  it('keeps idle connections that answer after the deadline of another passed', async () => {
    await using opened = await open(2);
    const { db } = opened;
    const pids = await Promise.all([pidOf(db), pidOf(db)]);
    await assert.rejects(
      withDeadline(200, () => db`select pg_sleep(30)`),
      DatabaseUnavailable,
    );
    assert.ok(pids.includes(await pidOf(db)));
  });

  it('serves at once after silent connections were found, though others still wait', async () => {
    await using database = await createTestDatabase({ migrated: false });
    const { hostname, port } = new URL(database.url);
    await using proxy = await startTcpProxy({ host: hostname, port: Number(port) });
    const url = Object.assign(new URL(database.url), { host: `127.0.0.1:${proxy.port}` }).href;
    const servers = new Servers(url);
    const idle = openPool(servers, { name: 'idle', max: 4 });
    const busy = openPool(servers, { name: 'busy', max: 2 });
    const sleep = (db: Pool) => db`select pg_sleep(0.05)`;
    await Promise.all([idle, idle, idle, idle, busy, busy].map(sleep));
    proxy.stallExisting();
    const waiting = [busy, busy].map((db) => withDeadline(4000, () => sleep(db)));
    const ended = Promise.allSettled(waiting);
    await assert.rejects(
      withDeadline(300, () => sleep(idle)),
      DatabaseUnavailable,
    );
    await Promise.all([idle, idle, idle].map((db) => withDeadline(900, () => sleep(db))));
    await Promise.all([busy, busy].map((db) => withDeadline(900, () => sleep(db))));
    assert.deepEqual(
      (await ended).map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    await Promise.all([idle, busy].map((db) => db.end({ timeout: 0 })));
  });

  it('waits for a free connection until the deadline only', async () => {
    await using opened = await open();
    const { db } = opened;
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const holding = db.begin(() => released);
    await assert.rejects(
      withDeadline(200, () => db`select 1`),
      (error) => isDatabaseUnavailable(error),
    );
    release();
    await holding;
    await db`select 1`;
  });

  it('leaves connections to work with a deadline, whatever waits without one', async () => {
    await using opened = await open(3, 2);
    const { db } = opened;
    const released = Promise.withResolvers<void>();
    const holding = [1, 2].map(() => db.begin(() => released.promise));
    const order: string[] = [];
    const waiting = [1, 2, 3].map(async (n) => {
      await db`select ${n}::int`;
      order.push(`without ${n}`);
    });
    await withDeadline(2000, () => db`select 1`);
    order.push('with a deadline');
    released.resolve();
    await Promise.all([...holding, ...waiting]);
    assert.deepEqual(order.toSorted(), ['with a deadline', 'without 1', 'without 2', 'without 3']);
    assert.equal(order[0], 'with a deadline');
  });

  it('does not count work on connections that will be replaced', async () => {
    await using database = await createTestDatabase({ migrated: false });
    const servers = new Servers(database.url);
    const db = openPool(servers, { name: 'tested', max: 3, maxWithoutDeadline: 2 });
    const released = Promise.withResolvers<void>();
    const ended: Promise<void>[] = [];
    const hold = () =>
      new Promise<void>((resolve) => {
        ended.push(db.begin(() => (resolve(), released.promise)));
      });
    await Promise.all([hold(), hold()]);
    const waiting = db`select 1`;
    servers.replaceConnections();
    // What comes next notices that: two more are served beside the first two.
    await Promise.all([hold(), waiting]);
    await hold();
    const served: string[] = [];
    const last = db`select 1`.then(() => served.push('without a deadline'));
    await withDeadline(2000, () => db`select 1`).then(() => served.push('with one'));
    released.resolve();
    await Promise.all([...ended, last]);
    assert.deepEqual(served, ['with one', 'without a deadline']);
    await db.end();
  });

  it('replaces idle and busy connections that the server ended', async () => {
    await using opened = await open(3);
    const { db, admin } = opened;
    await Promise.all([db`select pg_sleep(0.1)`, db`select pg_sleep(0.1)`]);
    const busy = db`select pg_sleep(30)`.catch((error: unknown) => error);
    await admin`
      select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'petitions tested' and datname = current_database()`;
    const ended = await busy;
    assert.ok(isDatabaseUnavailable(ended), String(ended));
    // An idle connection can end right after a statement was sent on it.
    await eventually(() =>
      Promise.all([db`select 1`, db`select 1`, db`select 1`]).then(
        () => true,
        () => false,
      ),
    );
  });

  it('rolls back a transaction whose work fails, and keeps the connection', async () => {
    await using opened = await open();
    const { db } = opened;
    await db`create table t (n integer primary key)`;
    const pid = await pidOf(db);
    const failing = db.begin(async (tx) => {
      await tx`insert into t values (1)`;
      throw new Error('on purpose');
    });
    await assert.rejects(failing, /on purpose/);
    assert.deepEqual(await db`select from t`, Object.assign([], { count: 0 }));
    assert.equal(await pidOf(db), pid);
  });

  it('does not commit after a failed statement, even if the caller ignores the error', async () => {
    await using opened = await open();
    const { db } = opened;
    await db`create table t (n integer primary key)`;
    const working = db.begin(async (tx) => {
      await tx`insert into t values (1)`;
      await tx`insert into t values (1)`.catch(() => {});
    });
    await assert.rejects(working, /duplicate key/);
    assert.equal((await db`select from t`).count, 0);
  });

  it('rolls back to a savepoint that failed', async () => {
    await using opened = await open();
    const { db } = opened;
    await db`create table t (n integer primary key)`;
    await db.begin(async (tx) => {
      await tx`insert into t values (1)`;
      const inner = tx.savepoint(async (within) => {
        await within`insert into t values (2)`;
        await within`insert into t values (1)`;
      });
      await assert.rejects(inner, /duplicate key/);
      await tx`insert into t values (3)`;
    });
    assert.deepEqual(
      (await db`select n from t order by n`).map(({ n }) => n),
      [1, 3],
    );
  });

  it('prepares a statement again after a migration changed its columns', async () => {
    await using opened = await open();
    const { db } = opened;
    await db`create table t (n integer)`;
    await db`insert into t values (1)`;
    const read = () => db`select * from t`;
    assert.equal((await read())[0]!.n, 1);
    await db`alter table t add column m text default 'new'`;
    assert.equal((await read())[0]!.m, 'new');
  });

  it('connects to the host that takes writes', async () => {
    await using opened = await open();
    const { host } = new URL(opened.url);
    const several = opened.url.replace(host, `127.0.0.1:1,${host}`);
    const db = openPool(several, { name: 'several', max: 2 });
    try {
      await Promise.all([db`select 1`, db`select 1`]);
    } finally {
      await db.end();
    }
  });

  it('sends settings with each transaction through a pooler', async () => {
    await using opened = await open();
    const pooled = openPool(opened.url, {
      name: 'pooled',
      max: 1,
      isPooled: true,
      statementTimeoutMs: 1234,
      settings: { jit: 'off' },
    });
    try {
      const shown = () => pooled`
        select current_setting('statement_timeout') as timeout, current_setting('jit') as jit,
          (select count(*)::int from pg_prepared_statements) as prepared where ${1}::int = 1`;
      for (let n = 0; n < 2; n += 1) {
        assert.deepEqual((await shown())[0], { timeout: '1234ms', jit: 'off', prepared: 0 });
      }
      await pooled.begin('isolation level repeatable read read only', async (tx) => {
        const [row] = await tx`select current_setting('transaction_isolation') as level`;
        assert.equal(row!.level, 'repeatable read');
      });
    } finally {
      await pooled.end();
    }
  });
});
