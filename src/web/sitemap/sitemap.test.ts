import assert from 'node:assert/strict';
import type { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import {
  createOrganization,
  createPublished,
  signUp,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { petitionsPart, Sitemap } from './sitemap.ts';

describe('the sitemap', () => {
  let service: Service;
  let creator: Person;
  before(async () => {
    service = await startService();
    creator = await signUp(service);
  });
  after(() => service[Symbol.asyncDispose]());

  const addressesIn = (xml: string) =>
    [...xml.matchAll(/<loc>http:\/\/petitions\.test([^<]*)<\/loc>/g)].map(([, path]) => path!);
  const allAddresses = async () => {
    const index = await service.api.get('/sitemap.xml');
    assert.match(index.headers.get('content-type')!, /^application\/xml/);
    const parts = await Promise.all(addressesIn(index.body).map((path) => service.api.get(path)));
    return parts.flatMap(({ body }) => addressesIn(body));
  };

  it('has public pages only', async () => {
    const open = await createPublished(creator);
    const hidden = await createPublished(creator, { visibility: 'private' });
    const organization = await createOrganization(creator);
    const addresses = await allAddresses();
    for (const path of ['/', '/petitions', `/p/${open.slug}`, `/o/${organization.slug}`]) {
      assert.ok(addresses.includes(path), path);
    }
    assert.ok(!addresses.includes(`/p/${hidden.slug}`));
  });

  it('has parts that do not change while more is published', async () => {
    const sitemap = new Sitemap(service.ctx, 2);
    for (let n = 0; n < 3; n++) await createPublished(creator, { title: `In parts, number ${n}` });
    const known = await sitemap.parts();
    await createPublished(creator);
    await createPublished(creator);
    service.advanceClock(700_000);
    const now = await sitemap.parts();
    assert.deepEqual(now.slice(0, known.length - 1), known.slice(0, -1));
    assert.ok(now.length > known.length);
    const bodies = await Promise.all(
      now.map(async (part) => {
        const { body } = petitionsPart(service.ctx, part);
        return addressesIn((await (body as Readable).toArray()).join(''));
      }),
    );
    assert.ok(bodies.slice(0, -1).every(({ length }) => length === 2));
    const { body } = await service.api.get('/v1/petitions?limit=100');
    assert.deepEqual(
      bodies.flat().toSorted(),
      body.data.map(({ slug }: { slug: string }) => `/p/${slug}`).toSorted(),
    );
  });

  it('rejects unknown names of parts', async () => {
    assert.equal((await service.api.get('/sitemap/else.xml')).status, 400);
    assert.equal((await service.api.get('/sitemap/else')).status, 404);
  });

  it('is named in robots.txt', async () => {
    const { body } = await service.api.get('/robots.txt');
    assert.match(body, /^Sitemap: http:\/\/petitions\.test\/sitemap\.xml$/m);
    assert.match(body, /^Disallow: \/dashboard$/m);
  });
});
