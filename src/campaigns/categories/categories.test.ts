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
    const names = { de: 'Wissenschaft', fr: 'Sciences' };
    assert.deepEqual(rest, { name: 'Science', slug: 'science', names });
    const shown = async (lang: string) =>
      (await categories(`?lang=${lang}`)).find((category) => category.id === id)!.name;
    assert.equal(await shown('de'), 'Wissenschaft');
    assert.equal(await shown('es'), 'Science');

    const path = `/v1/admin/categories/${id}`;
    const change = async (body: object) => (await admin.api.patch(path, body)).body.data;
    assert.deepEqual(await change({}), added.body.data);
    const renamed = await change({ name: 'Science and research' });
    assert.deepEqual(renamed, { id, name: 'Science and research', slug: 'science', names });
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
