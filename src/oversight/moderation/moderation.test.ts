import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  logInAsAdmin,
  createTokens,
  createPublished,
  signUp,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

const eventsOf = async (service: Service, id: string) => {
  const events = await service.ctx.db`
    select type, actor_type, data from events where petition_id = ${id}
    order by events.transaction, events.position`;
  return events.map(({ type, actor_type }) => `${type} by ${actor_type}`);
};

const statusesOf = (answers: { status: number }[]) =>
  answers.map(({ status }) => status).toSorted((a, b) => a - b);

describe('moderation by reports', () => {
  let service: Service;
  let creator: Person;
  let admin: Person;
  let moderator: Person;
  before(async () => {
    service = await startService();
    creator = await signUp(service, 'Creator');
    moderator = await signUp(service, 'Moderator');
    admin = await logInAsAdmin(service);
    await admin.api.patch(`/v1/admin/users/${moderator.id}`, { role: 'moderator' });
  });
  after(() => service[Symbol.asyncDispose]());

  const report = (token: string, id: string) =>
    service.api
      .as(token)
      .post('/v1/reports', { target_type: 'petition', target_id: id, reason: 'spam' });
  const statusOf = async (id: string) =>
    (await creator.api.get(`/v1/petitions/${id}`)).body.data.status;
  const decide = (person: Person, id: string, decision: string, reason?: string) =>
    person.api.post(`/v1/admin/petitions/${id}/${decision}`, reason && { reason });

  it('hides a petition after reports of five users, also concurrent ones', async () => {
    const { id } = await createPublished(creator);
    const tokens = await createTokens(service, 5);
    for (const token of tokens.slice(0, 3)) await report(token, id);
    await report(tokens[0]!, id);
    assert.equal(await statusOf(id), 'active');
    await Promise.all(tokens.slice(3).map((token) => report(token, id)));
    assert.equal(await statusOf(id), 'under_review');
    assert.equal((await service.api.get(`/v1/petitions/${id}`)).status, 404);
    assert.equal((await eventsOf(service, id)).at(-1), 'petition.under_review by system');

    const queue = await moderator.api.get('/v1/admin/petitions');
    const waiting = queue.body.data.find((one: { id: string }) => one.id === id);
    assert.equal(waiting.open_reports, 5);
    assert.equal(waiting.creator.id, creator.id);
  });

  it('does not hide an approved petition for reports of the same users', async () => {
    const { id } = await createPublished(creator);
    const tokens = await createTokens(service, 6);
    for (const token of tokens.slice(0, 5)) await report(token, id);
    const approved = await decide(moderator, id, 'approve');
    assert.equal(approved.body.data.status, 'active');
    // Users whose report was dismissed may report again, but do not count again.
    for (const token of tokens) assert.equal((await report(token, id)).status, 201);
    assert.equal(await statusOf(id), 'active');
    // A new judgement takes more reports after an approval.
    for (const token of await createTokens(service, 48)) await report(token, id);
    assert.equal(await statusOf(id), 'active');
    for (const token of await createTokens(service, 1)) await report(token, id);
    assert.equal(await statusOf(id), 'under_review');
    const events = await eventsOf(service, id);
    assert.equal(events.filter((type) => /published/.test(type)).length, 1);
  });

  it('accepts one of several concurrent decisions', async () => {
    const { id } = await createPublished(creator);
    for (const token of await createTokens(service, 5)) await report(token, id);
    const answers = await Promise.all([
      decide(moderator, id, 'approve'),
      decide(admin, id, 'reject', 'Not this way.'),
      decide(admin, id, 'approve'),
    ]);
    assert.deepEqual(statusesOf(answers), [200, 409, 409]);
    const lines = await admin.api.get(`/v1/admin/audit-logs?target_id=${id}`);
    assert.equal(lines.body.data.length, 1);
  });

  it('returns a rejected petition to its creator as a draft, with the reason', async () => {
    const { id } = await createPublished(creator);
    const signer = await signUp(service);
    await signer.api.post(`/v1/petitions/${id}/signatures`);
    for (const token of await createTokens(service, 5)) await report(token, id);
    assert.equal((await decide(moderator, id, 'reject')).status, 422);
    assert.equal((await decide(creator, id, 'reject', 'No')).status, 403);
    const rejected = await decide(moderator, id, 'reject', 'It names a person.');
    assert.equal(rejected.body.data.status, 'draft');
    const [event] = await service.ctx.db`
      select data from events where petition_id = ${id} and type = 'petition.rejected'`;
    const [line] = (await admin.api.get(`/v1/admin/audit-logs?target_id=${id}`)).body.data;
    assert.equal(line.details.reason, 'It names a person.');
    assert.deepEqual(event!.data, { act_id: line.id });
    const open = await service.ctx.db`
      select from reports where target_id = ${id} and status <> 'actioned'`;
    assert.equal(open.length, 0);
    // The signed version is kept when the text changes.
    await creator.api.patch(`/v1/petitions/${id}`, { title: 'Something else entirely' });
    const again = await creator.api.post(`/v1/petitions/${id}/publish`);
    assert.equal(again.body.data.status, 'active');
    const versions = await service.api.get(`/v1/petitions/${id}/versions`);
    assert.equal(versions.body.data.length, 2);
  });

  it('allows only moderators to close the petition of another user', async () => {
    const { id, slug } = await createPublished(creator);
    assert.equal((await decide(creator, slug, 'close', 'Mine')).status, 403);
    const closed = await decide(moderator, slug, 'close', 'Asked for what is done.');
    assert.equal(closed.body.data.status, 'closed');
    assert.equal((await eventsOf(service, id)).at(-1), 'petition.closed by admin');
    assert.equal((await decide(moderator, slug, 'close', 'Again')).status, 409);
    assert.equal((await decide(moderator, id, 'approve')).status, 409);
    const [line] = (await admin.api.get(`/v1/admin/audit-logs?target_id=${id}`)).body.data;
    assert.equal(line.action, 'petition.close');
    assert.deepEqual(line.details, { reason: 'Asked for what is done.' });
  });

  it('lists petitions by status, longest in it first', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) ids.push((await createPublished(creator)).id);
    for (const id of ids.toReversed()) await decide(moderator, id, 'close', 'Done.');
    const seen: string[] = [];
    let cursor = '';
    do {
      const path = `/v1/admin/petitions?status=closed&limit=1${cursor}`;
      const { body } = await moderator.api.get(path);
      seen.push(...body.data.map((one: { id: string }) => one.id));
      cursor = body.pagination.has_more ? `&cursor=${body.pagination.next_cursor}` : '';
    } while (cursor);
    assert.deepEqual(
      seen.filter((id) => ids.includes(id)),
      ids.toReversed(),
    );
    assert.equal(new Set(seen).size, seen.length);
    assert.equal((await creator.api.get('/v1/admin/petitions')).status, 403);
  });
});

describe('moderation modes', () => {
  it('pre: the first approval publishes', async () => {
    await using service = await startService({ env: { MODERATION: 'pre' } });
    const creator = await signUp(service);
    const admin = await logInAsAdmin(service);
    const petition = await createPublished(creator);
    const approved = await admin.api.post(`/v1/admin/petitions/${petition.slug}/approve`);
    assert.ok(approved.body.data.published_at);
    assert.deepEqual(await eventsOf(service, petition.id), [
      'petition.created by user',
      'petition.under_review by user',
      'petition.approved by admin',
      'petition.published by admin',
    ]);
    assert.equal((await service.api.get(`/v1/petitions/${petition.id}`)).status, 200);
  });

  it('off: reports do not change the status', async () => {
    await using service = await startService({ env: { MODERATION: 'off' } });
    const { id } = await createPublished(await signUp(service));
    for (const token of await createTokens(service, 7)) {
      const input = { target_type: 'petition', target_id: id, reason: 'spam' };
      assert.equal((await service.api.as(token).post('/v1/reports', input)).status, 201);
    }
    assert.equal((await service.api.get(`/v1/petitions/${id}`)).body.data.status, 'active');
  });
});
