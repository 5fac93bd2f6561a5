import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { eventually } from '../../test/support/eventually.ts';
import { startService, type Service } from '../../test/support/service.ts';
import { emit, systemActor } from './events.ts';
import { Followers, type EventFollower } from './followers.ts';

const emitEvent = (service: Service, n: number) =>
  service.ctx.pools.main.begin((tx) =>
    emit(tx, { type: 'petition.updated', petitionId: null, actor: systemActor, data: { n } }),
  );

it('followers of several processes see each event once and in order, even after failures', async () => {
  await using one = await startService();
  await using two = await startService({ beside: one });
  const db = one.ctx.pools.main;
  await db`create table seen (position bigint generated always as identity, n integer)`;
  let failures = 0;
  const follower: EventFollower = {
    name: 'test',
    types: ['petition.updated'],
    async handleEvents(tx, events) {
      for (const { data } of events) await tx`insert into seen (n) values (${Number(data.n)})`;
      // The failure rolls back the inserts, and the events are delivered again.
      if (failures < 3 && events.some(({ data }) => Number(data.n) % 100 === 50)) {
        failures += 1;
        throw new Error('fails now and then');
      }
    },
  };
  const log = one.ctx.log.child({}, { level: 'silent' });
  const running = [one, two].map(
    ({ ctx }) =>
      new Followers({
        db: ctx.pools.main,
        eventNotifier: ctx.eventNotifier,
        followers: [follower],
        log,
        metrics: new Registry(),
      }),
  );
  await Promise.all(running.map((followers) => followers.start()));
  for (let n = 0; n < 300; n += 1) {
    await emitEvent(n % 2 ? one : two, n);
    one.ctx.eventNotifier.notify();
  }
  await eventually(async () => (await db`select from seen`).length >= 300, 15_000);
  await Promise.all(running.map((followers) => followers.stop()));
  const seen = await db`select n from seen order by position`;
  assert.deepEqual(
    seen.map(({ n }) => n),
    Array.from({ length: 300 }, (_, n) => n),
  );
  assert.equal(failures, 3);
});

it('a failing follower backs off in spite of notifications, and stops at once', async () => {
  await using service = await startService();
  const { pools, eventNotifier, log } = service.ctx;
  const failedAt: number[] = [];
  const followers = new Followers({
    db: pools.main,
    eventNotifier,
    followers: [
      {
        name: 'failing',
        types: ['petition.updated'],
        async handleEvents() {
          failedAt.push(performance.now());
          throw new Error('fails always');
        },
      },
    ],
    log: log.child({}, { level: 'silent' }),
    metrics: new Registry(),
  });
  await followers.start();
  await emitEvent(service, 1);
  await eventually(() => {
    eventNotifier.notify();
    return failedAt.length >= 3;
  }, 15_000);
  // The backoff would last two seconds more.
  const stopped = followers.stop().then(() => 'stopped');
  assert.equal(await Promise.race([stopped, pause(1000, 'backing off')]), 'stopped');
  const [first, second, third] = failedAt as [number, number, number];
  assert.ok(second - first >= 490 && third - second >= 990, failedAt.join(' '));
});

it('a notification of one process wakes another one', async () => {
  await using one = await startService();
  await using two = await startService({ beside: one });
  let received = 0;
  two.ctx.eventNotifier.subscribe(() => (received += 1));
  await eventually(async () => {
    one.ctx.eventNotifier.notify();
    return received > 0;
  });
});

it('a follower that waits for more notifications stops at once', async () => {
  await using service = await startService();
  const { ctx } = service;
  const follower: EventFollower = {
    name: 'rare',
    types: ['petition.updated'],
    coalesceMs: 3_600_000,
    handleEvents: async () => {},
  };
  const { eventNotifier, log } = ctx;
  const metrics = new Registry();
  const followers = new Followers({
    db: ctx.pools.main,
    eventNotifier,
    followers: [follower],
    log,
    metrics,
  });
  await followers.start();
  eventNotifier.notify();
  const stopped = followers.stop().then(() => 'stopped');
  assert.equal(await Promise.race([stopped, pause(5000, 'waiting', { ref: false })]), 'stopped');
});
