import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { createPublished, signUp, type Person } from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

describe('browsing', () => {
  let service: Service;
  let creator: Person;
  let category: { id: string; slug: string; name: string };
  before(async () => {
    service = await startService({ worker: true });
    creator = await signUp(service, 'Ada');
    [category] = (await service.api.get('/v1/categories')).body.data;
    await createPublished(creator, {
      title: 'Lanterns along the river',
      categoryId: category.id,
      tags: ['Light'],
      locationCountry: 'FR',
    });
    await createPublished(creator, { title: 'Benches for <every> street' });
    await eventually(async () => (await open('/petitions')).body.includes('2 petitions'), 15_000);
  });
  after(() => service[Symbol.asyncDispose]());

  const open = async (path: string, language = 'en') => {
    const headers = { accept: 'text/html', 'accept-language': language };
    const { status, body, headers: answered } = await service.api.get(path, { headers });
    return { status, body: String(body), headers: answered };
  };

  it('finds by words, and links to filters', async () => {
    const { body, headers } = await open('/petitions');
    assert.match(body, /Lanterns along the river/);
    assert.match(body, /Benches for &lt;every&gt; street/);
    assert.match(body, /2 petitions/);
    assert.match(body, new RegExp(`href="/petitions\\?category=${category.slug}"`));
    assert.match(body, /href="\/petitions\?country=FR">France/);
    assert.match(body, /href="\/petitions\?tag=light"/);
    assert.match(body, /rel="alternate" type="application\/atom\+xml"/);
    assert.equal(headers.get('x-robots-tag'), null);
    const found = await open('/petitions?q=lantern');
    assert.match(found.body, /Lanterns along/);
    assert.doesNotMatch(found.body, /Benches/);
    assert.match(found.headers.get('x-robots-tag')!, /noindex/);
  });

  it('applies each filter, and links to the result without it', async () => {
    for (const [query, shown] of [
      [`category=${category.slug}`, true],
      [`category=${category.id}`, true],
      ['country=fr', true],
      ['tag=light', true],
      ['status=active', true],
      ['status=closed', false],
      ['country=DE', false],
    ]) {
      const { body } = await open(`/petitions?${String(query)}&sort=recent`);
      assert.equal(body.includes('Lanterns along'), shown, String(query));
      assert.match(body, /class="chips"/);
      assert.match(body, /href="\/petitions\?sort=recent"/);
    }
  });

  it('ignores unknown filters, and helps with an empty result', async () => {
    assert.match(
      (await open('/petitions?status=odd&category=odd&country=XX&sort=odd')).body,
      /2 petitions/,
    );
    const { status, body } = await open('/petitions?q=zzzzqqqxxx');
    assert.equal(status, 200);
    assert.match(body, /No petition matches/);
    assert.match(body, /href="\/start"/);
    assert.equal((await open('/petitions?cursor=odd')).status, 400);
  });

  it('uses the language of the request', async () => {
    const { body } = await open('/petitions?country=FR', 'ar');
    assert.match(body, /<html lang="ar" dir="rtl">/);
    assert.match(body, /عريضة واحدة/);
    assert.match(body, /فرنسا/);
  });
});
