import assert from 'node:assert/strict';
import type { RequestListener, ServerResponse } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { createPublished, signUp, type Person } from '../../../test/support/people.ts';
import { startReceiver, type Receiver } from '../../../test/support/receiver.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { HttpClient } from '../../platform/safe-fetch.ts';

const retryBaseMs = 5;
const timeoutMs = 300;

describe('failing webhook endpoints', () => {
  let service: Service;
  let receiver: Receiver;
  let owner: Person;
  /** Answers of each path in order; the last one repeats. */
  const answers = new Map<string, ((response: ServerResponse) => void)[]>();
  const answer: RequestListener = ({ url }, response) => {
    const steps = answers.get(url!);
    const step = steps && steps.length > 1 ? steps.shift() : steps?.[0];
    if (step) step(response);
    else response.writeHead(204).end();
  };
  before(async () => {
    service = await startService({
      worker: true,
      env: { WEBHOOK_RETRY_BASE_MS: String(retryBaseMs) },
      parts: { httpClient: new HttpClient({ publicOnly: false, timeoutMs }) },
    });
    receiver = await startReceiver(answer);
    owner = await signUp(service);
  });
  after(async () => {
    await service[Symbol.asyncDispose]();
    await receiver[Symbol.asyncDispose]();
  });

  const status =
    (code: number, headers: Record<string, string> = {}) =>
    (response: ServerResponse) =>
      void response.writeHead(code, headers).end();
  const create = async (path: string, ...steps: ((response: ServerResponse) => void)[]) => {
    answers.set(path, steps);
    const input = { url: receiver.origin + path, events: ['petition.closed'] };
    const { body } = await owner.api.post('/v1/webhooks', input);
    return body.data.id as string;
  };
  const deliveriesOf = async (id: string) =>
    (await owner.api.get(`/v1/webhooks/${id}/deliveries?limit=100`)).body.data;
  const test = async (id: string) =>
    assert.equal((await owner.api.post(`/v1/webhooks/${id}/test`)).status, 201);
  /** Waits until the newest delivery has the status, and returns it. */
  const newestWhen = async (id: string, wanted: string) => {
    await eventually(async () => (await deliveriesOf(id))[0].status === wanted, 20_000);
    return (await deliveriesOf(id))[0];
  };
  const isActive = async (id: string) =>
    (await owner.api.get(`/v1/webhooks/${id}`)).body.data.is_active;

  it('makes 6 attempts after answers 500, each wait 4 times longer, with the same bytes', async () => {
    const id = await create('/500', status(500));
    await test(id);
    const { attempts, response_status, error, next_attempt_at } = await newestWhen(id, 'failed');
    assert.deepEqual([attempts, response_status, next_attempt_at], [6, 500, null]);
    assert.equal(error, 'It answered 500.');
    const requests = receiver.at('/500');
    assert.equal(requests.length, 6);
    for (let n = 1; n < 6; n++) {
      const gap = requests[n]!.at - requests[n - 1]!.at;
      assert.ok(gap >= retryBaseMs * 4 ** (n - 1), `retry ${n} after ${gap} ms`);
    }
    for (const name of ['x-service-delivery-id', 'webhook-id', 'x-service-timestamp']) {
      assert.equal(new Set(requests.map(({ headers }) => headers[name])).size, 1, name);
    }
    assert.equal(new Set(requests.map(({ body }) => body)).size, 1);
    assert.ok(await isActive(id));
  });

  it('delivers to an endpoint that recovers', async () => {
    const id = await create('/back', status(500), status(503), status(204));
    await test(id);
    const { attempts, response_status, error, delivered_at } = await newestWhen(id, 'delivered');
    assert.deepEqual([attempts, response_status, error], [3, 204, null]);
    assert.ok(Date.parse(delivered_at));
    const { db } = service.ctx;
    const [row] = await db`select failing_since from webhook_endpoints where id = ${id}`;
    assert.equal(row!.failing_since, null);
  });

  it('retries after a timeout or a closed connection', async () => {
    const late = await create('/late', () => {}, status(200));
    await test(late);
    await eventually(async () => (await deliveriesOf(late))[0].attempts >= 1);
    const closing = await create('/closing', (response) => response.destroy(), status(200));
    await test(closing);
    assert.equal((await newestWhen(late, 'delivered')).attempts, 2);
    assert.equal((await newestWhen(closing, 'delivered')).attempts, 2);
    const never = await create('/never', () => {});
    await test(never);
    const { error, response_status } = await newestWhen(never, 'failed');
    assert.deepEqual([error, response_status], ['No answer came within 0.3 s.', null]);
    const closed = await create('/closed', (response) => response.destroy());
    await test(closed);
    const delivery = await newestWhen(closed, 'failed');
    assert.equal(delivery.error, 'The connection was closed before an answer came.');
  });

  it('treats a redirect as a failure and does not follow it', async () => {
    const id = await create('/moved', status(302, { location: `${receiver.origin}/target` }));
    await test(id);
    const { error, response_status } = await newestWhen(id, 'failed');
    assert.equal(response_status, 302);
    assert.equal(error, 'It answered 302. Redirects are not followed.');
    assert.equal(receiver.at('/target').length, 0);
  });

  it('reads only the start of an answer of 10 MB', async () => {
    let sentBytes = 0;
    const id = await create('/large', (response) => {
      response.writeHead(200);
      const chunk = Buffer.alloc(65_536);
      const push = () => {
        let canWrite = true;
        while (canWrite && sentBytes < 10_000_000 && !response.destroyed) {
          sentBytes += chunk.length;
          canWrite = response.write(chunk);
        }
        if (canWrite) response.end();
        else response.once('drain', push);
      };
      push();
    });
    await test(id);
    assert.equal((await newestWhen(id, 'delivered')).attempts, 1);
    assert.ok(sentBytes < 6_000_000, `${sentBytes} bytes were sent`);
  });

  it('disables the endpoint at once after an answer 410, with an event for its owner', async () => {
    const id = await create('/gone', status(410));
    await test(id);
    const { attempts, response_status } = await newestWhen(id, 'failed');
    assert.deepEqual([attempts, response_status], [1, 410]);
    assert.equal(await isActive(id), false);
    const disabled = await service.ctx.db`
      select data from events where type = 'webhook.disabled' and data->>'endpoint_id' = ${id}`;
    assert.deepEqual(
      disabled.map(({ data }) => data),
      [{ endpoint_id: id, user_id: owner.id }],
    );
    assert.equal((await owner.api.patch(`/v1/webhooks/${id}`, { is_active: true })).status, 200);
    assert.ok(await isActive(id));
  });

  it('disables an endpoint that fails for 5 days, not for 4', async () => {
    for (const [days, active] of [
      [4, true],
      [6, false],
    ] as const) {
      const id = await create(`/failing-${days}`, status(500));
      await service.ctx.db`
        update webhook_endpoints set failing_since = now() - ${days} * interval '1 day'
        where id = ${id}`;
      await test(id);
      await newestWhen(id, 'failed');
      await eventually(async () => (await isActive(id)) === active);
    }
  });

  it('honours Retry-After in seconds and as a date', async () => {
    const id = await create('/busy', status(503, { 'retry-after': '1' }), status(204));
    await test(id);
    await newestWhen(id, 'delivered');
    const [first, second] = receiver.at('/busy');
    assert.ok(second!.at - first!.at >= 1000, `${second!.at - first!.at} ms`);
    const date = new Date(Date.now() + 3_600_000);
    const later = await create('/later', status(429, { 'retry-after': date.toUTCString() }));
    await test(later);
    const { next_attempt_at: next, status: state } = await newestWhen(later, 'retrying');
    assert.equal(state, 'retrying');
    assert.ok(Math.abs(Date.parse(next) - date.getTime()) < 10_000, next);
  });

  it('fails due deliveries of a disabled endpoint without sending them', async () => {
    const id = await create('/off', status(503, { 'retry-after': '1' }));
    await test(id);
    await newestWhen(id, 'retrying');
    await owner.api.patch(`/v1/webhooks/${id}`, { is_active: false });
    const { error, next_attempt_at } = await newestWhen(id, 'failed');
    assert.deepEqual([error, next_attempt_at], ['The endpoint is switched off.', null]);
    assert.equal(receiver.at('/off').length, 1);
  });

  it('makes few attempts at once to an endpoint that hangs, and does not delay others', async () => {
    let running = 0;
    let maxRunning = 0;
    const stuck = await create('/stuck', (response) => {
      maxRunning = Math.max(maxRunning, ++running);
      response.on('close', () => (running -= 1));
    });
    const quick = await create('/quick');
    await service.ctx.db`
      insert into webhook_payloads (event_id, body, named)
      values ('00000000-0000-7000-8000-000000000001', '{"created_at":"2026-01-01T00:00:00Z"}', '{}')`;
    await service.ctx.db`
      insert into webhook_deliveries (id, endpoint_id, event_id, event)
      select uuid_v7(), id, '00000000-0000-7000-8000-000000000001', 'petition.closed'
      from webhook_endpoints, generate_series(1, 1000) where id = ${stuck}`;
    service.ctx.eventNotifier.notify();
    await eventually(() => running > 0);
    for (let n = 0; n < 20; n++) await test(quick);
    await eventually(() => receiver.at('/quick').length === 20, 3000);
    assert.ok(
      receiver.at('/stuck').length < 100,
      'most deliveries to the hanging endpoint must still wait',
    );
    assert.ok(maxRunning <= 4, `${maxRunning} at once`);
    await owner.api.patch(`/v1/webhooks/${stuck}`, { is_active: false });
  });

  it('shares connections, and sends each delivery once from two processes', async () => {
    await using other = await startService({ beside: service, worker: true });
    const id = await create('/many');
    const petition = await createPublished(owner);
    await owner.api.patch(`/v1/webhooks/${id}`, { events: ['petition.updated'] });
    await service.ctx.db`
      insert into events (type, petition_id, actor_type, actor_id)
      select 'petition.updated', ${petition.id}, 'user', ${owner.id} from generate_series(1, 300)`;
    other.ctx.eventNotifier.notify();
    await eventually(() => receiver.at('/many').length >= 300, 30_000);
    const { db } = service.ctx;
    await eventually(async () => {
      const undelivered = await db`
        select from webhook_deliveries where endpoint_id = ${id} and status <> 'delivered'`;
      return undelivered.length === 0;
    });
    const received = receiver.at('/many');
    // Repeated requests are retries of failed attempts.
    const [row] = await db`
      select sum(attempts)::integer as attempts from webhook_deliveries where endpoint_id = ${id}`;
    assert.equal(received.length, row!.attempts);
    assert.equal(
      new Set(received.map(({ headers }) => headers['x-service-delivery-id'])).size,
      300,
    );
    assert.equal(new Set(received.map(({ headers }) => headers['webhook-id'])).size, 300);
    const connections = new Set(received.map(({ connection }) => connection));
    assert.ok(connections.size <= 150, `${connections.size} connections`);
  });
});
