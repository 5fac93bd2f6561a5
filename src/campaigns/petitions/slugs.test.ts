import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createDraft, signUp, type Person } from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

describe('the address of a petition', () => {
  let service: Service;
  let creator: Person;
  before(async () => {
    service = await startService();
    creator = await signUp(service, 'Creator');
  });
  after(() => service[Symbol.asyncDispose]());

  const rename = async (id: string, title: string) =>
    assert.equal((await creator.api.patch(`/v1/petitions/${id}`, { title })).status, 200);
  const publish = async (id: string) =>
    (await creator.api.post(`/v1/petitions/${id}/publish`)).body.data;

  it('follows the title until the first publication, and no further', async () => {
    const draft = await createDraft(creator, { title: 'A first idea' });
    await rename(draft.id, 'Light the harbour steps');
    const { data: renamed } = (await creator.api.get(`/v1/petitions/${draft.id}`)).body;
    assert.equal(renamed.slug, 'a-first-idea');
    const published = await publish(draft.id);
    assert.equal(published.slug, 'light-the-harbour-steps');
    await rename(draft.id, 'Light the harbour stairs');
    const { data } = (await service.api.get(`/v1/petitions/${draft.id}`)).body;
    assert.equal(data.slug, 'light-the-harbour-steps');
  });

  it('that it had before leads to it, and is nobody else’s', async () => {
    const draft = await createDraft(creator, { title: 'Save the old mill' });
    await rename(draft.id, 'Save the old windmill');
    const { slug } = await publish(draft.id);
    const read = await service.api.get('/v1/petitions/save-the-old-mill');
    assert.deepEqual([read.status, read.body.data.id], [200, draft.id]);
    const page = await service.api.get('/p/save-the-old-mill?utm_source=mail');
    assert.equal(page.status, 301);
    assert.equal(page.headers.get('location'), `/p/${slug}?utm_source=mail`);
    const other = await createDraft(creator, { title: 'Save the old mill' });
    assert.match(other.slug, /^save-the-old-mill-\w+$/);
    const third = await createDraft(creator, { title: 'Another idea' });
    await rename(third.id, 'Save the old mill');
    assert.match((await publish(third.id)).slug, /^save-the-old-mill-\w+$/);
  });

  it('stays where the title came back, or has a suffix already', async () => {
    await createDraft(creator, { title: 'Keep the library' });
    const draft = await createDraft(creator, { title: 'Keep the library' });
    await rename(draft.id, 'Another title');
    await rename(draft.id, 'Keep the library');
    assert.equal((await publish(draft.id)).slug, draft.slug);
  });

  it('is given once when many drafts with one title are published at once', async () => {
    const drafts = await Promise.all(
      Array.from({ length: 12 }, (_, n) => createDraft(creator, { title: `Idea number ${n}` })),
    );
    for (const { id } of drafts) await rename(id, 'The same title for all');
    const published = await Promise.all(drafts.map(({ id }) => publish(id)));
    const slugs = new Set(published.map(({ slug }) => slug));
    assert.equal(slugs.size, drafts.length);
    assert.ok(slugs.has('the-same-title-for-all'));
  });
});
