import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { parseAtomFeed } from 'feedsmith';
import { eventually } from '../../../test/support/eventually.ts';
import {
  createDraft,
  createUsers,
  createPublished,
  signUp,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { toAtom } from './atom.ts';

describe('feeds', () => {
  let service: Service;
  let creator: Person;
  before(async () => {
    service = await startService({ worker: true });
    creator = await signUp(service, 'Ada <Lovelace> & "Co"');
  });
  after(() => service[Symbol.asyncDispose]());

  const read = async (path: string) => {
    const { status, headers, body } = await service.api.get(path);
    assert.equal(status, 200);
    assert.equal(headers.get('content-type'), 'application/atom+xml; charset=utf-8');
    return parseAtomFeed(body);
  };

  /** Waits until the feed meets the condition: a cached one can be shown for a second. */
  const readUntil = async (
    path: string,
    isMet: (feed: Awaited<ReturnType<typeof read>>) => boolean,
  ) => {
    let feed = await read(path);
    await eventually(async () => isMet((feed = await read(path))));
    return feed;
  };

  const idOf = ({ id }: { id: string }) => `urn:uuid:${id}`;

  it('of new petitions list public petitions, newest first', async () => {
    const empty = await read('/feeds/new.atom');
    assert.deepEqual(empty.entries ?? [], []);
    const category = (await service.api.get('/v1/categories')).body.data[0];
    const first = await createDraft(creator, {
      title: 'Open the <script>alert(1)</script> path & "gate"',
      description: `First ]]> line & <b>bold</b> @👩‍👩‍👧. ${'More words. '.repeat(100)}`,
      categoryId: category.id,
    });
    // Such characters were taken once.
    await service.ctx.db`
      update petitions set description = replace(description, '@', ${'\uFFFF'})
      where id = ${first.id}`;
    const published = await creator.api.post(`/v1/petitions/${first.id}/publish`);
    assert.equal(published.status, 200);
    const second = await createPublished(creator);
    await createPublished(creator, { visibility: 'unlisted' });
    await createPublished(creator, { visibility: 'private' });
    await createDraft(creator);
    const feed = await readUntil('/feeds/new.atom', ({ entries }) => entries?.length === 2);

    assert.equal(feed.id, 'http://petitions.test/feeds/new.atom');
    assert.equal(feed.title?.value, 'New petitions');
    assert.deepEqual(
      feed.links?.map(({ rel, href }) => [rel, href]),
      [['self', 'http://petitions.test/feeds/new.atom']],
    );
    const [newer, older] = feed.entries!;
    assert.equal(newer!.id, idOf(second));
    assert.equal(older!.id, idOf(first));
    assert.equal(older!.title?.value, 'Open the <script>alert(1)</script> path & "gate"');
    assert.match(
      older!.summary!.value,
      /^First \]\]> line & <b>bold<\/b>\s+👩‍👩‍👧\. More words\..*More…$/,
    );
    assert.deepEqual(older!.links?.[0]?.href, `http://petitions.test/p/${first.slug}`);
    assert.equal(older!.authors?.[0]?.name, 'Ada <Lovelace> & "Co"');
    assert.deepEqual(older!.categories, [{ term: category.slug, label: category.name }]);
    assert.equal(older!.published, published.body.data.published_at);
    assert.equal(feed.updated, newer!.updated);
    assert.ok(newer!.updated! >= newer!.published!);
  });

  it('show when a petition has changed, and have entity tags', async () => {
    const path = '/feeds/new.atom';
    const petition = await createPublished(creator);
    const entryIn = ({ entries }: Awaited<ReturnType<typeof read>>) =>
      entries?.find(({ id }) => id === idOf(petition));
    const { updated } = entryIn(await readUntil(path, (feed) => entryIn(feed) !== undefined))!;
    const { headers } = await service.api.get(path);
    assert.equal(headers.get('cache-control'), 'public, max-age=60');
    const conditional = { headers: { 'if-none-match': headers.get('etag')! } };
    const same = await service.api.get(path, conditional);
    assert.equal(same.status, 304);
    assert.equal(same.body, '');
    assert.equal(same.headers.get('etag'), headers.get('etag'));

    const title = 'Keep the river path open, and lit';
    await creator.api.patch(`/v1/petitions/${petition.id}`, { title });
    const changed = await readUntil(path, (feed) => entryIn(feed)?.title?.value === title);
    assert.ok(entryIn(changed)!.updated! > updated!);
    assert.equal((await service.api.get(path, conditional)).status, 200);
    await creator.api.post(`/v1/petitions/${petition.id}/close`);
    const rewritten = entryIn(changed)!.updated!;
    await readUntil(path, (feed) => entryIn(feed)!.updated! > rewritten);
  });

  it('of trending petitions are in the order of trend, without promoted ones first', async () => {
    const signers = await createUsers(service, 3);
    const [some, most] = [await createPublished(creator), await createPublished(creator)];
    for (const [n, { api }] of signers.entries()) {
      await api.post(`/v1/petitions/${most.id}/signatures`);
      if (n > 0) await api.post(`/v1/petitions/${some.id}/signatures`);
    }
    const paid = await createPublished(creator);
    await service.ctx.db`
      update petitions set promoted_until = now() + interval '1 day' where id = ${paid.id}`;
    const feed = await readUntil(
      '/feeds/trending.atom',
      ({ entries }) => entries?.[0]?.id === idOf(most) && entries[1]?.id === idOf(some),
    );
    assert.equal(feed.title?.value, 'Trending petitions');
    assert.ok(feed.entries!.some(({ id }) => id === idOf(paid)));
  });

  it('are limited to a category by its slug or id', async () => {
    const category = (await service.api.get('/v1/categories')).body.data[3];
    const petition = await createPublished(creator, { categoryId: category.id });
    for (const ref of [category.slug, category.id, category.id.toUpperCase()]) {
      const feed = await readUntil(
        `/feeds/new.atom?category=${ref}`,
        ({ entries }) => entries?.length === 1,
      );
      assert.equal(feed.entries![0]!.id, idOf(petition));
      assert.equal(feed.title?.value, `New petitions: ${category.name}`);
      assert.equal(feed.id, `http://petitions.test/feeds/new.atom?category=${category.slug}`);
    }
    const others = `category=${category.id}&categoryId=no-such`;
    assert.equal((await service.api.get(`/feeds/new.atom?${others}`)).status, 422);
    const alias = await service.api.get(`/feeds/new.atom?categoryId=${category.slug}`);
    assert.equal(alias.status, 200);
    for (const ref of ['no-such', '', '01a1fe8f-1e78-7684-98f3-5a33b1554d4b']) {
      const path = `/feeds/trending.atom?category=${ref}`;
      assert.equal((await service.api.get(path)).status, 404, ref);
    }
  });

  it('replace characters that XML does not allow', () => {
    const text = toAtom({
      url: 'http://petitions.test/',
      title: 'a\0b\u000Bc\uD800d\uFFFEe\tf\u{1F600}',
      language: 'en',
      author: 'x',
      entries: [],
    });
    assert.match(text, /<title xml:lang="en">a b c d e\tf\u{1F600}<\/title>/u);
  });
});
