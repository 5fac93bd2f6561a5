import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { EventSource } from 'eventsource';
import { WebSocket } from 'ws';
import { eventually } from '../../../test/support/eventually.ts';
import { createOrganized, creatorOf, eraseAccount } from '../../../test/support/organizers.ts';
import {
  createTokens,
  createPublished,
  signUp,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { followOn, openWatcher } from '../../../test/support/watcher.ts';

describe('real time', () => {
  let service: Service;
  let beside: Service;
  let creator: Person;
  let signer: Person;
  before(async () => {
    service = await startService();
    beside = await startService({ beside: service });
    creator = await signUp(service, 'Creator');
    signer = await signUp(service, 'Signer');
  });
  after(async () => {
    await beside[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  });

  const sign = (person: Person, { id }: { id: string }, input: object = {}) =>
    person.api.post(`/v1/petitions/${id}/signatures`, input);
  const signAll = async (tokens: string[], { id }: { id: string }) => {
    const path = `/v1/petitions/${id}/signatures`;
    await Promise.all(tokens.map((token) => service.api.as(token).post(path)));
  };
  /** Follows on the other process. */
  const follow = (petition: { id: string }, more: object = {}, origin = beside.origin) =>
    followOn(origin, petition, more);

  it('sends signatures as the list shows them, on every process', async () => {
    const petition = await createPublished(creator, { signatureGoal: 2 });
    using watcher = await follow(petition);
    assert.equal(watcher.first.signature_count, 0);
    await sign(signer, petition, { comment: 'Yes', display_location: 'Leeds' });
    const created = await watcher.next('signature.created');
    assert.deepEqual([created.signature_count, created.added], [1, 1]);
    const { body } = await service.api.get(`/v1/petitions/${petition.id}/signatures`);
    assert.deepEqual(created.signatures, body.data);
    assert.equal(created.signatures[0].user.id, signer.id);

    await sign(creator, petition, { is_anonymous: true });
    const second = await watcher.next('signature.created');
    assert.equal(second.signatures[0].user, null);
    const milestone = await watcher.next('signature.milestone');
    assert.deepEqual([milestone.threshold, milestone.signature_count], [2, 2]);

    await signer.api.delete(`/v1/petitions/${petition.id}/signatures/me`);
    const removed = await watcher.next('signature.removed');
    assert.deepEqual([removed.signature_count, removed.removed], [1, 1]);
    await creator.api.post(`/v1/petitions/${petition.id}/victory`);
    assert.equal((await watcher.next('petition.victory')).petition_id, petition.id);
  });

  it('merges a surge into few messages and sends the last count', async () => {
    const petition = await createPublished(creator);
    using watcher = await follow(petition);
    const start = performance.now();
    await signAll(await createTokens(service, 150), petition);
    await eventually(() => watcher.messages.at(-1)?.signature_count === 150);
    const seconds = (performance.now() - start) / 1000;
    const received = watcher.messages.length - 1;
    assert.ok(received <= 4 * seconds + 2, `${received} messages in ${seconds} s`);
    const created = () => watcher.messages.filter(({ type }) => type === 'signature.created');
    await eventually(() => created().reduce((sum, { added }) => sum + added, 0) === 150);
    const all = created();
    assert.ok(all.every(({ signatures }) => signatures.length <= 20));
    assert.equal((await watcher.next('signature.milestone')).threshold, 100);
  });

  it('sends the true count to many who join at once while people sign', async () => {
    const petition = await createPublished(creator);
    const tokens = await createTokens(service, 120);
    const signing = signAll(tokens, petition);
    const watchers = await Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        follow(petition, {}, n % 2 ? service.origin : beside.origin),
      ),
    );
    await signing;
    await eventually(() =>
      watchers.every(({ messages }) => messages.at(-1).signature_count === 120),
    );
    for (const watcher of watchers) watcher[Symbol.dispose]();
  });

  it('shows private petitions by token or code only, and ends subscriptions when one becomes private', async () => {
    const petition = await createPublished(creator);
    using everybody = await follow(petition);
    await creator.api.patch(`/v1/petitions/${petition.id}`, { visibility: 'private' });
    const refused = await everybody.next('error');
    assert.deepEqual([refused.code, refused.petition_id], ['access_code_required', petition.id]);

    const { access_code } = (await creator.api.get(`/v1/petitions/${petition.id}`)).body.data;
    everybody.say({ type: 'subscribe', petition_id: petition.id });
    assert.equal((await everybody.next('error')).code, 'access_code_required');
    everybody.say({ type: 'subscribe', petition_id: petition.id, access_code });
    await everybody.next('subscribed');
    using byHeader = await openWatcher(beside.origin, {
      authorization: `Bearer ${creator.accessToken}`,
    });
    byHeader.say({ type: 'subscribe', petition_id: petition.slug });
    await byHeader.next('subscribed');
    using byToken = await follow(petition, { access_token: creator.accessToken });
    await sign(signer, petition, { access_code });
    for (const watcher of [everybody, byHeader, byToken]) {
      assert.equal((await watcher.next('signature.created')).signatures.length, 1);
    }
    const path = `/v1/petitions/${petition.id}/events`;
    assert.equal((await service.api.get(path)).status, 403);
    assert.equal((await service.api.get(`${path}?access_code=${access_code}`)).status, 200);
  });

  it('ends at once for creators whose petition another takes over with their account', async () => {
    const { creator: former, petition, people } = await createOrganized(service, 'editor');
    await former.api.patch(`/v1/petitions/${petition.id}`, { visibility: 'private' });
    const startedAt = performance.now();
    using watcher = await follow(petition, { access_token: former.accessToken });
    assert.equal(await eraseAccount(service, former), 204);
    await assert.rejects(watcher.next('petition.closed'), /got an error instead/);
    assert.ok(performance.now() - startedAt < 20_000, 'before credentials are checked again');
    assert.equal(await creatorOf(service, petition.id), people[0]!.id);
  });

  it('ends a subscription by slug or id in any case, without credentials', async () => {
    const petition = await createPublished(creator, { visibility: 'private' });
    const { access_code } = (await creator.api.get(`/v1/petitions/${petition.id}`)).body.data;
    using watcher = await openWatcher(beside.origin);
    const upper = petition.id.toUpperCase();
    for (const [by, other] of [
      [petition.slug, petition.slug],
      [upper, upper],
      [petition.id, petition.slug],
      [petition.slug, upper],
    ]) {
      watcher.say({ type: 'subscribe', petition_id: by, access_code });
      await watcher.next('subscribed');
      await eventually(async () => (await watchersOf(beside)) === 1);
      watcher.say({ type: 'unsubscribe', petition_id: other });
      assert.equal((await watcher.next('unsubscribed')).petition_id, petition.id);
      assert.equal(await watchersOf(beside), 0);
    }
    for (const ref of [petition.slug, 'no-such-petition']) {
      watcher.say({ type: 'unsubscribe', petition_id: ref });
      assert.equal((await watcher.next('unsubscribed')).petition_id, ref);
    }
  });

  it('sends no signatures if their list is not public', async () => {
    const petition = await createPublished(creator, { signaturePrivacy: 'count_only' });
    using watcher = await follow(petition);
    await sign(signer, petition);
    const created = await watcher.next('signature.created');
    assert.deepEqual([created.added, created.signatures], [1, []]);
  });

  it('sends the same as server-sent events, and resumes by Last-Event-ID', async () => {
    const petition = await createPublished(creator);
    const source = new EventSource(`${beside.origin}/v1/petitions/${petition.slug}/events`);
    const heard: { type: string; data: { signature_count: number }; id: string }[] = [];
    for (const type of ['subscribed', 'signature.created']) {
      source.addEventListener(type, (event) =>
        heard.push({ type, data: JSON.parse(event.data), id: event.lastEventId }),
      );
    }
    await eventually(() => heard.length === 1);
    await sign(signer, petition);
    await eventually(() => heard.length === 2);
    source.close();
    assert.equal(heard[1]!.data.signature_count, 1);

    await sign(creator, petition);
    const answer = await fetch(`${service.origin}/v1/petitions/${petition.id}/events`, {
      headers: { 'last-event-id': heard[1]!.id },
    });
    assert.equal(answer.headers.get('content-type'), 'text/event-stream');
    let text = '';
    for await (const chunk of answer.body!) {
      text += Buffer.from(chunk).toString();
      if (text.includes('signature.created')) break;
    }
    assert.match(text, /"resumed":true/);
    assert.match(text, /"added":1/);
  });

  it('answers invalid messages with errors, and closes on floods and large messages', async () => {
    using watcher = await openWatcher(service.origin);
    for (const [message, code] of [
      ['no json', 'invalid-request'],
      ['[]', 'validation-failed'],
      [{ type: 'shout' }, 'validation-failed'],
      [{ type: 'subscribe' }, 'validation-failed'],
      [{ type: 'subscribe', petition_id: 7 }, 'validation-failed'],
      [{ type: 'subscribe', petition_id: 'no-such-petition' }, 'not-found'],
      [{ type: 'subscribe', petition_id: 'x', access_token: 'no' }, 'unauthorized'],
    ] as const) {
      watcher.say(message);
      const error = await watcher.next('error');
      assert.equal(error.code, code);
      assert.ok(error.message);
    }
    const closed = once(watcher.socket, 'close');
    for (let n = 0; n < 300; n += 1) watcher.say({ type: 'ping' });
    assert.equal((await closed)[0], 1008);

    using large = await openWatcher(service.origin);
    large.say('x'.repeat(20_000));
    assert.equal((await once(large.socket, 'close'))[0], 1009);
  });

  it('refuses upgrades with a problem and the headers of every answer', async () => {
    const refusal = async (path: string, headers: Record<string, string> = {}) => {
      const socket = new WebSocket(service.origin.replace('http', 'ws') + path, { headers });
      const [, response] = await once(socket, 'unexpected-response');
      let text = '';
      for await (const chunk of response) text += chunk;
      return { status: response.statusCode, body: JSON.parse(text), headers: response.headers };
    };
    const bad = await refusal('/v1/realtime', { authorization: 'Bearer no' });
    assert.deepEqual([bad.status, bad.body.status], [401, 401]);
    assert.equal(bad.body.instance, '/v1/realtime');
    assert.equal(bad.headers['x-api-version'], '1');
    assert.equal(bad.headers['x-ratelimit-limit'], '50');
    assert.equal(bad.headers.vary, 'Authorization, X-API-Key');
    assert.equal(bad.headers['cache-control'], 'no-store');
    const plain = await service.api.get('/v1/realtime');
    assert.deepEqual([plain.status, plain.headers.get('upgrade')], [426, 'websocket']);
  });

  it('sends the headers of every answer with a 101', async () => {
    const socket = new WebSocket(`${service.origin.replace('http', 'ws')}/v1/realtime`);
    const [{ headers }] = await once(socket, 'upgrade');
    socket.terminate();
    assert.equal(headers['x-api-version'], '1');
    assert.equal(headers['x-ratelimit-limit'], '50');
    assert.match(headers['x-request-id'], /^[0-9a-f-]{36}$/);
  });

  it('answers requests that offer another protocol like all others', async () => {
    const offers = {
      connection: 'Upgrade, HTTP2-Settings',
      upgrade: 'h2c',
      'http2-settings': 'AA',
    };
    for (const headers of [offers, { connection: 'Upgrade', upgrade: 'websocket' }]) {
      const [response] = await once(get(`${service.origin}/v1/petitions`, { headers }), 'response');
      assert.equal(response.statusCode, 200);
      response.destroy();
    }
  });

  it('disconnects a client that does not read', async () => {
    const petition = await createPublished(creator);
    const watcher = await follow(petition);
    const { id: since } = watcher.first;
    await service.ctx.pools.main`
      insert into events (type, petition_id, actor_type, data)
      select 'update.created', ${petition.id}, 'system',
        jsonb_build_object('update_id', repeat('x', 2000))
      from generate_series(1, 900)`;
    // The log shows them after all older transactions have ended, those of other tests too.
    await watcher.next('update.created');
    watcher.socket.pause();
    // Repeats what it has missed: 45 MB, more than the system buffers.
    for (let n = 0; n < 23; n += 1) {
      watcher.say({ type: 'subscribe', petition_id: petition.id, since });
    }
    // Must happen before the unanswered ping ends the connection, after 30 seconds.
    await eventually(async () => (await watchersOf(beside)) === 0, 25_000);
    const closed = once(watcher.socket, 'close');
    watcher.socket.resume();
    assert.equal((await closed)[0], 1006);
  });

  it('ends every connection at once when the service stops', async () => {
    const stopping = await startService({ beside: service });
    const petition = await createPublished(creator);
    using watcher = await follow(petition, {}, stopping.origin);
    const stream = await fetch(`${stopping.origin}/v1/petitions/${petition.id}/events`);
    const closed = once(watcher.socket, 'close');
    const start = performance.now();
    await stopping[Symbol.asyncDispose]();
    assert.ok(performance.now() - start < 3000);
    assert.equal((await closed)[0], 1001);
    assert.match(await stream.text(), /event: subscribed/);
  });
});

async function watchersOf(service: Service): Promise<number> {
  const { values } = await service.ctx.metrics.getSingleMetric('realtime_watchers')!.get();
  return values[0]!.value;
}
