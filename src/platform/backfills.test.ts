import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { eventually } from '../../test/support/eventually.ts';
import { startService, type Service } from '../../test/support/service.ts';
import { Backfills, isBackfillComplete, type Backfill } from './backfills.ts';
import { startWorker } from './jobs.ts';

const batchSize = 10;

/** Doubles the numbers of a table. `beforeStep` runs first, with the cursor. */
const doubling = (beforeStep = async (_cursor: string | null) => {}): Backfill => ({
  name: 'doubled',
  total: (db) => db.value`select count(*)::integer from numbers`,
  async step(db, cursor) {
    await beforeStep(cursor);
    const ids = await db.column<number>`
      with batch as (
        select id from numbers where id > ${cursor ?? 0}::integer order by id limit ${batchSize}
      )
      update numbers set doubled = id * 2 where id in (select id from batch) returning id`;
    return ids.length === 0 ? null : { cursor: String(Math.max(...ids)), rows: ids.length };
  },
});

interface Running {
  metrics: Registry;
  stop(): Promise<void>;
  /** Stops its heartbeat, as if it were killed. */
  abandon(): void;
}

/** Runs backfills and their jobs as one process does. */
async function run(
  { ctx, databaseUrl }: Service,
  backfills: Backfill[],
  jobMs?: number,
): Promise<Running> {
  const metrics = new Registry();
  const { log, eventNotifier, pools } = ctx;
  const db = pools.main;
  const runner = new Backfills({ db, backfills, log, metrics, ...(jobMs && { jobMs }) });
  const { jobs: handlers } = runner;
  const options = { databaseUrl, db, eventNotifier, schedules: [], log, handlers };
  const worker = await startWorker({ ...options, heartbeatTimeoutMs: 1200 });
  await runner.start();
  return {
    metrics,
    async stop() {
      runner.stop();
      await worker.stop();
    },
    abandon: () => worker.stopHeartbeat(),
  };
}

async function prepare(rows: number, log?: string[]): Promise<Service> {
  const service = await startService({ ...(log && { log, env: { LOG_LEVEL: 'info' } }) });
  const { db } = service.ctx;
  await db`create table numbers (id integer primary key, doubled integer)`;
  await db`insert into numbers select generate_series(1, ${rows}::integer)`;
  return service;
}

const isComplete = ({ ctx }: Service) => isBackfillComplete(ctx.db, 'doubled');
const missing = ({ ctx: { db } }: Service) =>
  db.value<number>`select count(*)::integer from numbers where doubled is distinct from id * 2`;
const jobs = ({ ctx: { db } }: Service) =>
  db.value<number>`
    select count(*)::integer from graphile_worker.jobs where task_identifier like 'backfill:%'`;

describe('a backfill', () => {
  it('completes at once if nothing is to be done', async () => {
    await using service = await prepare(0);
    assert.equal(await isComplete(service), false);
    const running = await run(service, [doubling()]);
    await eventually(() => isComplete(service));
    await running.stop();
    assert.equal(await jobs(service), 0);
  });

  it('goes on after a stop, and shows its progress', async () => {
    const log: string[] = [];
    await using service = await prepare(100, log);
    const cursors: (string | null)[] = [];
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
    const first = await run(service, [
      doubling(async (cursor) => {
        cursors.push(cursor);
        if (cursor === '30') reach();
      }),
    ]);
    await reached;
    await first.stop();
    assert.deepEqual(cursors, [null, '10', '20', '30']);
    assert.equal(await isComplete(service), false);
    assert.equal(await missing(service), 60);
    const figures = await first.metrics.metrics();
    for (const line of [
      'rows_done{backfill="doubled"} 40',
      'rows_expected{backfill="doubled"} 100',
    ]) {
      assert.ok(figures.includes(`backfill_${line}\n`), figures);
    }

    const second = await run(service, [doubling(async (cursor) => void cursors.push(cursor))], 1);
    await eventually(() => isComplete(service), 20_000);
    await second.stop();
    assert.equal(await missing(service), 0);
    assert.deepEqual(cursors.slice(4), ['40', '50', '60', '70', '80', '90', '100']);
    assert.ok(
      (await second.metrics.metrics()).includes('backfill_complete{backfill="doubled"} 1\n'),
    );
    assert.equal(await jobs(service), 0);
    const lines = log
      .map((line) => JSON.parse(line))
      // Every ten seconds, which a busy machine may take.
      .filter(({ backfill, msg }) => backfill && msg !== 'a backfill goes on');
    assert.deepEqual(
      lines.map(({ msg, rows }) => [msg, rows]),
      [
        ['a backfill starts', 0],
        ['a backfill continues', 40],
        ['a backfill is complete', 100],
      ],
    );

    const third = await run(service, [doubling(() => assert.fail('it is complete'))]);
    assert.equal(await jobs(service), 0);
    await third.stop();
  });

  it('is taken over from a process that died, which cannot move it back', async () => {
    await using service = await prepare(40);
    const { promise: hung, resolve: hang } = Promise.withResolvers<void>();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    let hasHung = false;
    const backfill = doubling(async (cursor) => {
      if (cursor === '30') {
        release();
        // The step of the dead process, which is at 20, ends meanwhile.
        await sleep(200);
      }
      if (cursor !== '20' || hasHung) return;
      hasHung = true;
      hang();
      await released;
    });
    const dead = await run(service, [backfill]);
    await hung;
    dead.abandon();
    const running = await run(service, [backfill]);
    await eventually(() => isComplete(service), 20_000);
    await Promise.all([dead.stop(), running.stop()]);
    assert.equal(await missing(service), 0);
    const { ctx } = service;
    const state = await ctx.db
      .one`select cursor, rows::integer from backfills where name = 'doubled'`;
    assert.deepEqual(state, { cursor: '40', rows: 40 });
    assert.equal(await jobs(service), 0);
  });

  it('is worked on by one of several processes, and retried after a failure', async () => {
    await using service = await prepare(200);
    let atOnce = 0;
    let most = 0;
    let failures = 0;
    const backfill: Backfill = {
      ...doubling(),
      async step(db, cursor) {
        atOnce += 1;
        most = Math.max(most, atOnce);
        try {
          if (cursor === '100' && failures === 0) {
            failures += 1;
            throw new Error('on purpose');
          }
          return await doubling().step(db, cursor);
        } finally {
          atOnce -= 1;
        }
      },
    };
    const all = await Promise.all([1, 2, 3].map(() => run(service, [backfill], 20)));
    await eventually(() => isComplete(service), 30_000);
    await Promise.all(all.map((one) => one.stop()));
    assert.deepEqual([most, failures, await missing(service)], [1, 1, 0]);
    assert.equal(await jobs(service), 0);
  });
});
