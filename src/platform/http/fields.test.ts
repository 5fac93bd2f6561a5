import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  createOrganization,
  createPublished,
  signUp,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

describe('selecting fields', () => {
  let service: Service;
  let person: Person;
  // oxlint-disable-next-line typescript/no-explicit-any
  let petition: any;
  before(async () => {
    service = await startService();
    person = await signUp(service);
    const { body } = await service.api.get('/v1/categories');
    petition = await createPublished(person, {
      categoryId: body.data[0].id,
      description: 'Words of people: Grüße. '.repeat(20),
      decisionMakers: [
        { name: 'Ada', title: 'Mayor', email: 'ada@example.org' },
        { name: 'Grace', email: 'grace@example.org' },
      ],
    });
    await createOrganization(person);
  });
  after(() => service[Symbol.asyncDispose]());

  const ok = async (api: Person['api'], path: string) => {
    const answer = await api.get(path);
    assert.equal(answer.status, 200, `${path}: ${JSON.stringify(answer.body)}`);
    return answer;
  };

  it('answers these alone, of one and of each of a list', async () => {
    const path = `/v1/petitions/${petition.id}`;
    const { category, decision_makers: makers } = (await ok(service.api, path)).body.data;
    for (const api of [service.api, service.api, person.api]) {
      for (const [fields, data] of [
        ['title', { title: petition.title }],
        ['id,category.name', { id: petition.id, category: { name: category.name } }],
        ['category,category.name', { category }],
        ['category.name,category', { category }],
        [
          'decision_makers.name,description',
          {
            description: petition.description,
            decision_makers: makers.map(({ name }: { name: string }) => ({ name })),
          },
        ],
        ['closed_at, text_change.at', { closed_at: null, text_change: null }],
        ['access_code', {}],
      ] as const) {
        const { body } = await ok(api, `${path}?fields=${fields}`);
        assert.deepEqual(body.data, data, fields);
        assert.deepEqual(Object.keys(body), ['data', 'meta']);
        assert.equal(body.meta.warnings, undefined);
      }
      const list = await ok(api, '/v1/petitions?fields=slug,creator.slug&limit=1');
      assert.deepEqual(list.body.data, [{ slug: petition.slug, creator: { slug: person.slug } }]);
      assert.deepEqual(list.body.pagination, { next_cursor: null, has_more: false });
    }
  });

  it('works for all that is read in the envelope', async () => {
    await person.api.post(`/v1/petitions/${petition.id}/comments`, { body: 'Yes' });
    for (const [path, data] of [
      ['/v1/me?fields=slug', { slug: person.slug }],
      [`/v1/users/${person.slug}?fields=slug`, { slug: person.slug }],
      [
        `/v1/petitions/${petition.id}/comments?fields=body,replies.body`,
        [{ body: 'Yes', replies: [] }],
      ],
      ['/v1/categories?fields=slug', undefined],
      ['/v1/organizations?fields=name&limit=1', undefined],
      ['/v1/events?fields=type,data.petition_id&limit=1', undefined],
      ['/v1/search/petitions?fields=id', undefined],
    ] as const) {
      const { body } = await ok(person.api, path);
      if (data) assert.deepEqual(body.data, data, path);
      const names = new URLSearchParams(path.split('?')[1]).get('fields')!.split(/[.,]/);
      for (const item of [body.data].flat()) {
        for (const name of Object.keys(item)) assert.ok(names.includes(name), `${path}: ${name}`);
      }
    }
    const { body } = await service.api.get('/openapi.json');
    const parametersOf = (path: string, method = 'get') =>
      (body.paths[path][method].parameters as { name: string; schema: object }[]).filter(
        ({ name }) => name === 'fields',
      );
    assert.deepEqual(parametersOf('/v1/petitions')[0]?.schema, { type: 'string', maxLength: 2000 });
    assert.equal(parametersOf('/v1/petitions', 'post').length, 0);
    assert.equal(parametersOf('/v1/petitions/export').length, 0);
    assert.equal(parametersOf('/health').length, 0);
    const ignored = await service.api.get('/v1/petitions/export?fields=id');
    assert.equal(ignored.status, 401);
  });

  it('refuses unknown names, and says which was meant', async () => {
    for (const [fields, message] of [
      ['titel', 'There is no field "titel". Did you mean title?'],
      ['id,category.nam', 'There is no field "category.nam". Did you mean category.name?'],
      ['', 'There is no field "".'],
      ['id,', 'There is no field "".'],
      ['data.id', 'There is no field "data.id".'],
      ['__proto__', undefined],
      ['title.constructor', undefined],
      [Array.from({ length: 51 }, () => 'id').join(','), 'These must be at most 50 names.'],
    ] as const) {
      const { status, body } = await service.api.get(`/v1/petitions?fields=${fields}`);
      assert.equal(status, 422, fields);
      const [error] = body.errors;
      assert.deepEqual([error.field, error.code], ['fields', 'invalid_value']);
      if (message !== undefined) assert.equal(error.message, message);
    }
    const both = await service.api.get('/v1/petitions?fields=x&limit=0');
    assert.deepEqual(both.body.errors.map(({ field }: { field: string }) => field).toSorted(), [
      'fields',
      'limit',
    ]);
    assert.equal((await service.api.get('/v1/petitions/no-such?fields=id')).status, 404);
    assert.equal((await service.api.get('/v1/petitions/no-such?fields=x')).status, 422);
  });

  it('has an entity tag of its own, also of hot reads', async () => {
    const whole = await ok(service.api, '/v1/petitions?limit=5');
    const tags = new Set([whole.headers.get('etag')!]);
    for (const fields of ['id', 'id,title']) {
      const path = `/v1/petitions?limit=5&fields=${fields}`;
      const first = await ok(service.api, path);
      const again = await ok(service.api, path);
      const etag = first.headers.get('etag')!;
      assert.equal(again.headers.get('etag'), etag);
      assert.deepEqual(again.body.data, first.body.data);
      tags.add(etag);
      const held = { headers: { 'if-none-match': etag } };
      assert.equal((await service.api.get(path, held)).status, 304);
    }
    assert.equal(tags.size, 3);
  });

  it('makes a list of 100 petitions a fifth as large', async () => {
    for (let n = 0; n < 100; n += 1) await createPublished(person);
    const sizeOf = async (query: string) => {
      const { body } = await ok(service.api, `/v1/petitions?limit=100${query}`);
      assert.equal(body.data.length, 100);
      return JSON.stringify(body).length;
    };
    const selected = await sizeOf('&fields=id,signature_count');
    assert.ok(selected < (await sizeOf('')) / 5);
    const page = await ok(service.api, '/v1/petitions?limit=1&fields=id');
    const cursor = page.body.pagination.next_cursor;
    const next = `/v1/petitions?limit=1&fields=id&cursor=${cursor}`;
    assert.equal(page.headers.get('link'), `<http://petitions.test${next}>; rel="next"`);
    assert.deepEqual(Object.keys((await ok(service.api, next)).body.data[0]), ['id']);
  });
});
