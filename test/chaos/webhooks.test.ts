import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { describe, it } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { createPublished, signUp, type Person } from '../support/people.ts';
import { sharedSettings, startProcess } from '../support/process.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { startService, type Service } from '../support/service.ts';
import { assertVerified } from '../support/verify.ts';

/** Settings of a worker on the same database as this service. */
const workerOf = (service: Service) => ({ ...sharedSettings(service), ROLE: 'worker' });

/** Creates an endpoint, and then events of one petition. Returns their ids. */
async function createEvents(service: Service, owner: Person, receiver: Receiver, howMany: number) {
  const petition = await createPublished(owner);
  const input = { url: receiver.origin, events: ['petition.updated'] };
  assert.equal((await owner.api.post('/v1/webhooks', input)).status, 201);
  const rows = await service.ctx.db`
    insert into events (type, petition_id, actor_type, actor_id)
    select 'petition.updated', ${petition.id}, 'user', ${owner.id}
    from generate_series(1, ${howMany})
    returning id`;
  return rows.map(({ id }) => String(id));
}

describe('webhooks of a worker', () => {
  it('that is killed: 2,000 events arrive at least once, repeated ones with the same ids', async () => {
    await using service = await startService();
    await using receiver = await startReceiver();
    const { db } = service.ctx;
    const owner = await signUp(service);
    // The follower starts with events after its registration.
    await using victim = await startProcess(workerOf(service));
    const ids = await createEvents(service, owner, receiver, 2000);
    service.ctx.eventNotifier.notify();
    await eventually(() => receiver.received.length > 300, 30_000);
    assert.equal(await victim.end('SIGKILL'), 'SIGKILL');
    const before = receiver.received.length;
    assert.ok(before < 2000, `${before} had arrived`);

    await using next = await startProcess(workerOf(service));
    const waiting = async () => {
      const [row] = await db`
        select count(*)::integer as left, count(leased_until)::integer as taken
        from webhook_deliveries where status <> 'delivered'`;
      return row as unknown as { left: number; taken: number };
    };
    const everyEventIsFollowed = async () => {
      const [row] = await db`select count(*)::integer as n from webhook_deliveries`;
      return row!.n === 2000;
    };
    await eventually(everyEventIsFollowed, 20_000);
    // The deliveries left at the end are leased by the dead worker.
    await eventually(async () => {
      const { left, taken } = await waiting();
      return left === taken;
    }, 40_000);
    // The leases expire.
    await db`update webhook_deliveries set leased_until = leased_until - interval '1 minute'`;
    await eventually(async () => (await waiting()).left === 0, 10_000);

    const byDelivery = Map.groupBy(
      receiver.received,
      ({ headers }) => headers['x-service-delivery-id'],
    );
    assert.equal(byDelivery.size, 2000);
    for (const copies of byDelivery.values()) {
      assert.equal(new Set(copies.map(({ body }) => body)).size, 1);
      assert.equal(new Set(copies.map(({ headers }) => headers['webhook-id'])).size, 1);
    }
    const arrived = new Set(receiver.received.map(({ headers }) => headers['webhook-id']));
    assert.deepEqual(arrived, new Set<unknown>(ids));
    assert.equal(await next.end('SIGTERM'), 0);
    await assertVerified(service.databaseUrl);
  });

  it('that is stopped: it finishes what it can, releases the rest, and exits with 0', async () => {
    await using service = await startService();
    const open: ServerResponse[] = [];
    await using receiver = await startReceiver((_, response) => void open.push(response));
    const owner = await signUp(service);
    await using worker = await startProcess(workerOf(service));
    await createEvents(service, owner, receiver, 3);
    service.ctx.eventNotifier.notify();
    await eventually(() => open.length === 3, 20_000);
    const ended = worker.end('SIGTERM');
    open[0]!.end();
    assert.equal(await ended, 0, worker.output());
    const rows = await service.ctx.db`
      select status, attempts, leased_until from webhook_deliveries order by status`;
    assert.deepEqual(
      rows.map(({ status, attempts, leased_until }) => [status, attempts, leased_until]),
      [
        ['delivered', 1, null],
        ['pending', 0, null],
        ['pending', 0, null],
      ],
    );
    await assertVerified(service.databaseUrl);
  });
});
