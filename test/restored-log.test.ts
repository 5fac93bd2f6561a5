import assert from 'node:assert/strict';
import { it } from 'node:test';
import { rebuildAll } from '../src/cli/rebuild-sums.ts';
import { readFollowerLags } from '../src/platform/followers.ts';
import { migrate } from '../src/platform/migrate.ts';
import { eventually } from './support/eventually.ts';
import { createTokens, createPublished, signUp } from './support/people.ts';
import { silent } from './support/progress.ts';
import { startReceiver } from './support/receiver.ts';
import { startService } from './support/service.ts';
import { assertSums, untilSumsSettled } from './support/sums.ts';
import { runVerify } from './support/verify.ts';

/** Offset of the transaction ids of the other server. */
const transactionOffset = '1000000000000000';

it('continues an event log restored to another server, without lost or repeated events', async () => {
  await using service = await startService();
  await using receiver = await startReceiver();
  const { db } = service.ctx;
  // The log no longer starts at its first event.
  await db`select setval(pg_get_serial_sequence('events', 'position'), 1000)`;
  const owner = await signUp(service);
  const petition = await createPublished(owner);
  const hook = await owner.api.post('/v1/webhooks', {
    url: receiver.origin,
    events: ['signature.created', 'signature.removed'],
  });
  const path = `/v1/petitions/${petition.id}/signatures`;
  const tokens = await createTokens(service, 7);
  const sign = async (howMany: number) => {
    for (const token of tokens.splice(0, howMany)) {
      assert.equal((await service.api.as(token).post(path)).status, 201);
    }
  };
  const log = async (query = '') => {
    const { body } = await owner.api.get(`/v1/events?limit=100${query}`);
    return body.data.map(({ id }: { id: string }) => id) as string[];
  };
  const delivered = () => receiver.received.map(({ headers }) => String(headers['webhook-id']));
  const positions = () => db`select name, transaction::text, position::text from event_followers`;
  /** Migrates like two processes that start together. */
  const migrateTwice = async () => {
    await Promise.all([migrate(service.databaseUrl), migrate(service.databaseUrl)]);
  };

  {
    await using worker = await startService({ beside: service, worker: true });
    await sign(2);
    await owner.api.post(path);
    await owner.api.delete(`${path}/me`);
    await eventually(() => receiver.received.length === 4, 15_000);
    await untilSumsSettled(worker);
  }
  // Followers have seen none of these; the rebuilt sums include the first.
  await sign(1);
  await rebuildAll(service.ctx, silent);
  await sign(2);
  await eventually(async () => (await log()).length === 9, 15_000);
  const idsBefore = await log();
  for (const table of ['events', 'event_followers', 'webhook_payloads', 'rebuilt_sums']) {
    await db`
      update ${db(table)}
      set transaction = (transaction::text::bigint + ${transactionOffset}::bigint)::text::xid8`;
  }
  // With a version that does not renumber.
  await sign(1);

  const unchecked = await runVerify({ DATABASE_URL: service.databaseUrl });
  assert.equal(unchecked.code, 2);
  assert.match(unchecked.stderr, /was restored from another server: run `npm run migrate`/);
  await migrateTwice();
  await using _ = await startService({ beside: service, worker: true });
  await sign(1);
  await eventually(() => receiver.received.length === 9, 15_000);
  await eventually(async () => (await log()).length === 11, 15_000);
  const now = await log();
  assert.deepEqual(now.slice(0, 9), idsBefore);
  assert.deepEqual(await log(`&after=${idsBefore[4]}`), now.slice(5));
  assert.deepEqual(delivered().toSorted(), now.slice(2).toSorted());
  await untilSumsSettled(service);
  await assertSums(service);

  // A redelivery finds the event at its new position.
  await db`update webhook_payloads set body = null`;
  const { id: hookId } = hook.body.data;
  const { body } = await owner.api.get(`/v1/webhooks/${hookId}/deliveries`);
  const { id, event_id: eventId } = body.data.at(-1);
  await owner.api.post(`/v1/webhooks/${hookId}/deliveries/${id}/redeliver`);
  await eventually(() => receiver.received.length === 10, 15_000);
  const sent = receiver.received.filter(({ headers }) => headers['webhook-id'] === eventId);
  assert.deepEqual(sent[1]!.body, sent[0]!.body);

  // Followers move on until they have seen all.
  await eventually(async () => (await readFollowerLags(db)).every(({ seconds }) => seconds === 0));
  const before = await positions();
  await migrateTwice();
  assert.deepEqual(await positions(), before);
  // No other column holds transaction ids.
  const columns = await db<{ table: string; column: string }[]>`
    select attrelid::regclass::text as table, attname as column
    from pg_attribute join pg_class c on c.oid = attrelid
    where atttypid = 'xid8'::regtype and c.relkind = 'r'
      and c.relnamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)`;
  assert.equal(columns.length, 4);
  for (const { table, column } of columns) {
    const beyond = await db`
      select from ${db(table)} where ${db(column)} > pg_snapshot_xmax(pg_current_snapshot())`;
    assert.equal(beyond.length, 0, table);
  }
});
