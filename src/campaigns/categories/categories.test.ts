import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { parseAtomFeed } from 'feedsmith';
import { logInBrowser } from '../../../test/support/browser.ts';
import { eventually } from '../../../test/support/eventually.ts';
import {
  createDraft,
  createPublished,
  logInAsAdmin,
  signUp,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

interface Named {
  id: string;
  name: string;
  slug: string;
}

describe('names of categories', () => {
  let service: Service;
  let admin: Person;
  let creator: Person;
  /** Of the category `animals`. */
  let categoryId: string;
  let petition: { id: string; slug: string };
  before(async () => {
    service = await startService({ worker: true });
    admin = await logInAsAdmin(service);
    creator = await signUp(service, 'Ada');
    categoryId = (await categories('')).find(({ slug }) => slug === 'animals')!.id;
    petition = await createPublished(creator, { title: 'Room for hedgehogs', categoryId });
    await eventually(async () => (await find('q=hedgehogs')).length === 1, 15_000);
  });
  after(() => service[Symbol.asyncDispose]());

  const categories = async (query: string): Promise<Named[]> =>
    (await service.api.get(`/v1/categories${query}`)).body.data;
  const find = async (query: string): Promise<{ category: Named }[]> =>
    (await service.api.get(`/v1/search/petitions?${query}`)).body.data;
  const page = async (path: string, language: string) => {
    const headers = { accept: 'text/html', 'accept-language': language };
    return String((await service.api.get(path, { headers })).body);
  };

  it('are English unless lang asks', async () => {
    for (const [query, name] of [
      ['', 'Animals'],
      ['?lang=en', 'Animals'],
      ['?lang=de', 'Tiere'],
      ['?lang=de-AT', 'Tiere'],
      ['?lang=fr', 'Animaux'],
      ['?lang=es', 'Animales'],
      ['?lang=ar', 'الحيوانات'],
      ['?lang=it', 'Animals'],
    ] as const) {
      const list = await categories(query);
      assert.equal(list.length, 12);
      const own = list.find(({ id }) => id === categoryId);
      assert.deepEqual(own, { id: categoryId, name, slug: 'animals' }, query);
    }
    const german = (await categories('?lang=de')).map(({ name }) => name);
    assert.deepEqual(
      german,
      german.toSorted((a, b) => a.localeCompare(b, 'de')),
    );
    assert.equal((await service.api.get('/v1/categories?lang=d_e')).status, 422);
  });

  it('are in the language of every read of petitions, whatever was read before', async () => {
    const { id, slug } = petition;
    const user = (await creator.api.get('/v1/users/me')).body.data;
    for (const path of [
      '/v1/petitions',
      '/v1/petitions?sort=trending',
      `/v1/petitions?creatorId=${user.id}`,
      `/v1/petitions/${id}`,
      `/v1/petitions/${slug}`,
      `/v1/users/${user.slug}/petitions`,
      '/v1/search/petitions?q=hedgehogs',
      '/v1/petitions/similar?title=Room for hedgehogs',
    ]) {
      const etags = new Set<string | null>();
      // Twice each: the second read comes from the cache.
      for (const [lang, name] of [
        ['', 'Animals'],
        ['de', 'Tiere'],
        ['', 'Animals'],
        ['fr', 'Animaux'],
        ['de', 'Tiere'],
      ] as const) {
        const query = lang ? `${path.includes('?') ? '&' : '?'}lang=${lang}` : '';
        const { status, body, headers } = await service.api.get(path + query);
        assert.equal(status, 200);
        const [shown] = [body.data].flat();
        assert.equal(shown.category.name, name, path + query);
        assert.equal(shown.category.slug, 'animals');
        etags.add(headers.get('etag'));
      }
      assert.ok(etags.size === 3 || etags.has(null), path);
    }
    const own = await creator.api.get(`/v1/petitions/${id}?lang=es`);
    assert.equal(own.body.data.category.name, 'Animales');
    const queue = await admin.api.get('/v1/admin/petitions?status=active&lang=de');
    assert.equal(queue.body.data[0].category.name, 'Tiere');
    const list = await creator.api.get('/v1/petitions/export?lang=de');
    assert.equal(list.body.data[0].category.name, 'Tiere');
    const csv = await creator.api.get('/v1/petitions/export?format=csv&lang=de');
    assert.match(String(csv.body), /,Tiere,/);
  });

  it('are in the language of pages and feeds', async () => {
    const draft = await createDraft(creator, { categoryId });
    const browser = await logInBrowser(service, creator);
    for (const [language, name] of [
      ['en', 'Animals'],
      ['de', 'Tiere'],
      ['ar', 'الحيوانات'],
    ] as const) {
      const named = new RegExp(`category=animals"[^>]*>(<[^>]*>)*${name}<`);
      assert.match(await page(`/p/${petition.slug}`, language), named);
      assert.match(await page('/petitions', language), new RegExp(`category=animals">${name} <`));
      const filtered = await page('/petitions?category=animals', language);
      assert.match(filtered, new RegExp(`<h1>${name}</h1>`));
      assert.match(filtered, new RegExp(`aria-hidden="true">${name} ×`));
      await eventually(async () =>
        new RegExp(`<bdi>${name}</bdi>`).test(await page('/', language)),
      );
      await browser.submit(await browser.open('/start'), { language: language }, '/language');
      const details = await browser.open(`/start/${draft.id}/details`);
      assert.match(details.body, new RegExp(`<option value="${categoryId}"[^>]*>${name}<`));
      const preview = await browser.open(`/start/${draft.id}/preview`);
      assert.match(preview.body, new RegExp(`<span class="badge" dir="auto">${name}</span>`));
    }
    for (const [query, title, label] of [
      ['', 'New petitions: Animals', 'Animals'],
      ['&lang=de', 'Neue Petitionen: Tiere', 'Tiere'],
    ]) {
      const { body } = await service.api.get(`/feeds/new.atom?category=animals${query}`);
      const feed = parseAtomFeed(body);
      assert.equal(feed.title?.value, title);
      assert.equal(feed.id, `http://petitions.test/feeds/new.atom?category=animals${query}`);
      assert.deepEqual(feed.entries![0]!.categories, [{ term: 'animals', label }]);
    }
    assert.match(await page('/petitions', 'de'), /href="\/feeds\/new\.atom\?lang=de"/);
  });

  it('are set, kept and removed by administrators', async () => {
    const input = { name: ' Science ', names: { de: ' Wissenschaft ', fr: 'Sciences' } };
    const added = await admin.api.post('/v1/admin/categories', input);
    assert.equal(added.status, 201);
    const { id, ...rest } = added.body.data;
    const unset = { position: null, merged_into: null };
    const names = { de: 'Wissenschaft', fr: 'Sciences' };
    assert.deepEqual(rest, { name: 'Science', slug: 'science', names, ...unset });
    const shown = async (lang: string) =>
      (await categories(`?lang=${lang}`)).find((category) => category.id === id)!.name;
    assert.equal(await shown('de'), 'Wissenschaft');
    assert.equal(await shown('es'), 'Science');

    const path = `/v1/admin/categories/${id}`;
    const change = async (body: object) => (await admin.api.patch(path, body)).body.data;
    assert.deepEqual(await change({}), added.body.data);
    const renamed = await change({ name: 'Science and research' });
    const named = { name: 'Science and research', slug: 'science', names };
    assert.deepEqual(renamed, { id, ...named, ...unset });
    const changed = await change({ names: { de: 'Forschung', fr: null, es: 'Ciencia' } });
    assert.deepEqual(changed.names, { de: 'Forschung', es: 'Ciencia' });
    assert.equal(await shown('de'), 'Forschung');
    assert.equal(await shown('fr'), 'Science and research');
    const [entry] = (await admin.api.get(`/v1/admin/audit-logs?target_id=${id}`)).body.data;
    assert.deepEqual(entry.details, { name_de: 'Forschung', name_fr: null, name_es: 'Ciencia' });

    for (const [refused, field] of [
      [{ en: 'Science' }, 'names'],
      [{ xx: 'Science' }, 'names'],
      [{ de: '' }, 'names.de'],
      [{ de: '\u200b' }, 'names.de'],
      [{ de: 'a'.repeat(101) }, 'names.de'],
      [{ de: 1 }, 'names.de'],
      [[], 'names'],
    ] as const) {
      const { status, body } = await admin.api.patch(path, { names: refused });
      assert.equal(status, 422, JSON.stringify(refused));
      assert.equal(body.errors[0].field, field);
    }
    const asNull = { name: 'Space', names: { de: null } };
    assert.equal((await admin.api.post('/v1/admin/categories', asNull)).status, 422);
  });
});

describe('categories', () => {
  let service: Service;
  let admin: Person;
  let creator: Person;
  before(async () => {
    service = await startService({ worker: true });
    admin = await logInAsAdmin(service);
    creator = await signUp(service, 'Ada');
  });
  after(() => service[Symbol.asyncDispose]());

  const slugs = async (query = ''): Promise<string[]> =>
    (await service.api.get(`/v1/categories${query}`)).body.data.map(({ slug }: Named) => slug);
  const listAll = async (): Promise<(Named & { merged_into: string | null })[]> =>
    (await admin.api.get('/v1/admin/categories')).body.data;
  const idOf = async (slug: string) => (await listAll()).find((one) => one.slug === slug)!.id;
  const add = async (name: string): Promise<Named> =>
    (await admin.api.post('/v1/admin/categories', { name })).body.data;
  const merge = (id: string, into: string) =>
    admin.api.post(`/v1/admin/categories/${id}/merge`, { into });
  const found = async (path: string): Promise<string[]> =>
    (await service.api.get(path)).body.data.map(({ id }: { id: string }) => id);

  it('go by position, then by name', async () => {
    const move = async (slug: string, position: number | null) => {
      const path = `/v1/admin/categories/${await idOf(slug)}`;
      const { status, body } = await admin.api.patch(path, { position });
      assert.equal(status, 200);
      assert.equal(body.data.position, position);
    };
    const byName = await slugs();
    await move('health', 0);
    await move('education', 7);
    await move('environment', 7);
    const others = (all: string[]) =>
      all.filter((slug) => !['health', 'education', 'environment'].includes(slug));
    const expected = ['health', 'education', 'environment', ...others(byName)];
    assert.deepEqual(await slugs(), expected);
    assert.deepEqual((await slugs('?lang=de')).slice(0, 3), ['health', 'education', 'environment']);
    assert.deepEqual(
      (await listAll()).map(({ slug }) => slug),
      expected,
    );
    for (const slug of ['health', 'education', 'environment']) await move(slug, null);
    assert.deepEqual(await slugs(), byName);
    const path = `/v1/admin/categories/${await idOf('health')}`;
    for (const position of [-1, 1001, 1.5, '1']) {
      assert.equal((await admin.api.patch(path, { position })).status, 422, String(position));
    }
    assert.equal((await creator.api.get('/v1/admin/categories')).status, 403);
  });

  it('are merged, with their petitions, and lead to the other one', async () => {
    const [from, into] = [await add('Pets'), await add('Beasts')];
    const published = await createPublished(creator, {
      title: 'Room for guinea pigs',
      categoryId: from.id,
    });
    const draft = await createDraft(creator, { categoryId: from.id });
    await eventually(async () => (await found('/v1/search/petitions?q=guinea')).length === 1);
    const { status, body } = await merge(from.id, into.id);
    assert.equal(status, 200);
    assert.equal(body.data.merged_into, into.id);
    assert.ok(!(await slugs()).includes('pets'));
    assert.equal((await listAll()).at(-1)!.id, from.id);

    for (const { id } of [published, draft]) {
      await eventually(async () => {
        const read = await creator.api.get(`/v1/petitions/${id}`);
        return read.body.data.category.id === into.id;
      });
    }
    for (const ref of ['pets', 'beasts', from.id, into.id]) {
      assert.deepEqual(await found(`/v1/petitions?category=${ref}`), [published.id], ref);
      await eventually(async () => {
        const [id] = await found(`/v1/search/petitions?category=${ref}`);
        return id === published.id;
      });
      const feed = await service.api.get(`/feeds/new.atom?category=${ref}`);
      assert.match(String(feed.body), /New petitions: Beasts.*guinea pigs/s);
      const headers = { accept: 'text/html' };
      const page = await service.api.get(`/petitions?category=${ref}`, { headers });
      assert.match(String(page.body), /<h1>Beasts<\/h1>/);
    }
    const facets = (await service.api.get('/v1/search/petitions')).body.facets.category;
    assert.deepEqual(facets, [{ value: into.id, count: 1 }]);

    const later = await createDraft(creator, { categoryId: from.id });
    assert.equal(later.category.id, into.id);
    const patched = await creator.api.patch(`/v1/petitions/${later.id}`, { categoryId: from.id });
    assert.equal(patched.body.data.category.id, into.id);
    const [entry] = (await admin.api.get(`/v1/admin/audit-logs?target_id=${from.id}`)).body.data;
    assert.deepEqual([entry.action, entry.details], ['category.merge', { into: into.id }]);
  });

  it('are merged however many petitions there are', async () => {
    const { db } = service.ctx;
    const [from, into] = [await add('Crowded'), await add('Roomy')];
    await db`
      insert into petitions (id, slug, creator_id, title, description, status, category_id)
      select gen_random_uuid(), 'crowd-' || n, (select id from users limit 1), 'One of many', repeat('Text ', 40),
        'draft', ${from.id}
      from generate_series(1, 2500) n`;
    assert.equal((await merge(from.id, into.id)).status, 200);
    await eventually(
      async () => !(await db.exists`select from petitions where category_id = ${from.id}`),
    );
    const moved = await db.value<number>`
      select count(*)::integer from petitions where category_id = ${into.id}`;
    assert.equal(moved, 2500);
  });

  it('are merged once, and never in a circle', async () => {
    const [one, two, three] = [await add('One'), await add('Two'), await add('Three')];
    const unknown = '01a1fe8f-1e78-7684-98f3-5a33b1554d4b';
    for (const into of [one.id, one.id.toUpperCase(), unknown, 'two']) {
      const { status, body } = await merge(one.id, into);
      assert.equal(status, 422, into);
      assert.equal(body.errors[0].field, 'into');
    }
    assert.equal((await merge(unknown, one.id)).status, 404);
    assert.equal(
      (await creator.api.post(`/v1/admin/categories/${one.id}/merge`, { into: two.id })).status,
      403,
    );
    assert.equal((await merge(one.id, two.id)).status, 200);
    for (const [id, into] of [
      [one.id, three.id],
      [two.id, one.id],
      [three.id, one.id],
    ] as const) {
      const { status, body } = await merge(id, into);
      assert.equal(status, 409);
      assert.equal(body.code, 'category_merged');
    }
    const renaming = await admin.api.patch(`/v1/admin/categories/${one.id}`, { name: 'Other' });
    assert.equal(renaming.body.code, 'category_merged');
    assert.equal((await merge(two.id, three.id)).status, 200);
    const draft = await createDraft(creator, { categoryId: one.id });
    assert.equal(draft.category.id, three.id);
    const circle = await Promise.all([add('A'), add('B')]);
    const [a, b] = circle.map(({ id }) => id) as [string, string];
    const results = await Promise.all([merge(a, b), merge(b, a)]);
    assert.deepEqual(new Set(results.map(({ status }) => status)), new Set([200, 409]));
  });
});
