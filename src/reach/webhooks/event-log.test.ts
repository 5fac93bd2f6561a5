import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { createDraft, createPublished, signUp, type Person } from '../../../test/support/people.ts';
import { startReceiver } from '../../../test/support/receiver.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { emit, systemActor } from '../../platform/events.ts';
import { newId } from '../../platform/ids.ts';
import { addJob } from '../../platform/jobs.ts';

interface Event {
  id: string;
  type: string;
  triggered_by: { id: string | null };
  data: { petition_id: string };
}

describe('the event log', () => {
  let service: Service;
  before(async () => {
    service = await startService({ worker: true });
  });
  after(() => service[Symbol.asyncDispose]());

  const read = async (person: Person, query = ''): Promise<Event[]> => {
    const { status, body } = await person.api.get(`/v1/events?limit=100${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body.data;
  };
  /** Waits for at least `count` events: an event shows after all older transactions have ended. */
  const readWhen = async (count: number, person: Person, query = '') => {
    await eventually(async () => (await read(person, query)).length >= count);
    return read(person, query);
  };
  const types = (events: Event[]) => events.map(({ type }) => type);

  it("lists an owner's events in order, after a given one, for the owner only", async () => {
    const owner = await signUp(service);
    const other = await signUp(service);
    const petition = await createPublished(owner);
    await other.api.post(`/v1/petitions/${petition.id}/comments`, { body: 'No event for others' });
    await other.api.post(`/v1/petitions/${petition.id}/signatures`);
    await owner.api.post(`/v1/petitions/${petition.id}/close`);
    const all = await readWhen(4, owner);
    const expected = [
      'petition.created',
      'petition.published',
      'signature.created',
      'petition.closed',
    ];
    assert.deepEqual(types(all), expected);
    assert.deepEqual(await read(other), []);
    assert.deepEqual(types(await read(owner, `&after=${all[1]!.id}`)), expected.slice(2));
    assert.deepEqual(await read(owner, `&after=${all[3]!.id}`), []);
    for (const id of [newId(), 'no id']) {
      const refused = await owner.api.get(`/v1/events?after=${id}`);
      assert.equal(refused.status, 422);
      assert.equal(refused.body.errors[0].field, 'after');
    }
  });

  it('has the bodies of deliveries', async () => {
    await using receiver = await startReceiver();
    const owner = await signUp(service);
    const events = ['petition.created', 'petition.updated'];
    await owner.api.post('/v1/webhooks', { url: receiver.origin, events });
    const { id } = await createDraft(owner);
    await eventually(() => receiver.received.length === 1);
    await owner.api.patch(`/v1/petitions/${id}`, { title: 'Another title than before' });
    await eventually(() => receiver.received.length === 2);
    const bodies = receiver.received.map(({ body }) => JSON.parse(body));
    assert.deepEqual(await readWhen(2, owner), bodies);
  });

  it('shows withdrawn signatures without their text, and anonymous ones without the signer', async () => {
    const owner = await signUp(service);
    const petition = await createPublished(owner);
    const path = `/v1/petitions/${petition.id}/signatures`;
    const [open, hidden] = [await signUp(service), await signUp(service)];
    for (const [signer, is_anonymous] of [
      [open, false],
      [hidden, true],
    ] as const) {
      await signer.api.post(path, {
        is_anonymous,
        comment: 'In passing',
        display_location: 'Leeds',
      });
      await signer.api.delete(`${path}/me`);
    }
    const log = (await readWhen(6, owner)).slice(2);
    const redacted = { user: null, comment: null, display_location: null };
    for (const [n, is_anonymous] of [
      [0, false],
      [2, true],
    ] as const) {
      const [created, removed] = [log[n]!, log[n + 1]!];
      const id = is_anonymous ? null : open.id;
      assert.deepEqual([created.type, removed.type], ['signature.created', 'signature.removed']);
      assert.deepEqual([created.triggered_by.id, removed.triggered_by.id], [id, id]);
      assert.partialDeepStrictEqual(created.data, { ...redacted, is_anonymous });
    }
    assert.ok(!JSON.stringify(log).includes(hidden.id));
  });

  it('pages through many petitions without losing or repeating an event', async () => {
    const owner = await signUp(service);
    const { db } = service.ctx;
    const petitions = Array.from({ length: 60 }, newId);
    await db`
      insert into petitions (id, slug, creator_id, title, description)
      select id, id::text, ${owner.id}, 'A petition of many', repeat('Words. ', 10)
      from unnest(${petitions}::uuid[]) as p (id)`;
    const sequence = Array.from(
      { length: 500 },
      () => petitions[Math.floor(Math.random() ** 3 * petitions.length)]!,
    );
    await db`
      insert into events (type, petition_id, actor_type)
      select case when n % 7 = 0 then 'comment.created' else 'petition.updated' end, id, 'system'
      from unnest(${sequence}::uuid[]) with ordinality as t (id, n) order by n`;
    await eventually(async () => {
      const [row] = await db`
        select count(*)::integer as n from events where type <> 'comment.created'
          and petition_id = any(${petitions}) and transaction < pg_snapshot_xmin(pg_current_snapshot())`;
      return row!.n === 429;
    });
    const seen: Event[] = [];
    let cursor = '';
    do {
      const { body } = await owner.api.get(`/v1/events?limit=33${cursor}`);
      seen.push(...body.data);
      cursor = body.pagination.has_more ? `&cursor=${body.pagination.next_cursor}` : '';
    } while (cursor);
    assert.deepEqual(
      seen.map(({ data }) => data.petition_id),
      sequence.filter((_, index) => (index + 1) % 7 !== 0),
    );
  });

  it('skips no event of a transaction that commits late', async () => {
    const owner = await signUp(service);
    const { id: petitionId } = await createDraft(owner);
    const [{ id: last }] = (await readWhen(1, owner)) as [Event];
    const newEvent = (n: number) => ({
      type: 'petition.updated' as const,
      petitionId,
      actor: systemActor,
      data: { n },
    });
    const { promise: release, resolve } = Promise.withResolvers<void>();
    const { promise: emitted, resolve: hasEmitted } = Promise.withResolvers<void>();
    const { main } = service.ctx.pools;
    const late = main.begin(async (tx) => {
      await emit(tx, newEvent(1));
      hasEmitted();
      await release;
    });
    await emitted;
    await main.begin((tx) => emit(tx, newEvent(2)));
    assert.deepEqual(await read(owner, `&after=${last}`), []);
    resolve();
    await late;
    const events = await readWhen(2, owner, `&after=${last}`);
    const order = await main`
      select id from events where petition_id = ${petitionId} and type = 'petition.updated'
      order by (data->>'n')::integer`;
    assert.deepEqual(
      events.map(({ id }) => id),
      order.map(({ id }) => String(id)),
    );
  });

  it('is kept for 30 days, and longer while a follower has not read it', async () => {
    const owner = await signUp(service);
    const { id: petitionId } = await createDraft(owner);
    const { db } = service.ctx;
    const { body } = await owner.api.post('/v1/webhooks', {
      url: 'http://localhost:9/',
      events: ['petition.closed'],
    });
    const old = '01000000-0000-7000-8000-000000000001';
    await db`
      insert into events (transaction, id, type, petition_id, actor_type, created_at)
      values ('1', ${old}, 'petition.closed', ${petitionId}, 'system', now() - interval '31 days')`;
    await db`insert into webhook_payloads (event_id, body, named) values (${old}, '{}', '{}')`;
    await db`
      insert into webhook_deliveries (id, endpoint_id, event_id, event, status, next_attempt_at)
      values (${old}, ${body.data.id}, ${old}, 'petition.closed', 'failed', null)`;
    await db`
      insert into event_followers (name, transaction, position) values ('behind', '0', 0)`;
    const clean = async () => {
      await addJob(db, 'clean-webhooks', {}, { key: 'clean-webhooks' });
      service.ctx.eventNotifier.notify();
    };
    const kept = async () => {
      const [row] = await db`
        select (select count(*)::integer from events where id = ${old}) as events,
          (select count(*)::integer from webhook_payloads where event_id = ${old}) as payloads,
          (select count(*)::integer from webhook_deliveries where id = ${old}) as deliveries`;
      return row;
    };
    await clean();
    await eventually(async () => (await kept())!.deliveries === 0);
    await eventually(async () => (await kept())!.payloads === 0);
    assert.deepEqual(await kept(), { events: 1, payloads: 0, deliveries: 0 });
    await db`delete from event_followers where name = 'behind'`;
    await clean();
    await eventually(async () => (await kept())!.events === 0);
    assert.deepEqual(types(await readWhen(1, owner)), ['petition.created']);
  });
});
