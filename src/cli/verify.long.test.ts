import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../../test/support/eventually.ts';
import { corruptions } from '../../test/support/corruptions.ts';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { createTokens, createPublished, signUp } from '../../test/support/people.ts';
import { silent } from '../../test/support/progress.ts';
import { startReceiver } from '../../test/support/receiver.ts';
import { startService } from '../../test/support/service.ts';
import { makeVerifiedWorld } from '../../test/support/verified-world.ts';
import { assertVerified, runVerify } from '../../test/support/verify.ts';
import { openPool, type Pool } from '../platform/db.ts';
import { makeDemoWorld } from './demo/fill.ts';
import { verify } from './verify.ts';

describe('verify', () => {
  let world: TestDatabase;
  let petitionId: string;
  before(async () => {
    world = await createTestDatabase();
    // An alert about the many signatures can come after all else has settled, and the log would not have read it. Before
    // the service starts, since a step that is under way ends the lease.
    await change(world.url, `update integrity_watch set claimed_until = now() + interval '1 day'`);
    await using receiver = await startReceiver();
    await using service = await startService({ databaseUrl: world.url, worker: true });
    petitionId = (await makeVerifiedWorld(service, receiver)).petition.id;
    // The first day is not compared.
    await service.ctx.db`insert into signature_days (day, given) values ('2020-01-01', 7)`;
  });
  after(() => world[Symbol.asyncDispose]());

  /** Runs the work on a copy of the database. */
  const onCopy = async (work: (url: string) => Promise<void>) => {
    await using copy = await createTestDatabase({ copyOf: world });
    await work(copy.url);
  };

  const change = async (url: string, sql: string) => {
    const db = openPool(url, { name: 'test', max: 1 });
    await db.unsafe(sql);
    await db.end();
  };

  /** Waits for older transactions of the server, those of other tests too: the log is read up to the oldest. */
  const untilSettled = async (db: Pool) => {
    const [now] = await db`select pg_current_xact_id()::text as id`;
    await eventually(async () => {
      const [row] = await db`
        select pg_snapshot_xmin(pg_current_snapshot()) >= ${now!.id}::xid8 as is_settled`;
      return row!.is_settled as boolean;
    }, 20_000);
  };

  it('passes for data of the service, and reports what it checked', async () => {
    const { code, stdout } = await runVerify({ DATABASE_URL: world.url });
    assert.equal(code, 0, stdout);
    const lines = stdout.trim().split('\n');
    assert.equal(lines.at(-1), 'All 14 checks hold.');
    // A check of nothing could not fail.
    for (const line of lines.slice(0, -1)) assert.match(line, /^ok {7}[a-z-]+: [1-9]\d* \w+$/);
    assert.equal(lines.length, 15);
  });

  it('checks one petition', async () => {
    const { code, stdout } = await runVerify(
      { DATABASE_URL: world.url },
      '--petition',
      petitionId,
      '--json',
    );
    assert.equal(code, 0, stdout);
    const report = JSON.parse(stdout);
    assert.equal(report.verdict, 'holds');
    const looked = Object.fromEntries(
      report.checks.map((one: { name: string; lookedAt: number }) => [one.name, one.lookedAt]),
    );
    assert.equal(looked['signature-counts'], 1);
    assert.equal(looked['signature-events'], 120);
    assert.equal(looked['fan-outs'], 120);
  });

  for (const { name, sql, wrong } of corruptions) {
    it(`finds ${name}`, () =>
      onCopy(async (url) => {
        const db = openPool(url, { name: 'test', max: 1 });
        await db.unsafe(sql);
        await untilSettled(db);
        const report = await verify(db, null, silent);
        await db.end();
        assert.equal(report.verdict, 'wrong');
        const found = report.checks.filter((one) => one.wrong > 0).map(({ name: check }) => check);
        assert.deepEqual(found, wrong, JSON.stringify(report));
      }));
  }

  it('reports an error in one line with ids', () =>
    onCopy(async (url) => {
      await change(url, `update petitions set signature_count = 121 where id = '${petitionId}'`);
      const { code, stdout } = await runVerify({ DATABASE_URL: url });
      assert.equal(code, 1);
      const lines = stdout.trim().split('\n');
      assert.equal(
        lines.find((line) => line.startsWith('WRONG')),
        `WRONG    signature-counts: 1 wrong, 3 petitions looked at: petition ${petitionId}: counts 121 valid signatures, has 120`,
      );
      assert.equal(lines.at(-1), 'Wrong: signature-counts, transparency-log.');
      assert.doesNotMatch(stdout, /example\.org/);
      const other = await runVerify({ DATABASE_URL: url }, '--petition', petitionId);
      assert.equal(other.code, 1);
    }));

  it('warns of failed jobs and overdue work', () =>
    onCopy(async (url) => {
      await change(
        url,
        `select graphile_worker.add_job('send-mail', max_attempts => 1);
        update graphile_worker._private_jobs set attempts = max_attempts
          where id = (select max(id) from graphile_worker._private_jobs);
        update webhook_deliveries set status = 'pending', delivered_at = null,
          next_attempt_at = now() - interval '1 hour', leased_until = now() - interval '1 hour'
        where id = (select min(id::text)::uuid from webhook_deliveries)`,
      );
      const { code, stdout } = await runVerify({ DATABASE_URL: url });
      assert.equal(code, 0, stdout);
      assert.match(stdout, /^warning {2}failed-jobs: 1 of send-mail /m);
      assert.match(stdout, /^warning {2}overdue-webhook-deliveries: 1 have /m);
      assert.match(stdout, /^All 14 checks hold\. Warnings: 2\.$/m);
    }));

  it('passes for the demo world', () =>
    onCopy(async (url) => {
      await using service = await startService({ databaseUrl: url });
      assert.ok(await makeDemoWorld(service.ctx));
      await assertVerified(url);
    }));

  it('exits with 2 and one line if it cannot check', async () => {
    const away = await runVerify({ DATABASE_URL: 'postgres://postgres@127.0.0.1:1/none' });
    assert.equal(away.code, 2);
    assert.match(away.stderr, /^Could not check: .+\n$/);
    const none = await runVerify(
      { DATABASE_URL: world.url },
      '--petition',
      '00000000-0000-7000-8000-000000000001',
    );
    assert.deepEqual([none.code, none.stderr.includes('There is no petition')], [2, true]);
    for (const args of [['--petition', 'x'], ['--nonsense'], ['extra']]) {
      const { code, stderr } = await runVerify({ DATABASE_URL: world.url }, ...args);
      assert.equal(code, 2);
      assert.match(stderr, /^Could not check: .+\n$/);
    }
    await using empty = await createTestDatabase({ migrated: false });
    const other = await runVerify({ DATABASE_URL: empty.url });
    assert.deepEqual([other.code, other.stderr.includes('no migrations')], [2, true]);
    assert.equal((await runVerify({ DATABASE_URL: world.url }, '--help')).code, 0);
  });
});

it('verify passes while people sign, withdraw and post', { timeout: 120_000 }, async () => {
  await using service = await startService({ worker: true });
  const creator = await signUp(service);
  const petitions = [await createPublished(creator), await createPublished(creator)];
  const tokens = await createTokens(service, 300);
  const ending = new AbortController();
  const { signal } = ending;
  let acts = 0;
  const crowd = async (part: number) => {
    for (let n = part; !signal.aborted; n = (n + 4) % tokens.length) {
      const path = `/v1/petitions/${petitions[n % 2]!.id}/signatures`;
      const api = service.api.as(tokens[n]!);
      const { status } = await api.post(path);
      if (status === 409) assert.equal((await api.delete(`${path}/me`)).status, 204);
      else assert.equal(status, 201);
      acts += 1;
    }
  };
  const posting = async () => {
    while (!signal.aborted) {
      const path = `/v1/petitions/${petitions[0]!.id}/updates`;
      const { status } = await creator.api.post(path, { title: 'News', body: 'Some.' });
      assert.equal(status, 201);
      await pause(500);
    }
  };
  const around = Promise.all([...[0, 1, 2, 3].map(crowd), posting()]);
  around.catch(() => ending.abort());
  try {
    for (let round = 0; round < 3; round += 1) await assertVerified(service.databaseUrl);
  } finally {
    ending.abort();
  }
  await around;
  assert.ok(acts > 100, `${acts} acts`);
});
