import assert from 'node:assert/strict';
import type { RequestListener, ServerResponse } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { published, signUp, type Person } from '../../../test/support/people.ts';
import { startReceiver, type Receiver } from '../../../test/support/receiver.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { Outgoing } from '../../platform/safe-fetch.ts';

const retryBase = 5;
const timeLimit = 300;

describe('endpoints under trouble', () => {
  let service: Service;
  let receiver: Receiver;
  let owner: Person;
  /** How each path answers, the first time and later. */
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
      env: { WEBHOOK_RETRY_BASE_MS: String(retryBase) },
      parts: { outgoing: new Outgoing({ publicOnly: false, timeLimit }) },
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
  /** The newest delivery, once it is in that state. */
  const until = async (id: string, wanted: string) => {
    await eventually(async () => (await deliveriesOf(id))[0].status === wanted, 20_000);
    return (await deliveriesOf(id))[0];
  };
  const isActive = async (id: string) =>
    (await owner.api.get(`/v1/webhooks/${id}`)).body.data.is_active;

  it('one that answers 500 is tried 6 times, each wait 4 times longer, with the same bytes', async () => {
    const id = await create('/500', status(500));
    await test(id);
    const { attempts, response_status, error, next_attempt_at } = await until(id, 'failed');
    assert.deepEqual([attempts, response_status, next_attempt_at], [6, 500, null]);
    assert.equal(error, 'It answered 500.');
    const tries = receiver.at('/500');
    assert.equal(tries.length, 6);
    for (let n = 1; n < 6; n++) {
      const gap = tries[n]!.at - tries[n - 1]!.at;
      assert.ok(gap >= retryBase * 4 ** (n - 1), `retry ${n} after ${gap} ms`);
    }
    for (const name of ['x-service-delivery-id', 'webhook-id', 'x-service-timestamp']) {
      assert.equal(new Set(tries.map(({ headers }) => headers[name])).size, 1, name);
    }
    assert.equal(new Set(tries.map(({ body }) => body)).size, 1);
    assert.ok(await isActive(id));
  });

  it('one that comes back gets what it missed', async () => {
    const id = await create('/back', status(500), status(503), status(204));
    await test(id);
    const { attempts, response_status, error, delivered_at } = await until(id, 'delivered');
    assert.deepEqual([attempts, response_status, error], [3, 204, null]);
    assert.ok(Date.parse(delivered_at));
    const { db } = service.ctx;
    const [row] = await db`select failing_since from webhook_endpoints where id = ${id}`;
    assert.equal(row!.failing_since, null);
  });

  it('one that does not answer in time, or closes the connection, is tried again', async () => {
    const late = await create('/late', () => {}, status(200));
    await test(late);
    await eventually(async () => (await deliveriesOf(late))[0].attempts >= 1);
    const closing = await create('/closing', (response) => response.destroy(), status(200));
    await test(closing);
    assert.equal((await until(late, 'delivered')).attempts, 2);
    assert.equal((await until(closing, 'delivered')).attempts, 2);
    const never = await create('/never', () => {});
    await test(never);
    const { error, response_status } = await until(never, 'failed');
    assert.deepEqual([error, response_status], ['No answer came within 0.3 s.', null]);
    const closed = await create('/closed', (response) => response.destroy());
    await test(closed);
    const told = await until(closed, 'failed');
    assert.equal(told.error, 'The connection was closed before an answer came.');
  });

  it('one that redirects has failed, and is not followed', async () => {
    const id = await create('/moved', status(302, { location: `${receiver.origin}/target` }));
    await test(id);
    const { error, response_status } = await until(id, 'failed');
    assert.equal(response_status, 302);
    assert.equal(error, 'It answered 302. Redirects are not followed.');
    assert.equal(receiver.at('/target').length, 0);
  });

  it('of an answer of 10 MB no more than a little is taken', async () => {
    let taken = 0;
    const id = await create('/large', (response) => {
      response.writeHead(200);
      const chunk = Buffer.alloc(65_536);
      const push = () => {
        let more = true;
        while (more && taken < 10_000_000 && !response.destroyed) {
          taken += chunk.length;
          more = response.write(chunk);
        }
        if (more) response.end();
        else response.once('drain', push);
      };
      push();
    });
    await test(id);
    assert.equal((await until(id, 'delivered')).attempts, 1);
    assert.ok(taken < 6_000_000, `${taken} bytes were sent`);
  });

  it('an answer 410 switches the endpoint off at once, and its owner is told by an event', async () => {
    const id = await create('/gone', status(410));
    await test(id);
    const { attempts, response_status } = await until(id, 'failed');
    assert.deepEqual([attempts, response_status], [1, 410]);
    assert.equal(await isActive(id), false);
    const told = await service.ctx.db`
      select data from events where type = 'webhook.disabled' and data->>'endpoint_id' = ${id}`;
    assert.deepEqual(
      told.map(({ data }) => data),
      [{ endpoint_id: id, user_id: owner.id }],
    );
    assert.equal((await owner.api.patch(`/v1/webhooks/${id}`, { is_active: true })).status, 200);
    assert.ok(await isActive(id));
  });

  it('5 days of failure switch it off; 4 do not', async () => {
    for (const [days, active] of [
      [4, true],
      [6, false],
    ] as const) {
      const id = await create(`/failing-${days}`, status(500));
      await service.ctx.db`
        update webhook_endpoints set failing_since = now() - ${days} * interval '1 day'
        where id = ${id}`;
      await test(id);
      await until(id, 'failed');
      await eventually(async () => (await isActive(id)) === active);
    }
  });

  it('a Retry-After is honoured, in seconds and as a date', async () => {
    const id = await create('/busy', status(503, { 'retry-after': '1' }), status(204));
    await test(id);
    await until(id, 'delivered');
    const [first, second] = receiver.at('/busy');
    assert.ok(second!.at - first!.at >= 1000, `${second!.at - first!.at} ms`);
    const date = new Date(Date.now() + 3_600_000);
    const later = await create('/later', status(429, { 'retry-after': date.toUTCString() }));
    await test(later);
    const { next_attempt_at: next, status: state } = await until(later, 'retrying');
    assert.equal(state, 'retrying');
    assert.ok(Math.abs(Date.parse(next) - date.getTime()) < 10_000, next);
  });

  it('what is due to one that was switched off fails without being sent', async () => {
    const id = await create('/off', status(503, { 'retry-after': '1' }));
    await test(id);
    await until(id, 'retrying');
    await owner.api.patch(`/v1/webhooks/${id}`, { is_active: false });
    const { error, next_attempt_at } = await until(id, 'failed');
    assert.deepEqual([error, next_attempt_at], ['The endpoint is switched off.', null]);
    assert.equal(receiver.at('/off').length, 1);
  });

  it('one that is stuck holds up nobody, and has few tries under way', async () => {
    let underWay = 0;
    let most = 0;
    const stuck = await create('/stuck', (response) => {
      most = Math.max(most, ++underWay);
      response.on('close', () => (underWay -= 1));
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
    await eventually(() => underWay > 0);
    for (let n = 0; n < 20; n++) await test(quick);
    await eventually(() => receiver.at('/quick').length === 20, 3000);
    assert.ok(receiver.at('/stuck').length < 100, 'the stuck one was still at its beginning');
    assert.ok(most <= 4, `${most} under way`);
    await owner.api.patch(`/v1/webhooks/${stuck}`, { is_active: false });
  });

  it('many deliveries share connections, and two processes send each once', async () => {
    await using other = await startService({ beside: service, worker: true });
    const id = await create('/many');
    const petition = await published(owner);
    await owner.api.patch(`/v1/webhooks/${id}`, { events: ['petition.updated'] });
    await service.ctx.db`
      insert into events (type, petition_id, actor_type, actor_id)
      select 'petition.updated', ${petition.id}, 'user', ${owner.id} from generate_series(1, 300)`;
    other.ctx.eventNotifier.notify();
    await eventually(() => receiver.at('/many').length >= 300, 30_000);
    const { db } = service.ctx;
    await eventually(async () => {
      const left = await db`
        select from webhook_deliveries where endpoint_id = ${id} and status <> 'delivered'`;
      return left.length === 0;
    });
    const came = receiver.at('/many');
    // Whatever was sent again had failed before.
    const [row] = await db`
      select sum(attempts)::integer as tries from webhook_deliveries where endpoint_id = ${id}`;
    assert.equal(came.length, row!.tries);
    assert.equal(new Set(came.map(({ headers }) => headers['x-service-delivery-id'])).size, 300);
    assert.equal(new Set(came.map(({ headers }) => headers['webhook-id'])).size, 300);
    const connections = new Set(came.map(({ connection }) => connection));
    assert.ok(connections.size <= 150, `${connections.size} connections`);
  });
});
