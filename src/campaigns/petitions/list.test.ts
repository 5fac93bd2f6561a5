import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createDraft, createPublished, signUp, type Person } from '../../../test/support/people.ts';
import { newId } from '../../platform/ids.ts';
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

  it('filters by several statuses, and by category and tags under either name', async () => {
    const { body } = await service.api.get('/v1/categories');
    const [category] = body.data;
    const own = await createPublished(creator, {
      title: 'Of a category',
      categoryId: category.id,
      tags: ['two', 'words'],
    });
    await creator.api.post(`/v1/petitions/${own.id}/victory`);
    assert.deepEqual(await titlesOf('status=victory,closed'), ['Of a category', 'Petition 6']);
    assert.equal((await titlesOf('status=closed,active,closed')).length, 7);
    assert.equal((await titlesOf('status=closed,active,victory&sort=popular')).length, 8);
    for (const query of [
      `category=${category.slug}`,
      `category=${category.id}`,
      `categoryId=${category.slug}`,
      `categoryId=${category.id.toUpperCase()}`,
      `categoryId=${category.id}&category=${category.slug}`,
      'tag=two,Words',
      'tags=two&tag=TWO',
    ]) {
      assert.deepEqual(await titlesOf(query), ['Of a category'], query);
    }
    for (const [query, field] of [
      [`categoryId=${category.id}&category=${body.data[1].slug}`, 'category'],
      ['category=no-such', 'category'],
      ['categoryId=no-such', 'categoryId'],
      ['tags=two&tag=words', 'tag'],
      ['status=active,under_review', 'status'],
      ['status=', 'status'],
    ] as const) {
      const answer = await service.api.get(`/v1/petitions?${query}`);
      assert.equal(answer.status, 422, query);
      assert.deepEqual(
        answer.body.errors.map((error: { field: string }) => error.field),
        [field],
      );
    }
    await creator.api.delete(`/v1/petitions/${own.id}`);
  });

  it('lists your drafts beside what everybody sees', async () => {
    const draft = await createDraft(creator, { title: 'A draft of mine' });
    const read = async (api: Person['api'], query: string): Promise<string[]> =>
      (await api.get(`/v1/petitions?${query}`)).body.data.map(
        (one: { title: string }) => one.title,
      );
    assert.deepEqual(await read(creator.api, 'status=draft,closed'), [
      'A draft of mine',
      'Petition 6',
    ]);
    assert.deepEqual(await read(creator.api, 'status=draft,closed&limit=1'), ['A draft of mine']);
    const both = await read(creator.api, 'status=draft,active&sort=trending');
    assert.equal(both.length, 7);
    assert.deepEqual(await read(service.api, 'status=draft,closed'), ['Petition 6']);
    assert.deepEqual(await read(service.api, 'status=draft'), []);
    await creator.api.delete(`/v1/petitions/${draft.id}`);
  });

  it('selects by the time of creation, exclusively', async () => {
    const times = petitions.map((one) => one.created_at as string);
    for (const sort of ['recent', 'popular', 'trending']) {
      const titles = await titlesOf(
        `sort=${sort}&created_after=${times[1]}&created_before=${times[5]}`,
      );
      assert.deepEqual(titles.toSorted(), ['Petition 2', 'Petition 3', 'Petition 4'], sort);
    }
    const inOtherZone = new Date(times[5]!).toISOString().replace('Z', '%2B00:00');
    assert.deepEqual(await titlesOf(`created_after=${inOtherZone}`), ['Petition 6']);
    for (const time of ['yesterday', '2026-01-01', '2026-12-31T23:59:60Z']) {
      const { status, body } = await service.api.get(`/v1/petitions?created_before=${time}`);
      assert.deepEqual([status, body.errors?.[0].field], [422, 'created_before'], time);
    }
  });

  describe('by id', () => {
    const byIds = (api: Person['api'], ids: readonly string[], query = '') =>
      api.get(`/v1/petitions?ids=${ids.join(',')}${query}`);
    const idsIn = ({ body }: Awaited<ReturnType<typeof byIds>>): string[] =>
      body.data.map((one: { id: string }) => one.id);

    it('answers all in their order, each once, without those that the caller cannot read', async () => {
      const unlisted = await createPublished(creator, {
        title: 'Unlisted',
        visibility: 'unlisted',
      });
      const hidden = await createPublished(creator, { title: 'Private', visibility: 'private' });
      const draft = await createDraft(creator, { title: 'A draft' });
      const deleted = await createPublished(creator, { title: 'Deleted' });
      await creator.api.delete(`/v1/petitions/${deleted.id}`);
      const open = [petitions[3].id, unlisted.id, petitions[0].id];
      const asked = [draft.id, ...open, hidden.id, deleted.id, creator.id, open[0].toUpperCase()];
      const stranger = await signUp(service, 'Stranger');
      for (const api of [service.api, service.api, stranger.api]) {
        const answer = await byIds(api, asked);
        assert.deepEqual(idsIn(answer), open);
        assert.deepEqual(answer.body.pagination, { next_cursor: null, has_more: false });
      }
      assert.deepEqual(idsIn(await byIds(creator.api, asked)), [draft.id, ...open, hidden.id]);
      assert.deepEqual(idsIn(await byIds(service.api, asked, '&status=closed')), []);
      assert.deepEqual(idsIn(await byIds(service.api, asked, '&tag=t1')), [petitions[3].id]);
      await creator.api.delete(`/v1/petitions/${unlisted.id}`);
      assert.deepEqual(idsIn(await byIds(service.api, asked)), [open[0], open[2]]);
    });

    it('takes 100 ids, and no parameters of pages', async () => {
      const many = Array.from({ length: 101 }, newId);
      assert.deepEqual(idsIn(await byIds(service.api, many.slice(1))), []);
      for (const [ids, query, field, code] of [
        [many, '', 'ids', 'too_big'],
        [[''], '', 'ids', 'invalid_format'],
        [['a-slug'], '', 'ids', 'invalid_format'],
        [many.slice(99), '&limit=20', 'limit', 'invalid_value'],
        [many.slice(99), '&sort=recent', 'sort', 'invalid_value'],
        [many.slice(99), '&cursor=x', 'cursor', 'invalid_value'],
      ] as const) {
        const { status, body } = await byIds(service.api, ids, query);
        assert.equal(status, 422, query);
        assert.deepEqual([body.errors[0].field, body.errors[0].code], [field, code]);
      }
    });
  });

  it('answers the deprecated list of a user with a link to its successor', async () => {
    const path = `/v1/users/${creator.slug}/petitions`;
    const { headers, body } = await service.api.get(`${path}?limit=2`);
    assert.equal(body.data.length, 2);
    assert.match(headers.get('deprecation')!, /^@\d+$/);
    const successor = `http://petitions.test/v1/petitions?creatorId=${creator.id}`;
    const next = `http://petitions.test${path}?limit=2&cursor=${body.pagination.next_cursor}`;
    const links = `<${successor}>; rel="successor-version", <${next}>; rel="next"`;
    assert.equal(headers.get('link'), links);
    assert.equal((await service.api.get('/v1/users/no-such/petitions')).status, 404);
    // Ignores query parameters that are not documented.
    const undocumented = await service.api.get(`${path}?limit=2&categoryId=1&sort=none`);
    assert.deepEqual(undocumented.body.data, body.data);
    const repeated = await service.api.get(`${path}?limit=2`);
    assert.equal(repeated.headers.get('link'), links);
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
