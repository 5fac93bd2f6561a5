import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import {
  createDraft,
  logInAsAdmin,
  createPublished,
  signUp,
  type Person,
} from '../../../test/support/people.ts';
import { paymentSecret, startService, type Service } from '../../../test/support/service.ts';
import { sortKeysFollowed } from '../../../test/support/sort-keys.ts';
import { signatureOf } from './provider.ts';

const hourMs = 3_600_000;

describe('payments', () => {
  let service: Service;
  let beside: Service;
  let creator: Person;
  let stranger: Person;
  before(async () => {
    service = await startService({ worker: true });
    beside = await startService({ beside: service });
    creator = await signUp(service, 'Creator');
    stranger = await signUp(service, 'Stranger');
  });
  after(async () => {
    await beside[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  });

  const pay = (person: Person, { id }: { id: string }, input: object = {}, headers = {}) => {
    const path = `/v1/petitions/${id}/promotions`;
    return person.api.post(path, { amount: 5000, currency: 'EUR', ...input }, { headers });
  };
  /** Sends the provider's callback, with a valid signature by default. */
  const callBack = async (body: object | string, on = service, secret = paymentSecret) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const headers = {
      'content-type': 'application/json',
      'x-payment-signature': signatureOf(secret, text),
    };
    return on.api.send('POST', '/v1/payments/callback', text, { headers });
  };
  const complete = async (petition: { id: string }, amount = 5000) => {
    const { data } = (await pay(creator, petition, { amount })).body;
    const { status } = await callBack({ payment_id: data.id, status: 'completed' });
    assert.equal(status, 204);
    return data.id as string;
  };
  const promotedUntil = async ({ id }: { id: string }): Promise<Date | null> => {
    const [row] = await service.ctx.db`select promoted_until from petitions where id = ${id}`;
    return row!.promoted_until;
  };
  const eventsOf = ({ id }: { id: string }) => service.ctx.db`
    select actor_type, actor_id, data from events
    where petition_id = ${id} and type = 'payment.completed'`;

  it('start as pending and are completed once by the signed callback', async () => {
    const petition = await createPublished(creator);
    const { status, headers, body } = await pay(creator, petition, { currency: 'eur' });
    assert.equal(status, 201);
    const { id, created_at, ...rest } = body.data;
    assert.equal(headers.get('location'), `http://petitions.test/v1/payments/${id}`);
    assert.deepEqual(rest, {
      petition_id: petition.id,
      amount: 5000,
      currency: 'EUR',
      status: 'pending',
      provider: 'callback',
      reference: null,
      completed_at: null,
    });
    assert.equal((await eventsOf(petition)).length, 0);
    const start = service.ctx.now().getTime();
    const result = { payment_id: id, status: 'completed', reference: 'invoice-7' };
    for (let n = 0; n < 3; n += 1) assert.equal((await callBack(result)).status, 204);
    const read = (await creator.api.get(`/v1/payments/${id}`)).body.data;
    assert.deepEqual([read.status, read.reference], ['completed', 'invoice-7']);
    assert.ok(read.completed_at >= created_at);
    const until = (await promotedUntil(petition))!.getTime();
    assert.ok(until >= start + 120 * hourMs && until < service.ctx.now().getTime() + 120 * hourMs);
    assert.deepEqual(
      [...(await eventsOf(petition))],
      [
        {
          actor_type: 'user',
          actor_id: creator.id,
          data: { payment_id: id, amount: 5000, currency: 'EUR' },
        },
      ],
    );
    // The event log, and so webhooks, show the payment.
    const completedEvent = async () => {
      const { body: log } = await creator.api.get('/v1/events?limit=100');
      return log.data.find(({ type }: { type: string }) => type === 'payment.completed');
    };
    await eventually(async () => (await completedEvent()) !== undefined);
    assert.deepEqual((await completedEvent()).data, read);
  });

  it('count once if many callbacks arrive concurrently on two processes', async () => {
    const petition = await createPublished(creator);
    const { id } = (await pay(creator, petition, { amount: 1000 })).body.data;
    const result = { payment_id: id, status: 'completed' };
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) => callBack(result, n % 2 ? service : beside)),
    );
    assert.ok(answers.every(({ status }) => status === 204));
    assert.equal((await eventsOf(petition)).length, 1);
    const left = (await promotedUntil(petition))!.getTime() - service.ctx.now().getTime();
    assert.ok(left > 23.9 * hourMs && left <= 24 * hourMs, `${left / hourMs} hours`);
  });

  it('add up, also concurrently, and each buys at most 30 days', async () => {
    const petition = await createPublished(creator);
    const ids = [];
    for (const amount of [100, 1000, 500, 900_000]) {
      ids.push((await pay(creator, petition, { amount })).body.data.id);
    }
    await Promise.all(
      ids.map((payment_id, n) =>
        callBack({ payment_id, status: 'completed' }, n % 2 ? service : beside),
      ),
    );
    const left = (await promotedUntil(petition))!.getTime() - service.ctx.now().getTime();
    const bought = (30 + 0.1 + 1 + 0.5) * 24 * hourMs;
    assert.ok(left > bought - hourMs && left <= bought, `${left / hourMs} hours`);
  });

  it('stay completed, and can be completed after a failure', async () => {
    const petition = await createPublished(creator);
    const { id } = (await pay(creator, petition)).body.data;
    const statusAfter = async (status: string, reference: string) => {
      assert.equal((await callBack({ payment_id: id, status, reference })).status, 204);
      const { data } = (await creator.api.get(`/v1/payments/${id}`)).body;
      return [data.status, data.reference];
    };
    assert.deepEqual(await statusAfter('failed', 'first'), ['failed', 'first']);
    assert.equal(await promotedUntil(petition), null);
    assert.deepEqual(await statusAfter('completed', 'second'), ['completed', 'second']);
    assert.deepEqual(await statusAfter('failed', 'third'), ['completed', 'second']);
    assert.notEqual(await promotedUntil(petition), null);
  });

  it('reject callbacks that are not signed over exactly these bytes', async () => {
    const petition = await createPublished(creator);
    const { id } = (await pay(creator, petition)).body.data;
    const text = `{ "payment_id": "${id}", "status": "completed" }`;
    const send = (headers: Record<string, string>) =>
      service.api.send('POST', '/v1/payments/callback', text, {
        headers: { 'content-type': 'application/json', ...headers },
      });
    const good = signatureOf(paymentSecret, text);
    const respaced = signatureOf(paymentSecret, JSON.stringify(JSON.parse(text)));
    for (const wrong of ['', 'sha256=', good.slice(7), good.slice(0, -2), respaced, `${good}0`]) {
      assert.equal((await send({ 'x-payment-signature': wrong })).status, 401, wrong);
    }
    assert.equal((await send({})).status, 401);
    assert.equal((await callBack(text, service, 'another secret')).status, 401);
    // The signature is checked before the body is validated.
    assert.equal((await callBack('{"status":7}', service, 'another secret')).status, 401);
    assert.equal((await callBack('{"status":7}')).status, 422);
    assert.equal((await callBack({ payment_id: petition.id, status: 'completed' })).status, 404);
    assert.equal(await promotedUntil(petition), null);
    assert.equal((await send({ 'x-payment-signature': good })).status, 204);
    assert.notEqual(await promotedUntil(petition), null);
  });

  it('are started once per Idempotency-Key', async () => {
    const petition = await createPublished(creator);
    const keyed = { 'idempotency-key': 'promote once' };
    const first = await pay(creator, petition, {}, keyed);
    const again = await pay(creator, petition, {}, keyed);
    assert.equal(again.body.data.id, first.body.data.id);
    assert.equal((await pay(creator, petition, { amount: 6000 }, keyed)).status, 422);
    const { body } = await creator.api.get(`/v1/petitions/${petition.id}/promotions`);
    assert.equal(body.data.length, 1);
  });

  it('are only for the creator of an active, public petition', async () => {
    const petition = await createPublished(creator);
    assert.equal((await pay(stranger, petition)).status, 403);
    const unfinished = await createDraft(creator);
    assert.equal((await pay(stranger, unfinished)).status, 404);
    const closed = await createPublished(creator);
    await creator.api.post(`/v1/petitions/${closed.id}/close`);
    const others = [unfinished, closed];
    for (const visibility of ['private', 'unlisted']) {
      others.push(await createPublished(creator, { visibility }));
    }
    for (const other of others) {
      assert.equal((await pay(creator, other)).body.code, 'invalid_state');
    }
    for (const [wrong, field] of [
      [{ amount: 99 }, 'amount'],
      [{ amount: 100.5 }, 'amount'],
      [{ amount: '500' }, 'amount'],
      [{ currency: 'EURO' }, 'currency'],
      [{ currency: 'QQQ' }, 'currency'],
    ] as const) {
      const { status, body } = await pay(creator, petition, wrong);
      assert.equal(status, 422);
      assert.equal(body.errors[0].field, field);
    }
  });

  it('are visible to the payer and administrators only', async () => {
    const petition = await createPublished(creator);
    const ids = [];
    for (const amount of [100, 200, 300]) {
      ids.unshift((await pay(creator, petition, { amount })).body.data.id);
    }
    const path = `/v1/petitions/${petition.slug}/promotions`;
    const page = (await creator.api.get(`${path}?limit=2`)).body;
    const rest = (await creator.api.get(`${path}?cursor=${page.pagination.next_cursor}`)).body;
    assert.deepEqual(
      [...page.data, ...rest.data].map(({ id }) => id),
      ids,
    );
    assert.equal((await stranger.api.get(path)).status, 403);
    assert.equal((await stranger.api.get(`/v1/payments/${ids[0]}`)).status, 404);
    const admin = await logInAsAdmin(service);
    assert.equal((await admin.api.get(`/v1/payments/${ids[0]}`)).status, 200);
    assert.equal((await creator.api.get('/v1/payments/no-such')).status, 404);
  });

  it('are exported, and kept without the payer when the account is erased', async () => {
    const leaving = await signUp(service, 'Leaving');
    const petition = await createPublished(leaving);
    const { id } = (await pay(leaving, petition)).body.data;
    const { body } = await leaving.api.get('/v1/users/me/export');
    assert.deepEqual(
      body.payments.map((one: { id: string }) => one.id),
      [id],
    );
    await leaving.api.delete('/v1/users/me', { password: leaving.password });
    const [kept] = await service.ctx.db`select * from payments where id = ${id}`;
    assert.deepEqual([kept!.payer_id, kept!.petition_id, kept!.amount], [null, null, 5000]);
    // The payment can still be completed.
    assert.equal((await callBack({ payment_id: id, status: 'completed' })).status, 204);
    const [booked] = await service.ctx.db`select status from payments where id = ${id}`;
    assert.equal(booked!.status, 'completed');
  });

  it('do not deadlock with the erasure of the account', async () => {
    const rounds = Array.from({ length: 4 }, async () => {
      const leaving = await signUp(service, 'Leaving');
      const ids = [];
      for (let n = 0; n < 3; n += 1) {
        ids.push((await pay(leaving, await createPublished(leaving))).body.data.id);
      }
      const answers = await Promise.all([
        leaving.api.delete('/v1/users/me', { password: leaving.password }),
        ...ids.map((payment_id) => callBack({ payment_id, status: 'completed' }, beside)),
      ]);
      assert.deepEqual(
        answers.map(({ status }) => status),
        [204, 204, 204, 204],
      );
    });
    await Promise.all(rounds);
  });

  describe('promoted petitions', () => {
    const tag = 'promoted';
    const readAll = async (limit: number, between?: () => Promise<unknown>) => {
      const shown: { title: string; promoted: boolean }[] = [];
      let cursor = '';
      do {
        const path = `/v1/petitions?sort=trending&tags=${tag}&limit=${limit}${cursor}`;
        const { status, body } = await beside.api.get(path);
        assert.equal(status, 200);
        shown.push(...body.data);
        cursor = body.pagination.next_cursor ? `&cursor=${body.pagination.next_cursor}` : '';
        if (cursor) await between?.();
      } while (cursor);
      return shown.map(({ title, promoted }) => `${title}${promoted ? '!' : ''}`);
    };
    const setEnds = (ends: Record<string, number | null>) =>
      Promise.all(
        Object.entries(ends).map(
          ([title, hours]) => service.ctx.db`
            update petitions set promoted_until = ${hours === null ? null : new Date(Date.now() + hours * hourMs)}
            where title = ${title}`,
        ),
      );
    const titles = ['Petition A', 'Petition B', 'Petition C', 'Petition D', 'Petition E'];
    // By trend, A is first and E last.
    before(async () => {
      const signers = await Promise.all(titles.map((name) => signUp(service, name)));
      for (const [n, title] of titles.entries()) {
        const { id } = await createPublished(creator, { title, tags: [tag] });
        for (const { api } of signers.slice(n)) await api.post(`/v1/petitions/${id}/signatures`);
      }
      await sortKeysFollowed(service);
    });

    it('come first in trending only, with any page size', async () => {
      assert.deepEqual(await readAll(10), titles);
      await setEnds({ 'Petition B': -1, 'Petition C': 1, 'Petition E': 1 });
      beside.ctx.cache.drop('petition-lists');
      const expected = ['Petition C!', 'Petition E!', 'Petition A', 'Petition B', 'Petition D'];
      for (const limit of [10, 1, 2, 3]) assert.deepEqual(await readAll(limit), expected);
      const popular = await beside.api.get(`/v1/petitions?sort=popular&tags=${tag}`);
      assert.deepEqual(
        popular.body.data.map(({ title }: { title: string }) => title),
        titles,
      );
      await setEnds({ 'Petition B': null, 'Petition C': null, 'Petition E': null });
    });

    it('appear exactly once even if promotions start or end between pages', async () => {
      for (const limit of [1, 2]) {
        await setEnds({ 'Petition A': null, 'Petition C': 1, 'Petition D': 1, 'Petition E': null });
        beside.ctx.cache.drop('petition-lists');
        const shown = await readAll(limit, async () => {
          await setEnds({ 'Petition A': 5, 'Petition C': -1, 'Petition D': null, 'Petition E': 1 });
        });
        const names = shown.map((title) => title.replace('!', ''));
        assert.deepEqual(names.slice(0, 2), ['Petition C', 'Petition D']);
        assert.deepEqual(names.toSorted(), titles);
      }
      await setEnds({ 'Petition A': null, 'Petition C': null, 'Petition E': null });
    });

    it('are marked as promoted until the promotion ends', async () => {
      const petition = await createPublished(creator);
      await complete(petition, 1000);
      const isPromoted = async () =>
        (await service.api.get(`/v1/petitions/${petition.slug}`)).body.data.promoted;
      assert.equal(await isPromoted(), true);
      const listed = await service.api.get('/v1/petitions?sort=trending&limit=1');
      assert.equal(listed.body.data[0].id, petition.id);
      service.advanceClock(25 * hourMs);
      service.ctx.cache.drop('petitions');
      assert.equal(await isPromoted(), false);
      service.advanceClock(-25 * hourMs);
    });

    it('reject forged cursors of trending', async () => {
      const id = creator.id;
      for (const keys of [
        ['trending', 1, id],
        ['trending', 1, id, 'x'],
        ['trending', 1, id, `${id},`],
        ['trending', 1, id, 7],
      ]) {
        const cursor = Buffer.from(JSON.stringify(keys)).toString('base64url');
        const { status } = await service.api.get(`/v1/petitions?sort=trending&cursor=${cursor}`);
        assert.equal(status, 400, String(keys));
      }
    });
  });
});
