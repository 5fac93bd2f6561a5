import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { eventually } from '../../../test/support/eventually.ts';
import {
  createDraft,
  createOrganization,
  addMember,
  createPublished,
  signUp,
  type Person,
} from '../../../test/support/people.ts';
import { startReceiver, type Receiver, type Received } from '../../../test/support/receiver.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { newId } from '../../platform/ids.ts';

const eventTypes = [
  'petition.created',
  'petition.updated',
  'petition.published',
  'petition.closed',
  'petition.victory',
  'signature.created',
  'signature.milestone',
  'signature.removed',
];

describe('webhooks', () => {
  let service: Service;
  let receiver: Receiver;
  before(async () => {
    service = await startService({ worker: true });
    receiver = await startReceiver();
  });
  after(async () => {
    await service[Symbol.asyncDispose]();
    await receiver[Symbol.asyncDispose]();
  });

  let paths = 0;
  const create = async (person: Person, events = eventTypes) => {
    const path = `/hooks/${++paths}`;
    const { status, body } = await person.api.post('/v1/webhooks', {
      url: receiver.origin + path,
      events,
    });
    assert.equal(status, 201, JSON.stringify(body));
    return { ...body.data, path } as { id: string; secret: string; path: string };
  };
  const waitForDeliveries = async (path: string, count: number) => {
    await eventually(() => receiver.at(path).length >= count, 15_000);
    assert.equal(receiver.at(path).length, count);
    for (const delivery of receiver.at(path)) service.contract.checkDelivery(delivery);
    return receiver.at(path).map((request) => ({ ...request, event: JSON.parse(request.body) }));
  };
  const sign = (person: Person, petition: { id: string }, input: object = {}) =>
    person.api.post(`/v1/petitions/${petition.id}/signatures`, input);
  const standardHeaders = ({ headers }: Received) => headers as Record<string, string>;

  it('are created, shown, changed and deleted by their owner, and hidden from others', async () => {
    const owner = await signUp(service);
    const other = await signUp(service);
    const input = { url: 'https://example.org/a#part', events: ['petition.created'] };
    const created = await owner.api.post('/v1/webhooks', {
      ...input,
      events: [...input.events, ...input.events],
    });
    assert.equal(created.status, 201);
    const { secret, ...endpoint } = created.body.data;
    assert.match(secret, /^whsec_[\w+/]{43}=$/);
    assert.equal(endpoint.url, 'https://example.org/a');
    assert.deepEqual(endpoint.events, ['petition.created']);
    const path = `/v1/webhooks/${endpoint.id}`;
    assert.match(created.headers.get('location')!, new RegExp(`${path}$`));
    assert.deepEqual((await owner.api.get(path)).body.data, endpoint);
    assert.deepEqual((await owner.api.get('/v1/webhooks')).body.data, [endpoint]);
    assert.deepEqual((await other.api.get('/v1/webhooks')).body.data, []);
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const body = method === 'PATCH' ? { is_active: false } : undefined;
      assert.equal((await other.api.send(method, path, body)).status, 404);
    }
    const changes = { url: 'http://localhost:9/b', events: ['petition.closed'], is_active: false };
    const changed = await owner.api.patch(path, changes);
    assert.deepEqual(changed.body.data, { ...endpoint, ...changes });
    assert.deepEqual((await owner.api.patch(path, {})).body.data, changed.body.data);
    assert.equal((await owner.api.post(`${path}/test`)).status, 409);
    assert.equal((await owner.api.delete(path)).status, 204);
    assert.equal((await owner.api.get(path)).status, 404);
    assert.equal((await owner.api.delete(path)).status, 404);
  });

  it('are refused with 422 for invalid addresses and events', async () => {
    const owner = await signUp(service);
    const events = ['petition.created'];
    for (const url of [
      'ftp://example.org',
      'no url',
      'https://',
      'https://me:secret@example.org/',
    ]) {
      const refused = await owner.api.post('/v1/webhooks', { url, events });
      assert.equal(refused.status, 422, url);
      assert.equal(refused.body.errors[0].field, 'url');
    }
    for (const wrong of [[], ['petition.deleted'], ['webhook.test'], 'petition.created']) {
      const refused = await owner.api.post('/v1/webhooks', {
        url: 'https://example.org',
        events: wrong,
      });
      assert.equal(refused.status, 422);
      assert.match(refused.body.errors[0].field, /^events/);
    }
  });

  it('are limited to 50 per owner, also if created concurrently', async () => {
    const owner = await signUp(service);
    const input = { url: 'https://example.org/', events: ['petition.created'] };
    const answers = await Promise.all(
      Array.from({ length: 60 }, () => owner.api.post('/v1/webhooks', input)),
    );
    assert.equal(answers.filter(({ status }) => status === 201).length, 50);
    const refused = answers.filter(({ status }) => status === 409);
    assert.equal(refused.length, 10);
    assert.ok(refused.every(({ body }) => body.code === 'endpoint_limit_reached'));
    const seen: string[] = [];
    let cursor = '';
    do {
      const { body } = await owner.api.get(`/v1/webhooks?limit=20${cursor}`);
      seen.push(...body.data.map(({ id }: { id: string }) => id));
      cursor = body.pagination.has_more ? `&cursor=${body.pagination.next_cursor}` : '';
    } while (cursor);
    assert.equal(new Set(seen).size, 50);
    assert.deepEqual(seen, seen.toSorted().toReversed());
  });

  it('send the events of a petition, signed as Standard Webhooks verifies', async () => {
    const owner = await signUp(service, 'Owner');
    const signer = await signUp(service, 'Signer');
    const hook = await create(owner);
    const decisionMakers = [{ name: 'Robin Marsh', email: 'parks@example.org' }];
    const petition = await createPublished(owner, { decisionMakers, signatureGoal: 1 });
    const signed = await sign(signer, petition, { comment: 'Yes' });
    await signer.api.delete(`/v1/petitions/${petition.id}/signatures/me`);
    await owner.api.patch(`/v1/petitions/${petition.id}`, { title: 'Keep the path open, always' });
    await owner.api.post(`/v1/petitions/${petition.id}/victory`, { victory_message: 'Thanks' });
    const deliveries = await waitForDeliveries(hook.path, 7);
    for (const delivery of deliveries) {
      const { headers, body, event } = delivery;
      assert.deepEqual(
        new Webhook(hook.secret).verify(body, standardHeaders(delivery)),
        JSON.parse(body),
      );
      const mac = createHmac('sha256', hook.secret).update(body).digest('hex');
      assert.equal(headers['x-service-signature'], `sha256=${mac}`);
      assert.equal(headers['x-service-event'], event.type);
      assert.equal(headers['webhook-id'], event.id);
      assert.equal(headers['x-service-timestamp'], event.created_at);
      assert.match(headers['x-service-delivery-id'] as string, /^[\da-f-]{36}$/);
      assert.equal(headers['content-type'], 'application/json');
      assert.deepEqual(Object.keys(event), ['id', 'type', 'created_at', 'triggered_by', 'data']);
      assert.equal(event.data.petition_id, petition.id);
      assert.ok(!body.includes('parks@example.org'));
    }
    const bodyOf = (type: string) => deliveries.find(({ event }) => event.type === type)!.event;
    assert.deepEqual(
      new Set(deliveries.map(({ event }) => event.type)),
      new Set([
        'petition.created',
        'petition.published',
        'petition.updated',
        'petition.victory',
        'signature.created',
        'signature.milestone',
        'signature.removed',
      ]),
    );
    const read = await service.api.get(`/v1/petitions/${petition.id}`);
    const { description_html: _html, ...shown } = read.body.data;
    assert.deepEqual(bodyOf('petition.victory').data, { petition_id: petition.id, ...shown });
    assert.deepEqual(bodyOf('petition.victory').triggered_by, { type: 'user', id: owner.id });
    const milestone = { petition_id: petition.id, threshold: 1, signature_count: 1 };
    assert.deepEqual(bodyOf('signature.milestone').data, milestone);
    assert.deepEqual(bodyOf('signature.removed').data, {
      petition_id: petition.id,
      signature_id: signed.body.data.id,
      signature_count: 0,
    });
  });

  it('show a signature as lists do, and never an anonymous signer', async () => {
    const owner = await signUp(service);
    const [open, hidden] = [await signUp(service, 'Open'), await signUp(service, 'Hidden Person')];
    const hook = await create(owner, ['signature.created', 'signature.removed']);
    const petition = await createPublished(owner);
    const second = { comment: 'Good', is_anonymous: true, display_location: 'Leeds' };
    await sign(open, petition, { comment: 'Yes' });
    await sign(hidden, petition, second);
    const listed = await service.api.get(`/v1/petitions/${petition.id}/signatures`);
    const deliveries = await waitForDeliveries(hook.path, 2);
    const byCount = (n: number) =>
      deliveries.find(({ event }) => event.data.signature_count === n)!.event;
    for (const [n, signature] of listed.body.data.toReversed().entries()) {
      const { data } = byCount(n + 1);
      assert.deepEqual(data, { petition_id: petition.id, ...signature, signature_count: n + 1 });
    }
    assert.equal(byCount(1).triggered_by.id, open.id);
    assert.equal(byCount(2).triggered_by.id, null);
    await hidden.api.delete(`/v1/petitions/${petition.id}/signatures/me`);
    const all = await waitForDeliveries(hook.path, 3);
    for (const { body } of all) {
      assert.ok(!body.includes(hidden.id) && !body.includes('Hidden Person'));
    }
  });

  it('name no signer of a petition that shows only the count', async () => {
    const owner = await signUp(service);
    const signer = await signUp(service, 'Secret Signer');
    const hook = await create(owner);
    const petition = await createPublished(owner, {
      signaturePrivacy: 'count_only',
      signatureGoal: 1,
    });
    await sign(signer, petition, { comment: 'A secret comment' });
    await signer.api.delete(`/v1/petitions/${petition.id}/signatures/me`);
    for (const { body } of await waitForDeliveries(hook.path, 5)) {
      assert.ok(!body.includes(signer.id) && !/secret/i.test(body), body);
    }
  });

  it('show a private draft without its access code', async () => {
    const owner = await signUp(service);
    const hook = await create(owner);
    const { access_code } = await createDraft(owner, { visibility: 'private' });
    const [delivery] = await waitForDeliveries(hook.path, 1);
    assert.ok(access_code && !delivery!.body.includes(access_code));
  });

  it('send only subscribed events, only to the owners of the petition', async () => {
    const owner = await signUp(service);
    const other = await signUp(service);
    const hook = await create(owner, ['petition.published']);
    const foreign = await create(other);
    const last = await create(owner, ['petition.closed']);
    const petition = await createPublished(owner);
    await owner.api.post(`/v1/petitions/${petition.id}/close`);
    await waitForDeliveries(last.path, 1);
    assert.equal((await waitForDeliveries(hook.path, 1))[0]!.event.type, 'petition.published');
    await waitForDeliveries(foreign.path, 0);
  });

  it('go to owners and admins of the organization; endpoints of its key get nothing else', async () => {
    const { db } = service.ctx;
    const people = await Promise.all([1, 2, 3, 4].map(() => signUp(service)));
    const [creator, chief, admin, member] = people as [Person, Person, Person, Person];
    const orgId = newId();
    await db`insert into organizations (id, name, slug) values (${orgId}, ${orgId}, ${orgId})`;
    for (const [person, role] of [
      [chief, 'owner'],
      [admin, 'admin'],
      [member, 'member'],
    ] as const) {
      await db`
        insert into memberships (id, org_id, user_id, role)
        values (${newId()}, ${orgId}, ${person.id}, ${role})`;
    }
    const hooks = await Promise.all(people.map((person) => create(person, ['petition.closed'])));
    const ofKey = await create(admin, ['petition.closed']);
    await db`update webhook_endpoints set org_id = ${orgId} where id = ${ofKey.id}`;
    const [ofOrg, own] = [await createPublished(creator), await createPublished(admin)];
    await db`update petitions set org_id = ${orgId} where id = ${ofOrg.id}`;
    await creator.api.post(`/v1/petitions/${ofOrg.id}/close`);
    await admin.api.post(`/v1/petitions/${own.id}/close`);
    const petitionsAt = async (path: string, count: number) =>
      new Set((await waitForDeliveries(path, count)).map(({ event }) => event.data.petition_id));
    assert.deepEqual(await petitionsAt(hooks[2]!.path, 2), new Set([ofOrg.id, own.id]));
    assert.deepEqual(await petitionsAt(hooks[0]!.path, 1), new Set([ofOrg.id]));
    assert.deepEqual(await petitionsAt(hooks[1]!.path, 1), new Set([ofOrg.id]));
    assert.deepEqual(await petitionsAt(ofKey.path, 1), new Set([ofOrg.id]));
    await waitForDeliveries(hooks[3]!.path, 0);
    // A former admin gets nothing more, by any endpoint.
    await db`update memberships set role = 'member' where user_id = ${admin.id}`;
    const next = await createPublished(creator);
    await db`update petitions set org_id = ${orgId} where id = ${next.id}`;
    await creator.api.post(`/v1/petitions/${next.id}/close`);
    await waitForDeliveries(hooks[1]!.path, 2);
    await waitForDeliveries(hooks[2]!.path, 2);
    await waitForDeliveries(ofKey.path, 1);
  });

  it('send drafts and events of deleted petitions only to the creator, not to the organization', async () => {
    const [creator, chief] = [await signUp(service), await signUp(service)];
    const organization = await createOrganization(chief);
    await addMember(chief, organization, creator);
    const [own, theirs] = [await create(creator), await create(chief)];
    const petition = await createDraft(creator, {
      orgId: organization.id,
      title: 'As it was first',
    });
    const at = `/v1/petitions/${petition.id}`;
    await creator.api.patch(at, { title: 'As it is published' });
    await creator.api.post(`${at}/publish`);
    await creator.api.patch(at, { title: 'As it was corrected' });
    const kinds = (events: { type: string }[]) => events.map(({ type }) => type).toSorted();
    const types = async (path: string, count: number) =>
      kinds((await waitForDeliveries(path, count)).map(({ event }) => event));
    const all = ['petition.created', 'petition.published', 'petition.updated', 'petition.updated'];
    assert.deepEqual(await types(own.path, 4), all);
    assert.deepEqual(await types(theirs.path, 2), ['petition.published', 'petition.updated']);
    const received = await waitForDeliveries(theirs.path, 2);
    assert.ok(received.every(({ event }) => event.data.description === petition.description));
    assert.ok(received.every(({ body }) => !body.includes('As it was first')));
    const log = async ({ api }: Person) => kinds((await api.get('/v1/events')).body.data);
    assert.deepEqual(await log(creator), all);
    assert.deepEqual(await log(chief), ['petition.published', 'petition.updated']);
    const deliveries = `/v1/webhooks/${theirs.id}/deliveries`;
    const [{ id: delivery }] = (await chief.api.get(deliveries)).body.data;
    await creator.api.delete(at);
    assert.deepEqual(await log(chief), []);
    assert.deepEqual(await log(creator), all);
    await chief.api.post(`${deliveries}/${delivery}/redeliver`);
    const failed = async () => (await chief.api.get(`${deliveries}?status=failed`)).body.data;
    await eventually(async () => (await failed()).length === 1);
    await waitForDeliveries(theirs.path, 2);
  });

  it('sign with both secrets after rotation, the new one first', async () => {
    const owner = await signUp(service);
    const hook = await create(owner);
    const test = () => owner.api.post(`/v1/webhooks/${hook.id}/test`);
    const rotated = await owner.api.post(`/v1/webhooks/${hook.id}/rotate-secret`);
    assert.equal(rotated.status, 200);
    const { secret } = rotated.body.data;
    assert.notEqual(secret, hook.secret);
    assert.equal((await test()).status, 201);
    const [both] = await waitForDeliveries(hook.path, 1);
    const macs = [secret, hook.secret].map(
      (key) => `sha256=${createHmac('sha256', key).update(both!.body).digest('hex')}`,
    );
    assert.equal(both!.headers['x-service-signature'], macs.join(','));
    for (const key of [secret, hook.secret]) {
      new Webhook(key).verify(both!.body, standardHeaders(both!));
    }
    await service.ctx.db`
      update webhook_endpoints set previous_until = now() - interval '1 second'
      where id = ${hook.id}`;
    await test();
    const [, alone] = await waitForDeliveries(hook.path, 2);
    new Webhook(secret).verify(alone!.body, standardHeaders(alone!));
    assert.throws(() => new Webhook(hook.secret).verify(alone!.body, standardHeaders(alone!)));
  });

  it('send a test event, and redeliver it with the same id and bytes', async () => {
    const owner = await signUp(service);
    const other = await signUp(service);
    const hook = await create(owner);
    const path = `/v1/webhooks/${hook.id}`;
    const sent = await owner.api.post(`${path}/test`);
    assert.equal(sent.status, 201);
    assert.equal(sent.body.data.event, 'webhook.test');
    assert.equal(sent.body.data.status, 'pending');
    const [first] = await waitForDeliveries(hook.path, 1);
    const again = `${path}/deliveries/${sent.body.data.id}/redeliver`;
    assert.equal((await other.api.post(again)).status, 404);
    assert.equal((await owner.api.post(`${path}/deliveries/${newId()}/redeliver`)).status, 404);
    const redelivered = await owner.api.post(again);
    assert.equal(redelivered.status, 201);
    assert.notEqual(redelivered.body.data.id, sent.body.data.id);
    assert.equal(redelivered.body.data.event_id, sent.body.data.event_id);
    const [, second] = await waitForDeliveries(hook.path, 2);
    assert.equal(second!.body, first!.body);
    assert.equal(second!.headers['webhook-id'], first!.headers['webhook-id']);
    assert.equal(second!.headers['x-service-delivery-id'], redelivered.body.data.id);
    await service.ctx.db`delete from webhook_payloads where event_id = ${sent.body.data.event_id}`;
    assert.equal((await owner.api.post(again)).body.code, 'event_expired');
  });

  it('list deliveries by page and by status', async () => {
    const owner = await signUp(service);
    const hook = await create(owner);
    const ids = Array.from({ length: 23 }, newId);
    await service.ctx.db`
      insert into webhook_deliveries (id, endpoint_id, event_id, event, status, next_attempt_at,
        delivered_at)
      select id, ${hook.id}, gen_random_uuid(), 'petition.closed',
        case when n % 3 = 0 then 'failed' else 'delivered' end, null,
        case when n % 3 = 0 then null else now() end
      from unnest(${ids}::uuid[]) with ordinality as d (id, n)`;
    const read = async (query: string) => {
      const seen: string[] = [];
      let cursor = '';
      do {
        const path = `/v1/webhooks/${hook.id}/deliveries?limit=5${query}${cursor}`;
        const { body } = await owner.api.get(path);
        seen.push(...body.data.map(({ id }: { id: string }) => id));
        cursor = body.pagination.has_more ? `&cursor=${body.pagination.next_cursor}` : '';
      } while (cursor);
      return seen;
    };
    assert.deepEqual(await read(''), ids.toReversed());
    assert.deepEqual(
      await read('&status=failed'),
      ids.filter((_, index) => index % 3 === 2).toReversed(),
    );
    assert.deepEqual(await read('&status=retrying'), []);
  });

  it('are deleted with their owner, and lose the names of erased signers', async () => {
    const owner = await signUp(service, 'Owner');
    const signer = await signUp(service, 'Erased Signer');
    const hook = await create(owner, ['signature.created']);
    const petition = await createPublished(owner);
    await sign(signer, petition);
    const [first] = await waitForDeliveries(hook.path, 1);
    assert.equal(first!.event.data.user.display_name, 'Erased Signer');
    const exported = await owner.api.get('/v1/users/me/export');
    assert.equal(exported.body.webhooks[0].id, hook.id);
    assert.equal(exported.body.webhooks[0].deliveries.length, 1);
    assert.ok(!JSON.stringify(exported.body).includes('whsec_'));

    await signer.api.delete('/v1/users/me', { password: signer.password });
    const { body } = await owner.api.get(`/v1/webhooks/${hook.id}/deliveries`);
    await owner.api.post(`/v1/webhooks/${hook.id}/deliveries/${body.data[0].id}/redeliver`);
    const [, second] = await waitForDeliveries(hook.path, 2);
    assert.equal(second!.event.id, first!.event.id);
    assert.equal(second!.event.data.user, null);
    assert.ok(!second!.body.includes(signer.id));
    const log = await owner.api.get('/v1/events?limit=100');
    assert.ok(!JSON.stringify(log.body).includes(signer.id));

    await owner.api.delete('/v1/users/me', { password: owner.password });
    const left = async () => {
      const { db } = service.ctx;
      const [rows] = await db`
        select (select count(*)::integer from webhook_endpoints where id = ${hook.id}) as endpoints,
          (select count(*)::integer from webhook_deliveries where endpoint_id = ${hook.id})
            as deliveries,
          (select count(*)::integer from webhook_payloads where body like ${`%${owner.id}%`})
            as named`;
      return rows!.endpoints + rows!.deliveries + rows!.named;
    };
    await eventually(async () => (await left()) === 0);
  });
});
