import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createPublished, signUp, type Person } from '../../../test/support/people.ts';
import { sortKeysFollowed } from '../../../test/support/sort-keys.ts';
import { startService, type Service } from '../../../test/support/service.ts';

describe('petition lists', () => {
  let service: Service;
  let creator: Person;
  // oxlint-disable-next-line typescript/no-explicit-any
  const petitions: any[] = [];
  before(async () => {
    service = await startService({ worker: true });
    creator = await signUp(service, 'Creator');
    for (let index = 0; index < 7; index++) {
      petitions.push(
        await createPublished(creator, {
          title: `Petition ${index}`,
          tags: ['all', `t${index % 2}`],
        }),
      );
    }
    const signers = await Promise.all(['A', 'B', 'C'].map((name) => signUp(service, name)));
    for (const [index, signer] of signers.entries()) {
      for (const petition of petitions.slice(0, 3 - index)) {
        await signer.api.post(`/v1/petitions/${petition.id}/signatures`);
      }
    }
  });
  after(() => service[Symbol.asyncDispose]());

  const titlesOf = async (query: string): Promise<string[]> => {
    const titles = [];
    let cursor = '';
    do {
      const { status, body } = await service.api.get(`/v1/petitions?limit=2&${query}${cursor}`);
      assert.equal(status, 200);
      titles.push(...body.data.map((one: { title: string }) => one.title));
      assert.equal(body.pagination.has_more, body.pagination.next_cursor !== null);
      cursor = body.pagination.next_cursor ? `&cursor=${body.pagination.next_cursor}` : '';
    } while (cursor);
    return titles;
  };

  it('pages through each sort order without gaps or duplicates', async () => {
    const newest = petitions.map((one) => one.title).toReversed();
    assert.deepEqual(await titlesOf('sort=recent'), newest);
    assert.deepEqual(await titlesOf(''), newest);
    await sortKeysFollowed(service);
    const popular = await titlesOf('sort=popular');
    assert.deepEqual(popular.slice(0, 3), ['Petition 0', 'Petition 1', 'Petition 2']);
    assert.deepEqual(new Set(popular), new Set(newest));
    assert.deepEqual((await titlesOf('sort=trending')).slice(0, 3), popular.slice(0, 3));
  });

  it('filters by status, tags, category and creator', async () => {
    assert.deepEqual(await titlesOf('tags=T1,all'), ['Petition 5', 'Petition 3', 'Petition 1']);
    assert.deepEqual(await titlesOf('tags=t0,t1'), []);
    await creator.api.post(`/v1/petitions/${petitions[6].id}/close`);
    assert.deepEqual(await titlesOf('status=closed'), ['Petition 6']);
    assert.equal((await titlesOf(`creatorId=${creator.id}`)).length, 7);
    const own = await creator.api.get(`/v1/petitions?creatorId=${creator.id.toUpperCase()}`);
    assert.equal(own.body.data.length, 7);
    const urn = await service.api.get(`/v1/petitions?creatorId=urn:uuid:${creator.id}`);
    assert.equal(urn.status, 422);
    assert.deepEqual(await titlesOf(`categoryId=${creator.id}`), []);
  });

  it('answers the deprecated list of a user with a link to its successor', async () => {
    const path = `/v1/users/${creator.slug}/petitions`;
    const { headers, body } = await service.api.get(`${path}?limit=2`);
    assert.equal(body.data.length, 2);
    assert.match(headers.get('deprecation')!, /^@\d+$/);
    const successor = `http://petitions.test/v1/petitions?creatorId=${creator.id}`;
    assert.equal(headers.get('link'), `<${successor}>; rel="successor-version"`);
    assert.equal((await service.api.get('/v1/users/no-such/petitions')).status, 404);
    // Ignores query parameters that are not documented.
    const undocumented = await service.api.get(`${path}?limit=2&categoryId=1&sort=none`);
    assert.deepEqual(undocumented.body.data, body.data);
    const repeated = await service.api.get(`${path}?limit=2`);
    assert.equal(repeated.headers.get('deprecation'), headers.get('deprecation'));
  });

  it('rejects malformed cursors and cursors of other sort orders with 400', async () => {
    const { body } = await service.api.get('/v1/petitions?limit=1&sort=popular');
    for (const cursor of [
      'x',
      'e30',
      body.pagination.next_cursor,
      Buffer.from('["recent","2020-13-99T00:00:00.000Z","x"]').toString('base64url'),
      Buffer.from('["recent",1,2]').toString('base64url'),
    ]) {
      const answer = await service.api.get(`/v1/petitions?cursor=${cursor}`);
      assert.equal(answer.status, 400, cursor);
      assert.match(answer.body.type, /invalid-request$/);
    }
  });

  it('returns each petition once while others are added', async () => {
    const first = await service.api.get('/v1/petitions?limit=3');
    await createPublished(creator, { title: 'One that came between' });
    const second = await service.api.get(
      `/v1/petitions?limit=3&cursor=${first.body.pagination.next_cursor}`,
    );
    const titles = [...first.body.data, ...second.body.data].map((one) => one.title);
    assert.deepEqual(
      titles,
      [6, 5, 4, 3, 2, 1].map((index) => `Petition ${index}`),
    );
  });
});
