import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addDecisionMaker, deliver } from '../../../test/support/decision-makers.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { createPublished, createUsers, signUp, type Person } from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import type { TimelineEntry } from './schema.ts';

describe('the timeline of a petition', () => {
  let service: Service;
  let creator: Person;
  let petition: { id: string; slug: string };
  before(async () => {
    service = await startService({ worker: true });
    creator = await signUp(service, 'Creator');
    petition = await createPublished(creator, { signatureGoal: 3 });
    const { api } = creator;
    const path = `/v1/petitions/${petition.id}`;
    for (const { api: signer } of await createUsers(service, 3)) {
      assert.equal((await signer.post(`${path}/signatures`)).status, 201);
    }
    const description =
      'The path along the river is dark. We ask the council to light it at night.';
    assert.equal((await api.patch(path, { description })).status, 200);
    const update = { title: 'We met the <b>council</b>', body: 'They listened.' };
    assert.equal((await api.post(`${path}/updates`, update)).status, 201);
    const maker = await addDecisionMaker(creator, petition);
    const { token } = await deliver(service, creator, maker, { summary: 'none' });
    const answer = { body: 'We will light it.', status: 'supportive' };
    assert.ok((await service.api.post(`/respond/${token}`, answer)).status < 300);
    const { body } = await api.get(`${path}/responses`);
    assert.equal((await api.post(`/v1/responses/${body.data[0].id}/publish`)).status, 200);
    assert.equal((await api.post(`${path}/victory`, {})).status, 200);
  });
  after(() => service[Symbol.asyncDispose]());

  const read = async (query = '') => {
    const { status, body } = await service.api.get(`/v1/petitions/${petition.id}/timeline${query}`);
    assert.equal(status, 200);
    return body as {
      data: TimelineEntry[];
      pagination: { next_cursor: string | null };
    };
  };

  it('has what happened, newest first', async () => {
    await eventually(async () => (await read()).data.length === 7);
    const { data } = await read();
    assert.deepEqual(
      data.map(({ type }) => type),
      ['victory', 'answered', 'delivered', 'update', 'text_changed', 'milestone', 'published'],
    );
    const of = (type: string) => data.find((entry) => entry.type === type)!;
    assert.equal(of('milestone').count, 3);
    assert.equal(of('text_changed').count, 3);
    assert.equal(of('update').update!.title, 'We met the <b>council</b>');
    assert.equal(of('answered').position, 'supportive');
    assert.ok(of('delivered').decision_maker!.name.length > 0);
    assert.ok(!JSON.stringify(data).includes('@'));
    const times = data.map(({ at }) => Date.parse(String(at)));
    assert.deepEqual(
      times,
      times.toSorted((one, other) => other - one),
    );
  });

  it('is paged by key', async () => {
    const seen: TimelineEntry[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page = await read(`?limit=2${cursor && `&cursor=${cursor}`}`);
      seen.push(...page.data);
      cursor = page.pagination.next_cursor;
    }
    assert.deepEqual(seen, (await read()).data);
    const path = `/v1/petitions/${petition.id}/timeline?cursor=none`;
    assert.equal((await service.api.get(path)).status, 400);
  });

  it('is on the page of the petition, on one of its own, and a feed', async () => {
    const home = String((await service.api.get(`/p/${petition.slug}`)).body);
    assert.match(home, /<section id="timeline">/);
    const page = String((await service.api.get(`/p/${petition.slug}/timeline`)).body);
    assert.match(page, /type="application\/atom\+xml" href="\/p\/[^"]+\/feed\.atom"/);
    assert.match(page, /News: We met the &lt;b&gt;council&lt;\/b&gt;/);
    assert.match(page, /answered: In favour/);
    assert.match(page, /The text was changed, at 3 signatures/);
    const feed = await service.api.get(`/p/${petition.slug}/feed.atom?lang=de`);
    assert.equal(feed.headers.get('content-type'), 'application/atom+xml; charset=utf-8');
    const text = String(feed.body);
    assert.match(text, /<title xml:lang="de">Verlauf: /);
    assert.equal([...text.matchAll(/<entry>/g)].length, 7);
    const ids = [...text.matchAll(/<id>(.*?)<\/id>/g)].map(([, id]) => id);
    assert.equal(new Set(ids).size, ids.length);
  });

  it('is as private as its petition', async () => {
    const hidden = await createPublished(creator, { visibility: 'private' });
    const { body } = await creator.api.get(`/v1/petitions/${hidden.id}`);
    for (const path of [`/v1/petitions/${hidden.id}/timeline`, `/p/${hidden.slug}/feed.atom`]) {
      assert.equal((await service.api.get(path)).status, 403, path);
      const opened = await service.api.get(`${path}?access_code=${body.data.access_code}`);
      assert.equal(opened.status, 200, path);
    }
    assert.equal((await service.api.get('/p/none/feed.atom')).status, 404);
  });
});
