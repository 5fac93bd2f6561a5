import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../test/support/eventually.ts';
import { waitingForLocks } from '../../test/support/locks.ts';
import { petitionInput, signUp, type Person } from '../../test/support/people.ts';
import { startService, type Service } from '../../test/support/service.ts';
import { emit, readEvents, startOfLog, systemActor, type LogPosition } from './events.ts';
import { addJob, startWorker } from './jobs.ts';

describe('events', () => {
  it('are read once and in order, even if a transaction commits late', async () => {
    await using service = await startService();
    const db = service.ctx.pools.main;
    let position: LogPosition = startOfLog;
    const seen: unknown[] = [];
    const read = async () => {
      const events = await readEvents(db, position, 1000);
      position = events.at(-1) ?? position;
      seen.push(...events.map((event) => event.data.n));
    };
    const event = (n: number) =>
      ({ type: 'petition.updated', petitionId: null, actor: systemActor, data: { n } }) as const;

    const { promise: mayCommit, resolve: commit } = Promise.withResolvers<void>();
    const { promise: written, resolve: markWritten } = Promise.withResolvers<void>();
    const late = db.begin(async (tx) => {
      await emit(tx, event(1));
      markWritten();
      await mayCommit;
    });
    await written;
    await db.begin((tx) => emit(tx, event(2)));
    await read();
    assert.deepEqual(seen, [], 'nothing is read past a running transaction');
    await assert.rejects(
      db.begin(async (tx) => {
        await emit(tx, event(3));
        throw new Error('rolled back');
      }),
    );
    commit();
    await late;
    // Transactions of other databases of the server may delay events.
    await eventually(async () => {
      await read();
      return seen.length >= 2;
    }, 15_000);
    assert.deepEqual(seen, [1, 2]);

    const writing = Promise.all(
      Array.from({ length: 10 }, async (_, writer) => {
        for (let n = 0; n < 30; n++) {
          await db.begin(async (tx) => {
            await emit(tx, event(1000 + writer * 100 + n));
            await tx`select pg_sleep(${Math.random() / 200})`;
          });
        }
      }),
    );
    await eventually(async () => {
      await read();
      return seen.length >= 302;
    }, 15_000);
    await writing;
    await read();
    assert.deepEqual(
      seen.filter((n, index) => seen.indexOf(n) !== index),
      [],
    );
    assert.equal(seen.length, 302);
  });
});

describe('jobs', () => {
  it('are stored by their transaction, and taken over from a worker that died', async () => {
    await using service = await startService();
    const { databaseUrl, ctx } = service;
    const done: number[] = [];
    let stuck = 0;
    const { promise: forever, resolve: release } = Promise.withResolvers<void>();
    const worker = () =>
      startWorker({
        databaseUrl,
        db: ctx.pools.main,
        eventNotifier: ctx.eventNotifier,
        log: ctx.log,
        schedules: [],
        heartbeatTimeoutMs: 600,
        handlers: {
          count: async ({ n }: { n: number }) => {
            if (stuck++ === 0) await forever;
            done.push(n);
          },
        },
      });
    await assert.rejects(
      ctx.pools.main.begin(async (tx) => {
        await addJob(tx, 'count', { n: 0 });
        throw new Error('rolled back');
      }),
    );
    const first = await worker();
    await addJob(ctx.db, 'count', { n: 1 });
    await eventually(() => stuck === 1);
    // As if the process had died.
    first.stopHeartbeat();
    const second = await worker();
    await eventually(() => done.length === 1);
    assert.deepEqual(done, [1]);
    release();
    await Promise.all([first.stop(), second.stop()]);
  });
});

describe('Idempotency-Key', () => {
  let service: Service;
  let person: Person;
  before(async () => {
    service = await startService();
    person = await signUp(service);
  });
  after(() => service[Symbol.asyncDispose]());

  const create = (key: string, body: object = petitionInput, who = person) =>
    who.api.post('/v1/petitions', body, { headers: { 'idempotency-key': key } });

  it('repeats the answer without doing the work twice', async () => {
    const first = await create('one');
    const second = await create('one');
    assert.equal(second.status, 201);
    assert.deepEqual(second.body.data, first.body.data);
    assert.equal(second.headers.get('location'), first.headers.get('location'));
    const other = await create('one', petitionInput, await signUp(service));
    assert.notEqual(other.body.data.id, first.body.data.id);
  });

  it('rejects the key with another body, but not after a failure', async () => {
    assert.equal((await create('two', { title: 'Bad' })).status, 422);
    assert.equal((await create('two')).status, 201);
    const changed = await create('two', { ...petitionInput, title: 'Quite another title' });
    assert.equal(changed.status, 422);
    assert.equal(changed.body.errors[0].field, 'Idempotency-Key');
  });

  it('does the work once for concurrent requests', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => create('three')));
    const created = answers.filter(({ status }) => status === 201);
    assert.ok(created.length >= 1);
    assert.ok(answers.every(({ status }) => status === 201 || status === 409));
    assert.equal(new Set(created.map(({ body }) => body.data.id)).size, 1);
    const rows = await service.ctx.pools.main`
      select from events where type = 'petition.created' and petition_id = ${created[0]!.body.data.id}`;
    assert.equal(rows.length, 1);
  });

  it('works for signing and for answers without a body', async () => {
    const { id } = (await create('four')).body.data;
    await person.api.post(`/v1/petitions/${id}/publish`);
    const sign = () =>
      person.api.post(
        `/v1/petitions/${id}/signatures`,
        {},
        { headers: { 'idempotency-key': 'k' } },
      );
    const first = await sign();
    assert.equal(first.status, 201);
    assert.deepEqual((await sign()).body.data, first.body.data);
    const resend = () =>
      person.api.post('/v1/auth/verify-email/resend', undefined, {
        headers: { 'idempotency-key': 'r' },
      });
    assert.equal((await resend()).status, 204);
    assert.equal((await resend()).status, 204);
    const [jobs] = await service.ctx.pools.main`
      select count(*)::int as n from graphile_worker._private_jobs
      where payload->>'user_id' = ${person.id}`;
    assert.equal(jobs!.n, 2, 'one from registering, one from asking again');
  });

  it('does not delay requests by slow requests of another user', async () => {
    const slow = await signUp(service);
    const post = (who: Person, key: string) =>
      who.api.post(
        '/v1/webhooks',
        { url: 'https://example.org/', events: ['petition.created'] },
        { headers: { 'idempotency-key': key } },
      );
    const release = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const holding = service.ctx.pools.main.begin(async (tx) => {
      await tx`select from users where id = ${slow.id} for update`;
      locked.resolve();
      await release.promise;
    });
    await locked.promise;
    const waiting = Array.from({ length: 20 }, (_, n) => post(slow, `slow ${n}`));
    try {
      await eventually(async () => (await waitingForLocks(service.ctx.pools.main)) >= 3);
      const quick = Promise.all(Array.from({ length: 5 }, (_, n) => post(person, `quick ${n}`)));
      const all = [quick.then(() => 'quick'), ...waiting.map((one) => one.then(() => 'slow'))];
      assert.equal(await Promise.race(all), 'quick');
    } finally {
      release.resolve();
    }
    await holding;
    const answers = await Promise.all(waiting);
    // On a busy machine some wait for longer than a request may, and are told to ask again.
    const again = await Promise.all(
      answers.map(async (answer, n) => (answer.status === 503 ? post(slow, `slow ${n}`) : answer)),
    );
    assert.deepEqual(
      again.map(({ status }) => status),
      Array.from({ length: 20 }, () => 201),
    );
  });

  it('stores answers encrypted', async () => {
    const { body } = await create('five');
    const rows = await service.ctx.pools.main`select answer from idempotency_keys`;
    assert.ok(rows.every(({ answer }) => !Buffer.from(answer).includes(body.data.id)));
  });
});
