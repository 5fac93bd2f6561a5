import assert from 'node:assert/strict';
import { eventually } from './support/eventually.ts';
import { after, before, describe, it } from 'node:test';
import type { Answer } from './support/client.ts';
import { createPublished, signUp, signUpProven, type Person } from './support/people.ts';
import { startService, type Service } from './support/service.ts';

describe('lists', () => {
  let service: Service;
  let person: Person;
  // oxlint-disable-next-line typescript/no-explicit-any
  let petition: any;
  before(async () => {
    service = await startService();
    person = await signUp(service, 'Ada');
    petition = await createPublished(person);
    for (const n of [1, 2, 3, 4]) {
      const update = { title: `Update ${n}`, body: 'It goes on.' };
      assert.equal((await person.api.post(`${path()}/updates`, update)).status, 201);
      assert.equal((await person.api.post(`${path()}/comments`, { body: 'Yes' })).status, 201);
      const organization = await person.api.post('/v1/organizations', { name: `Group ${n}` });
      assert.equal(organization.status, 201);
      const signer = await signUp(service, `Signer ${n}`);
      assert.equal((await signer.api.post(`${path()}/signatures`)).status, 201);
    }
  });
  after(() => service[Symbol.asyncDispose]());

  const path = () => `/v1/petitions/${petition.id}`;
  const read = async (list: string, query: string) => {
    const { status, body } = await person.api.get(`${list}?${query}`);
    assert.equal(status, 200, `${list}?${query}`);
    return body.data.map(({ id }: { id: string }) => id) as string[];
  };
  const cursorIn = (link: string | null) =>
    link && new URL(link.slice(1, link.indexOf('>'))).searchParams.get('cursor');
  /** Moves the time of creation of the third of four rows away from that in its id. */
  const move = async (table: string, id: string, seconds: number) => {
    const { main } = service.ctx.pools;
    const step = `${seconds} seconds`;
    await main`update ${main(table)} set created_at = created_at + ${step}::interval where id = ${id}`;
  };

  for (const [name, table, list] of [
    ['updates', 'updates', () => `${path()}/updates`],
    ['comments', 'comments', () => `${path()}/comments`],
    ['popular comments', 'comments', () => `${path()}/comments?sort=popular`],
    ['organizations', 'organizations', () => '/v1/organizations'],
  ] as const) {
    it(`selects ${name} by the time of creation, exclusively`, async () => {
      const url = list().includes('?') ? list() : `${list()}?sort=recent`;
      const get = async (query: string) => {
        const { body } = await person.api.get(`${url}&${query}`);
        return body.data as { id: string; created_at: string }[];
      };
      const all = await get('');
      assert.equal(all.length, 4);
      const [, third, second, first] = all;
      const ids = (rows: { id: string }[]) => rows.map(({ id }) => id);
      const after2 = `created_after=${second!.created_at}`;
      assert.deepEqual(ids(await get(after2)), ids(all.slice(0, 2)));
      assert.deepEqual(ids(await get(`${after2}&limit=1`)), ids(all.slice(0, 1)));
      const before2 = `created_before=${second!.created_at}`;
      assert.deepEqual(ids(await get(before2)), [first!.id]);
      const between = `created_after=${first!.created_at}&created_before=${third!.created_at}`;
      assert.deepEqual(ids(await get(between)), [second!.id]);
      await move(table, third!.id, -50);
      assert.deepEqual(ids(await get(after2)), ids(all.slice(0, 1)));
      assert.deepEqual(ids(await get(before2)), ids([third!, first!]));
      await move(table, third!.id, 50);
      const bad = await person.api.get(`${url}&created_after=2026-12-31T23:59:60Z`);
      assert.deepEqual([bad.status, bad.body.errors[0].field], [422, 'created_after']);
    });
  }

  for (const [name, reader, first] of [
    ['of organizations', 'anyone', () => '/v1/organizations?verified_only=false&limit=3'],
    ['that is cached', 'anyone', () => `/v1/petitions?limit=1&creatorId=${person.id}&tag=linked`],
    ['of a petition', 'anyone', () => `${path()}/updates?limit=3&access_code=a%26b`],
    ['of the caller', 'person', () => '/v1/events?limit=5'],
    ['that is streamed', 'person', () => '/v1/petitions/export?limit=1&format=csv'],
  ] as const) {
    const api = () => (reader === 'anyone' ? service : person).api;
    it(`links the next page of a list ${name}`, async () => {
      for (const title of ['Linked once', 'Linked twice', 'Linked thrice']) {
        await createPublished(person, { title, tags: ['linked'] });
      }
      // An event shows once all older transactions of the server have ended, those of other tests too.
      await eventually(async () => (await api().get(first())).headers.get('link') !== null);
      const [address, query] = first().split('?') as [string, string];
      const pages = new Set<string>();
      const parameters = new URLSearchParams(query);
      for (let next: string | null = first(); next !== null;) {
        const { headers, body }: Answer = await api().get(next);
        pages.add(JSON.stringify(body.data ?? body));
        const link: string | null = headers.get('link');
        // Of an answer to a hot read.
        assert.equal((await api().get(next)).headers.get('link'), link);
        const cursor: string | null = body.pagination?.next_cursor ?? cursorIn(link);
        if (cursor === null) break;
        parameters.set('cursor', cursor);
        next = `${address}?${parameters.toString()}`;
        assert.equal(link, `<http://petitions.test${next}>; rel="next"`);
      }
      assert.ok(pages.size >= 2);
    });
  }

  it('selects signatures given after a time', async () => {
    const list = `${path()}/signatures`;
    const { body } = await person.api.get(list);
    const [, third, second] = body.data;
    const query = `signed_after=${second.created_at}`;
    assert.deepEqual(await read(list, query), (await read(list, 'limit=2')).slice(0, 2));
    const last = await person.api.get(`${list}?signed_after=${body.data[0].created_at}`);
    assert.deepEqual(last.body.data, []);
    assert.equal(last.body.pagination.total_count, 4);
    await move('signatures', third.id, -50);
    assert.deepEqual(await read(list, query), [body.data[0].id]);
    assert.equal((await person.api.get(`${list}?signed_after=soon`)).status, 422);
    const signer = await signUpProven(service, 'Grace');
    await signer.api.patch('/v1/users/me', { show_signatures: true });
    await signer.api.post(`${path()}/signatures`);
    for (const own of ['/v1/users/me/signatures', `/v1/users/${signer.slug}/signatures`]) {
      const [given] = (await signer.api.get(own)).body.data;
      const countAfter = async (time: string) =>
        (await signer.api.get(`${own}?signed_after=${time}`)).body.data.length;
      assert.equal(await countAfter(given.created_at), 0);
      assert.equal(await countAfter(second.created_at), 1);
      const bad = await signer.api.get(`${own}?signed_after=2026-12-31T23:59:60Z`);
      assert.deepEqual([bad.status, bad.body.errors[0].field], [422, 'signed_after']);
    }
  });
});
