import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  createDraft,
  createUsers,
  createPublished,
  type TestUser,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { newId } from '../../platform/ids.ts';
import type { Caller } from '../../platform/http/route.ts';
import { Problem } from '../../platform/problems.ts';
import { updateImage } from './updates.ts';
import { updateQuota } from './updates.ts';

describe('updates', () => {
  let service: Service;
  let creator: TestUser;
  let other: TestUser;
  let moderator: TestUser;
  before(async () => {
    service = await startService();
    [creator, other, moderator] = (await createUsers(service, 3)) as [TestUser, TestUser, TestUser];
    await service.ctx.db`update users set role = 'moderator' where id = ${moderator.id}`;
    await service.app.sessions.revocations.refresh();
  });
  after(() => service[Symbol.asyncDispose]());

  const news = { title: 'News', body: 'The council has put us on the agenda.' };
  const listOf = ({ id }: { id: string }) => `/v1/petitions/${id}/updates`;
  const post = async (petition: { id: string }, input: object = news) => {
    const { status, body } = await creator.api.post(listOf(petition), input);
    assert.equal(status, 201, JSON.stringify(body));
    return body.data;
  };
  const eventsOf = ({ id }: { id: string }) => service.ctx.db`
    select actor_type, actor_id, data from events
    where petition_id = ${id} and type = 'update.created' order by position`;

  it('are limited to 100 a day', async () => {
    await using strict = await startService({ env: { RATE_LIMITS: 'on' } });
    const [person] = (await createUsers(strict, 1)) as [TestUser];
    const petition = await createPublished(person);
    for (let n = 0; n < 99; n++) await strict.ctx.limits.take(updateQuota, person.id);
    assert.equal((await person.api.post(listOf(petition), news)).status, 201);
    const refused = await person.api.post(listOf(petition), news);
    assert.equal(refused.status, 429);
    assert.match(refused.body.message, /updates/);
  });

  it('are returned as posted, newest first, and emit an event', async () => {
    const petition = await createPublished(creator);
    const first = await post(petition, {
      title: '<b>Bold</b> & 👩‍👩‍👧',
      body: ' two\n\n**paragraphs** ',
      image_url: 'https://example.org/a.png',
    });
    assert.equal(first.title, '<b>Bold</b> & 👩‍👩‍👧');
    assert.equal(first.body, ' two\n\n**paragraphs**');
    assert.equal(first.body_html, '<p>two</p>\n<p><strong>paragraphs</strong></p>\n');
    assert.equal(first.image_url, 'https://example.org/a.png');
    const second = await post(petition);
    assert.equal(second.image_url, null);
    assert.equal(second.petition_id, petition.id);
    for (const ref of [petition.id, petition.slug]) {
      const { body } = await service.api.get(listOf({ id: ref }));
      const listed = [second, first].map(({ body_html: _html, ...update }) => update);
      assert.deepEqual(body.data, listed);
    }
    const path = `/v1/updates/${second.id}`;
    const read = await service.api.get(path);
    assert.deepEqual(read.body.data, second);
    const held = { headers: { 'if-none-match': read.headers.get('etag')! } };
    assert.equal((await service.api.get(path, held)).status, 304);
    const events = await eventsOf(petition);
    assert.deepEqual(
      events.map((event) => ({ ...event })),
      [first, second].map(({ id }) => ({
        actor_type: 'user',
        actor_id: creator.id,
        data: { update_id: id },
      })),
    );
  });

  it('are paged by key while others are posted', async () => {
    const petition = await createPublished(creator);
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) ids.push((await post(petition)).id);
    const seen: string[] = [];
    let cursor = '';
    do {
      const { body } = await service.api.get(`${listOf(petition)}?limit=2${cursor}`);
      seen.push(...body.data.map(({ id }: { id: string }) => id));
      cursor = body.pagination.has_more ? `&cursor=${body.pagination.next_cursor}` : '';
      await post(petition);
    } while (cursor);
    assert.deepEqual(seen, ids.toReversed());
  });

  it('can be posted only by the creator, on published petitions', async () => {
    const unpublished = await createDraft(creator);
    const early = await creator.api.post(listOf(unpublished), news);
    assert.equal(early.status, 409);
    assert.equal(early.body.code, 'invalid_state');
    assert.equal((await other.api.post(listOf(unpublished), news)).status, 404);
    assert.equal((await creator.api.post(listOf({ id: newId() }), news)).status, 404);

    const petition = await createPublished(creator);
    assert.equal((await service.api.post(listOf(petition), news)).status, 401);
    for (const person of [other, moderator]) {
      assert.equal((await person.api.post(listOf(petition), news)).status, 403);
    }
    await creator.api.post(`/v1/petitions/${petition.id}/close`);
    await post(petition);
    const won = await createPublished(creator);
    await creator.api.post(`/v1/petitions/${won.id}/victory`);
    const { id } = await post(won);
    await creator.api.delete(`/v1/petitions/${won.id}`);
    assert.equal((await service.api.get(listOf(won))).status, 404);
    assert.equal((await creator.api.get(`/v1/updates/${id}`)).status, 404);
    assert.equal((await creator.api.post(listOf(won), news)).status, 404);
  });

  it('are rejected with 422 if a field is invalid', async () => {
    const petition = await createPublished(creator);
    for (const [field, value] of [
      ['title', ' \n'],
      ['title', 'x'.repeat(201)],
      ['body', ''],
      ['body', 'x'.repeat(10_001)],
      ['image_url', 'javascript:alert(1)'],
    ] as const) {
      const { status, body } = await creator.api.post(listOf(petition), {
        ...news,
        [field]: value,
      });
      assert.equal(status, 422);
      assert.equal(body.errors[0].field, field);
    }
    await post(petition, { title: '😀'.repeat(200), body: '😀'.repeat(10_000) });
    assert.equal((await eventsOf(petition)).length, 1);
  });

  it('require the access code of a private petition', async () => {
    const petition = await createPublished(creator, { visibility: 'private' });
    const { access_code } = (await creator.api.get(`/v1/petitions/${petition.id}`)).body.data;
    const { id } = await post(petition);
    for (const path of [listOf(petition), `/v1/updates/${id}`]) {
      assert.equal((await other.api.get(path)).status, 403);
      assert.equal((await other.api.get(`${path}?access_code=wrong`)).status, 403);
      assert.equal((await service.api.get(`${path}?access_code=${access_code}`)).status, 200);
      assert.equal((await moderator.api.get(path)).status, 200);
    }
  });

  it('are changed by the creator, and deleted by creator and moderators, who are logged', async () => {
    const petition = await createPublished(creator);
    const first = await post(petition, { ...news, image_url: 'https://example.org/a.png' });
    const path = `/v1/updates/${first.id}`;
    const change = { title: 'Better news' };
    for (const person of [other, moderator]) {
      assert.equal((await person.api.patch(path, change)).status, 403);
    }
    assert.equal((await service.api.patch(path, change)).status, 401);
    const changed = (await creator.api.patch(path, change)).body.data;
    assert.deepEqual({ ...changed, title: news.title, updated_at: first.updated_at }, first);
    assert.equal(changed.title, 'Better news');
    assert.ok(changed.updated_at >= first.updated_at);
    const cleared = await creator.api.patch(path, { image_url: null });
    assert.equal(cleared.body.data.image_url, null);
    assert.equal((await eventsOf(petition)).length, 1, 'changes emit no event');

    assert.equal((await other.api.delete(path)).status, 403);
    assert.equal((await creator.api.delete(path)).status, 204);
    assert.equal((await creator.api.delete(path)).status, 404);
    assert.equal((await creator.api.patch(path, change)).status, 404);
    const second = await post(petition);
    assert.equal((await moderator.api.delete(`/v1/updates/${second.id}`)).status, 204);
    const acts = await service.ctx.db`
      select action, target_id, details from audit_log where actor_id = ${moderator.id}`;
    assert.deepEqual(
      acts.map((act) => ({ ...act })),
      [{ action: 'update.delete', target_id: second.id, details: { petition_id: petition.id } }],
    );
    assert.deepEqual((await service.api.get(listOf(petition))).body.data, []);
  });

  it('are posted once per idempotency key, and deleted once by concurrent requests', async () => {
    const petition = await createPublished(creator);
    const options = { headers: { 'idempotency-key': 'once' } };
    const once = await creator.api.post(listOf(petition), news, options);
    assert.deepEqual(
      (await creator.api.post(listOf(petition), news, options)).body.data,
      once.body.data,
    );
    assert.equal((await eventsOf(petition)).length, 1);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => creator.api.delete(`/v1/updates/${once.body.data.id}`)),
    );
    assert.equal(answers.filter(({ status }) => status === 204).length, 1);
    assert.equal(answers.filter(({ status }) => status === 404).length, 7);
  });

  it('accept an uploaded image from their creator', async () => {
    const { ctx } = service;
    const as = ({ id: userId }: TestUser) => ({ userId, role: 'user' }) as Caller;
    const petition = await createPublished(creator);
    const { id } = await post(petition);
    assert.equal(await updateImage.recordFor(ctx, as(creator), undefined), undefined);
    assert.equal(await updateImage.recordFor(ctx, as(creator), id), id);
    const isProblem = (kind: string) => (error: unknown) =>
      error instanceof Problem && error.kind === kind;
    await assert.rejects(updateImage.recordFor(ctx, as(other), id), isProblem('forbidden'));
    const missing = updateImage.recordFor(ctx, as(creator), newId());
    await assert.rejects(missing, (error: Problem) => error.errors?.[0]?.field === 'entity_id');
    const hidden = await post(await createPublished(creator, { visibility: 'private' }));
    const unseen = updateImage.recordFor(ctx, as(other), hidden.id);
    await assert.rejects(unseen, isProblem('validation-failed'));
    const url = 'http://petitions.test/media/a-640.webp';
    await ctx.pools.main.begin((tx) =>
      updateImage.setImage(tx, id, { url, alt: null, userId: null }),
    );
    assert.equal((await service.api.get(`/v1/updates/${id}`)).body.data.image_url, url);
  });

  it('are exported to their creator', async () => {
    const [writer] = (await createUsers(service, 1)) as [TestUser];
    const petition = await createPublished(writer);
    await writer.api.post(listOf(petition), news);
    const { body } = await writer.api.get('/v1/users/me/export');
    assert.equal(body.updates.length, 1);
    assert.equal(body.updates[0].title, 'News');
    assert.equal(body.updates[0].petition_title, petition.title);
  });
});
