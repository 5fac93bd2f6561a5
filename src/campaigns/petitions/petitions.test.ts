import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  createDraft,
  logInAsAdmin,
  petitionInput,
  createPublished,
  signUp,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

describe('petitions', () => {
  let service: Service;
  let creator: Person;
  let other: Person;
  let admin: Person;
  before(async () => {
    service = await startService();
    creator = await signUp(service, 'Creator');
    other = await signUp(service, 'Other');
    admin = await logInAsAdmin(service);
  });
  after(() => service[Symbol.asyncDispose]());

  it('creates a draft with all given fields', async () => {
    const categories = await service.api.get('/v1/categories');
    assert.equal(categories.body.data.length, 12);
    const [category] = categories.body.data;
    const answer = await creator.api.post('/v1/petitions', {
      ...petitionInput,
      title: '  Rettet die Bäume – “jetzt”!  ',
      categoryId: category.id,
      tags: ['Trees', 'trees', ' Park ', 'Par\u200bk'],
      imageUrl: 'https://example.org/tree.jpg',
      signatureGoal: 500,
      visibility: 'private',
      locationCity: 'Köln',
      locationCountry: 'de',
      signaturePrivacy: 'count_only',
      decisionMakers: [{ name: 'A Mayor', title: 'Mayor', email: 'mayor@example.org' }],
      unknown: 'is ignored',
    });
    assert.equal(answer.status, 201);
    const petition = answer.body.data;
    assert.equal(
      answer.headers.get('location'),
      `http://petitions.test/v1/petitions/${petition.slug}`,
    );
    assert.equal(petition.title, 'Rettet die Bäume – “jetzt”!');
    assert.equal(petition.slug, 'rettet-die-baume-jetzt');
    assert.equal(petition.status, 'draft');
    assert.deepEqual(petition.category, category);
    assert.deepEqual(petition.tags, ['Trees', 'Park']);
    assert.equal(petition.location_country, 'DE');
    assert.equal(petition.published_at, null);
    assert.equal(petition.creator.id, creator.id);
    assert.equal(petition.decision_makers[0].email, 'mayor@example.org');
    assert.equal(petition.access_code.length, 12);
    assert.equal(petition.share_url, `http://petitions.test/p/${petition.slug}`);
  });

  it('rejects invalid input with 422 and an error per field', async () => {
    const { status, body } = await creator.api.post('/v1/petitions', {
      title: 'Hi',
      description: 7,
      tags: Array.from({ length: 11 }, (_, index) => `tag ${index}`),
      signatureGoal: 0,
      categoryId: 'x',
      visibility: 'secret',
      decisionMakers: [{ name: 'A', email: 'no-address' }],
    });
    assert.equal(status, 422);
    assert.equal(body.code, 'tag_limit_exceeded');
    const codes = Object.fromEntries(
      body.errors.map((error: { field: string; code: string }) => [error.field, error.code]),
    );
    assert.deepEqual(codes, {
      title: 'too_small',
      description: 'invalid_type',
      tags: 'tag_limit_exceeded',
      signatureGoal: 'too_small',
      categoryId: 'invalid_format',
      visibility: 'invalid_value',
      'decisionMakers.0.email': 'invalid_format',
    });
    const long = await creator.api.post('/v1/petitions', {
      ...petitionInput,
      tags: [`${'a'.repeat(60_000)},`],
    });
    assert.equal(long.status, 422);
    assert.deepEqual(
      long.body.errors.map((error: { field: string; code: string }) => [error.field, error.code]),
      [['tags.0', 'too_big']],
    );
    const missing = await creator.api.post('/v1/petitions', {});
    assert.deepEqual(
      missing.body.errors.map((error: { field: string; code: string }) => [
        error.field,
        error.code,
      ]),
      [
        ['title', 'required'],
        ['description', 'required'],
      ],
    );
    for (const [field, value] of Object.entries({
      categoryId: '01a1fe8f-1e78-7684-98f3-5a33b1554d4b',
      orgId: '01a1fe8f-1e78-7684-98f3-5a33b1554d4b',
      locationCountry: 'EU',
      title: '😀😀😀       ',
      description: `${petitionInput.description}\0`,
    })) {
      const answer = await creator.api.post('/v1/petitions', { ...petitionInput, [field]: value });
      assert.equal(answer.status, 422, field);
      assert.equal(answer.body.errors[0].field, field);
    }
  });

  it('assigns unique slugs that shadow no path', async () => {
    const title = 'Twenty of us want this same title';
    const all = await Promise.all(
      Array.from({ length: 20 }, () => createDraft(creator, { title })),
    );
    const slugs = all.map((one) => one.slug as string);
    assert.equal(new Set(slugs).size, 20);
    assert.ok(slugs.every((slug) => slug.startsWith('twenty-of-us-want-this-same-title')));
    const reserved = await createDraft(creator, { title: 'Export' });
    assert.match(reserved.slug, /^export-\w+$/);
    const symbols = await createDraft(creator, { title: '★★★★★' });
    assert.match(symbols.slug, /^petition/);
  });

  it('allows only the transitions of the lifecycle', async () => {
    const petition = await createDraft(creator);
    const act = (action: string, person = creator, body?: object) =>
      person.api.post(`/v1/petitions/${petition.id}/${action}`, body);
    assert.equal((await act('close')).body.code, 'invalid_state');
    assert.equal((await act('publish', other)).status, 404);
    const active = await act('publish');
    assert.equal(active.body.data.status, 'active');
    assert.ok(active.body.data.published_at);
    assert.equal((await act('publish')).status, 409);
    assert.equal((await act('victory', other)).status, 403);
    const won = await act('victory', creator, { victory_message: 'We won' });
    assert.equal(won.body.data.victory_message, 'We won');
    assert.ok(won.body.data.closed_at);
    assert.equal((await act('close')).status, 409);
    const events = await service.ctx.pools.main`
      select type, actor_id from events where petition_id = ${petition.id}
      order by transaction, position`;
    assert.deepEqual(
      events.map((event) => event.type),
      ['petition.created', 'petition.published', 'petition.victory'],
    );
    assert.ok(events.every((event) => event.actor_id === creator.id));
  });

  it('publishes once for concurrent requests', async () => {
    const petition = await createDraft(creator);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => creator.api.post(`/v1/petitions/${petition.id}/publish`)),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    assert.equal(answers.filter(({ status }) => status === 409).length, 9);
    const profile = await service.api.get(`/v1/users/${creator.slug}`);
    const [{ listed }] = (await service.ctx.pools.main`
      select count(*)::int as listed from petitions where creator_id = ${creator.id} and listed`) as unknown as [
      { listed: number },
    ];
    assert.equal(profile.body.data.petition_count, listed);
  });

  it('shows drafts to their creator and moderators only', async () => {
    const petition = await createDraft(creator);
    const path = `/v1/petitions/${petition.slug}`;
    assert.equal((await service.api.get(path)).status, 404);
    assert.equal((await other.api.get(path)).status, 404);
    assert.equal((await creator.api.get(path)).status, 200);
    assert.equal((await admin.api.get(path)).status, 200);
    assert.equal((await other.api.patch(path, { title: 'Not yours at all' })).status, 404);
    const drafts = await creator.api.get('/v1/petitions?status=draft&limit=100');
    assert.ok(drafts.body.data.some((one: { id: string }) => one.id === petition.id));
    assert.equal((await other.api.get('/v1/petitions?status=draft')).body.data.length, 0);
    assert.equal((await service.api.get('/v1/petitions?status=draft')).body.data.length, 0);
  });

  it('opens private petitions with their access code', async () => {
    const petition = await createPublished(creator, { visibility: 'private' });
    const path = `/v1/petitions/${petition.id}`;
    const { access_code } = (await creator.api.get(path)).body.data;
    assert.equal((await service.api.get(path)).status, 403);
    assert.equal((await service.api.get(`${path}?access_code=no`)).status, 403);
    const opened = await other.api.get(`${path}?access_code=${access_code}`);
    assert.equal(opened.status, 200);
    assert.equal(opened.body.data.access_code, undefined);
    assert.equal((await admin.api.get(path)).status, 200);
    const valid = await service.api.post(`${path}/access`, { accessCode: access_code });
    assert.deepEqual(valid.body.data, { valid: true });
    for (const { api } of [service, creator]) {
      assert.equal((await api.post(`${path}/access`, { accessCode: 'no' })).status, 403);
      assert.equal((await api.post(`${path}/access`, { accessCode: access_code })).status, 200);
    }
    const open = await createPublished(creator);
    const check = await service.api.post(`/v1/petitions/${open.slug}/access`, {
      accessCode: 'any',
    });
    assert.deepEqual(check.body.data, { valid: true });
    const hidden = await createDraft(creator, { visibility: 'private' });
    const none = await service.api.post(`/v1/petitions/${hidden.id}/access`, { accessCode: 'x' });
    assert.equal(none.status, 404);
    const listed = await service.api.get(`/v1/petitions?creatorId=${creator.id}&limit=100`);
    assert.ok(!listed.body.data.some((one: { id: string }) => one.id === petition.id));
  });

  it('keeps all versions of a published text', async () => {
    const petition = await createDraft(creator);
    const path = `/v1/petitions/${petition.id}`;
    await creator.api.patch(path, { title: 'The title before anybody saw it' });
    await creator.api.post(`${path}/publish`);
    await creator.api.patch(path, { tags: ['a', 'b'] });
    await creator.api.patch(path, { title: 'The second title of them all' });
    assert.equal((await other.api.patch(path, { title: 'Somebody else was here' })).status, 403);
    const { body } = await service.api.get(`${path}/versions`);
    assert.deepEqual(
      body.data.map((one: { version: number; title: string }) => [one.version, one.title]),
      [
        [2, 'The second title of them all'],
        [1, 'The title before anybody saw it'],
      ],
    );
    const page = await service.api.get(`${path}/versions?limit=1`);
    const next = await service.api.get(
      `${path}/versions?limit=1&cursor=${page.body.pagination.next_cursor}`,
    );
    assert.equal(next.body.data[0].version, 1);
    assert.equal((await service.api.get(path)).body.data.title, 'The second title of them all');
  });

  it('clears fields set to null, and rejects a goal below the count', async () => {
    const petition = await createPublished(creator, {
      signatureGoal: 5,
      imageUrl: 'https://a.example/b',
    });
    const path = `/v1/petitions/${petition.id}`;
    await creator.api.post(`${path}/signatures`);
    await other.api.post(`${path}/signatures`);
    const low = await creator.api.patch(path, { signatureGoal: 1 });
    assert.equal(low.status, 422);
    assert.equal(low.body.errors[0].field, 'signatureGoal');
    const cleared = await creator.api.patch(path, { signatureGoal: null, imageUrl: null });
    assert.equal(cleared.body.data.signature_goal, null);
    assert.equal(cleared.body.data.image_url, null);
    assert.equal((await creator.api.patch(path, { title: null })).status, 422);
  });

  it('answers 404 for deleted petitions and keeps their rows', async () => {
    const petition = await createPublished(creator);
    const path = `/v1/petitions/${petition.id}`;
    assert.equal((await other.api.delete(path)).status, 403);
    assert.equal((await creator.api.delete(path)).status, 204);
    assert.equal((await creator.api.delete(path)).status, 404);
    for (const person of [creator, other, admin]) {
      assert.equal((await person.api.get(path)).status, 404);
    }
    const rows = await service.ctx.pools.main`select from petitions where id = ${petition.id}`;
    assert.equal(rows.length, 1);
  });

  it('answers 304 for a current ETag, and shows its own writes at once', async () => {
    const petition = await createPublished(creator);
    const path = `/v1/petitions/${petition.slug}`;
    const first = await service.api.get(path);
    const headers = { 'if-none-match': first.headers.get('etag')! };
    assert.equal((await service.api.get(path, { headers })).status, 304);
    await other.api.post(`${path}/signatures`);
    const later = await service.api.get(path, { headers });
    assert.equal(later.status, 200);
    assert.equal(later.body.data.signature_count, 1);
    assert.equal(first.headers.get('vary'), 'Authorization, X-API-Key, Accept-Encoding');
  });
});

describe('moderation before publishing', () => {
  it('puts published petitions under review', async () => {
    await using service = await startService({ env: { MODERATION: 'pre' } });
    const creator = await signUp(service);
    const petition = await createPublished(creator);
    assert.equal(petition.status, 'under_review');
    assert.equal(petition.published_at, null);
    assert.equal((await service.api.get(`/v1/petitions/${petition.id}`)).status, 404);
    const events = await service.ctx.pools.main`
      select type from events where petition_id = ${petition.id}`;
    assert.deepEqual(
      events.map((event) => event.type),
      ['petition.created', 'petition.under_review'],
    );
  });
});
