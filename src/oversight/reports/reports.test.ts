import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  createDraft,
  logInAsAdmin,
  createTokens,
  createUsers,
  petitionInput,
  createPublished,
  signUp,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { newId } from '../../platform/ids.ts';

describe('reports', () => {
  let service: Service;
  let author: Person;
  let reporter: Person;
  let moderator: Person;
  let admin: Person;
  before(async () => {
    service = await startService();
    author = await signUp(service, 'Author');
    reporter = await signUp(service, 'Reporter');
    moderator = await signUp(service, 'Moderator');
    admin = await logInAsAdmin(service);
    await admin.api.patch(`/v1/admin/users/${moderator.id}`, { role: 'moderator' });
  });
  after(() => service[Symbol.asyncDispose]());

  const commentOn = async (petition: { id: string }): Promise<string> => {
    const path = `/v1/petitions/${petition.id}/comments`;
    return (await author.api.post(path, { body: 'A rude comment' })).body.data.id;
  };
  const send = (person: Person, target_type: string, target_id: string, extraFields: object = {}) =>
    person.api.post('/v1/reports', { target_type, target_id, reason: 'spam', ...extraFields });
  const reported = async (target_type: string, target_id: string) => {
    const { status, body } = await send(reporter, target_type, target_id);
    assert.equal(status, 201, JSON.stringify(body));
    return body.data;
  };
  const act = (person: Person, { id }: { id: string }, action: string, extraFields: object = {}) =>
    person.api.post(`/v1/admin/reports/${id}/action`, { action, ...extraFields });
  const linesOn = async (id: string) =>
    (await admin.api.get(`/v1/admin/audit-logs?target_id=${id}`)).body.data;
  const inQueue = async (id: string, query = '') => {
    const { body } = await moderator.api.get(`/v1/admin/reports?limit=100${query}`);
    return body.data.find((one: { id: string }) => one.id === id);
  };

  it('count once per user, also with concurrent requests', async () => {
    const petition = await createPublished(author);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => send(reporter, 'petition', petition.id)),
    );
    assert.ok(answers.every(({ status }) => status === 201));
    assert.equal(new Set(answers.map(({ body }) => body.data.id)).size, 1);
    const { data } = answers[0]!.body;
    assert.equal(data.status, 'open');
    assert.equal(data.reporter_id, reporter.id);
    assert.equal((await inQueue(data.id)).open_reports, 1);
    // After the decision they may report again.
    await act(moderator, data, 'dismiss');
    assert.notEqual((await send(reporter, 'petition', petition.id)).body.data.id, data.id);
  });

  it('are accepted only for targets that the user can see', async () => {
    const hidden = await createDraft(author);
    assert.equal((await send(reporter, 'petition', hidden.id)).status, 404);
    for (const type of ['petition', 'comment', 'user', 'signature']) {
      assert.equal((await send(reporter, type, newId())).status, 404);
    }
    const closed = await createPublished(author, { visibility: 'private' });
    const { access_code } = (await author.api.get(`/v1/petitions/${closed.id}`)).body.data;
    assert.equal((await send(reporter, 'petition', closed.id)).status, 403);
    assert.equal((await send(reporter, 'petition', closed.id, { access_code })).status, 201);
    assert.equal((await service.api.post('/v1/reports', {})).status, 401);
    const wrong = await send(reporter, 'petition', 'no-uuid', { reason: 'boredom' });
    assert.deepEqual(wrong.body.errors.map(({ field }: { field: string }) => field).toSorted(), [
      'reason',
      'target_id',
    ]);
    assert.equal(
      (await send(reporter, 'user', author.id, { description: 'x'.repeat(1001) })).status,
      422,
    );
  });

  it('are listed with their targets for moderators, oldest first', async () => {
    const petition = await createPublished(author, { title: 'A petition to be judged' });
    const comment = await commentOn(petition);
    await author.api.patch('/v1/users/me', { bio: 'A rude bio' });
    const ids: string[] = [];
    for (const [type, id] of [
      ['petition', petition.id],
      ['comment', comment],
      ['user', author.id],
    ]) {
      ids.push((await reported(type, id)).id);
    }
    const by = { id: author.id, display_name: 'Author', slug: author.slug, suspended: false };
    const apiUrl = (path: string) => `http://petitions.test/v1/${path}`;
    const targets = [];
    for (const id of ids) targets.push((await inQueue(id)).target);
    const { title, id: petition_id } = petition;
    assert.deepEqual(targets, [
      {
        title,
        language: null,
        text: petitionInput.description,
        state: 'active',
        petition_id,
        author: by,
        url: apiUrl(`petitions/${petition_id}`),
      },
      {
        title,
        language: null,
        text: 'A rude comment',
        state: 'shown',
        petition_id,
        author: by,
        url: apiUrl(`comments/${comment}`),
      },
      {
        title: 'Author',
        language: null,
        text: 'A rude bio',
        state: 'active',
        petition_id: null,
        author: by,
        url: apiUrl(`users/${author.slug}`),
      },
    ]);
    const found = await inQueue(ids[1]!, '&target_type=comment');
    assert.equal(found.target_type, 'comment');
    assert.equal(await inQueue(ids[0]!, '&target_type=comment'), undefined);
    assert.equal(await inQueue(ids[0]!, '&status=dismissed'), undefined);

    const seen: string[] = [];
    let cursor = '';
    do {
      const { body } = await moderator.api.get(`/v1/admin/reports?limit=2${cursor}`);
      seen.push(...body.data.map(({ id }: { id: string }) => id));
      cursor = body.pagination.has_more ? `&cursor=${body.pagination.next_cursor}` : '';
    } while (cursor);
    assert.deepEqual(seen, [...new Set(seen)].toSorted());
    assert.deepEqual(
      seen.filter((id) => ids.includes(id)),
      ids,
    );
  });

  it('are decided once, together with all on the same target', async () => {
    const petition = await createPublished(author);
    const first = await reported('petition', petition.id);
    const second = (await send(moderator, 'petition', petition.id)).body.data;
    const answers = await Promise.all([
      act(moderator, first, 'warn_user', { note: 'Keep to the rules.' }),
      act(admin, second, 'warn_user'),
      act(moderator, second, 'hide_content'),
    ]);
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    assert.deepEqual(statuses, [200, 409, 409]);
    for (const { id } of [first, second]) {
      const decided = await inQueue(id, '&status=actioned');
      assert.equal(decided.open_reports, 0);
      assert.ok(decided.resolved_at && decided.resolved_by);
    }
    const acts = [...(await linesOn(author.id)), ...(await linesOn(petition.id))];
    const on = acts.filter(({ details }: { details: { report_id: string } }) =>
      [first.id, second.id].includes(details.report_id),
    );
    assert.equal(on.length, 1);
    assert.equal(on[0].details.reports, 2);
    const late = await act(admin, first, 'dismiss');
    assert.equal(late.body.code, 'report_resolved');
  });

  it('can hide comments, and reject actions that do not apply to the target', async () => {
    const petition = await createPublished(author);
    const comment = await commentOn(petition);
    const report = await reported('comment', comment);
    const inapplicable = await act(moderator, report, 'remove_petition');
    assert.equal(inapplicable.status, 422);
    assert.equal(inapplicable.body.errors[0].field, 'action');
    assert.equal((await act(reporter, report, 'dismiss')).status, 403);
    const done = await act(moderator, report, 'hide_content', { note: 'Rude.' });
    assert.equal(done.body.data.status, 'actioned');
    assert.equal(done.body.data.target.state, 'hidden');
    assert.equal((await service.api.get(`/v1/comments/${comment}`)).status, 404);
    const [line] = await linesOn(comment);
    assert.equal(line.action, 'report.hide_content');
    assert.equal(line.actor.display_name, 'Moderator');
    assert.equal(line.details.reason, 'Rude.');

    const ofUser = (await send(moderator, 'user', reporter.id)).body.data;
    assert.equal((await act(moderator, ofUser, 'hide_content')).status, 422);
    const gone = await commentOn(petition);
    const late = await reported('comment', gone);
    await author.api.delete(`/v1/comments/${gone}`);
    assert.equal((await inQueue(late.id)).target, null);
    assert.equal((await act(moderator, late, 'hide_content')).status, 422);
    assert.equal((await act(moderator, late, 'dismiss')).status, 200);
  });

  it('can empty the reason of a signature, or leave it', async () => {
    const petition = await createPublished(author);
    const signer = await signUp(service, 'Signer');
    const { body } = await signer.api.post(`/v1/petitions/${petition.id}/signatures`, {
      comment: 'A rude reason',
    });
    const { id } = body.data;
    const reasonOf = async () =>
      (await service.api.get(`/v1/petitions/${petition.id}/signatures`)).body.data[0].comment;
    const first = await reported('signature', id);
    const { target } = await inQueue(first.id);
    assert.equal(target.text, 'A rude reason');
    assert.equal(target.author.id, signer.id);
    assert.equal(target.petition_id, petition.id);
    assert.equal(target.url, `http://petitions.test/v1/petitions/${petition.id}/signatures`);
    assert.equal((await act(moderator, first, 'remove_petition')).status, 422);
    await act(moderator, first, 'dismiss');
    assert.equal(await reasonOf(), 'A rude reason');
    const second = await reported('signature', id);
    const done = await act(moderator, second, 'hide_content');
    assert.equal(done.status, 200);
    assert.equal(done.body.data.target.state, 'hidden');
    assert.equal(done.body.data.snapshot.text, 'A rude reason');
    assert.equal(await reasonOf(), null);
    const { data } = (await service.api.get(`/v1/petitions/${petition.id}`)).body;
    assert.equal(data.signature_count, 1);
    assert.equal((await send(reporter, 'signature', id)).status, 404, 'there is no reason');
    const closed = await createPublished(author, { signaturePrivacy: 'creator_only' });
    const hidden = await signer.api.post(`/v1/petitions/${closed.id}/signatures`, {
      comment: 'No',
    });
    assert.equal((await send(reporter, 'signature', hidden.body.data.id)).status, 404);
  });

  it('show what was reported as it stood then, until the author is erased', async () => {
    const writer = await signUp(service, 'Writer');
    const petition = await createPublished(author);
    const path = `/v1/petitions/${petition.id}/comments`;
    const { id } = (await writer.api.post(path, { body: 'A threat' })).body.data;
    const report = await reported('comment', id);
    await writer.api.patch(`/v1/comments/${id}`, { body: 'A joke' });
    const changed = await inQueue(report.id);
    assert.deepEqual(changed.snapshot, { title: petition.title, text: 'A threat' });
    assert.equal(changed.target.text, 'A joke');
    await writer.api.delete(`/v1/comments/${id}`);
    assert.equal((await inQueue(report.id)).snapshot.text, 'A threat');
    await writer.api.delete('/v1/users/me', { password: writer.password });
    assert.equal((await inQueue(report.id)).snapshot, null);
    const long = await createPublished(author, { description: 'x'.repeat(3000) });
    const { snapshot } = await inQueue((await reported('petition', long.id)).id);
    assert.equal(snapshot.text.length, 2000);
  });

  it('show earlier decisions on the target and its author, and how many weigh', async () => {
    const writer = await signUp(service, 'Repeater');
    const petition = await createPublished(writer);
    const first = await reported('petition', petition.id);
    assert.deepEqual((await inQueue(first.id)).target_history, []);
    assert.deepEqual((await inQueue(first.id)).author_history, {
      warnings: 0,
      decided_reports: 0,
      suspensions: 0,
    });
    await act(moderator, first, 'hide_content');
    await moderator.api.post(`/v1/admin/petitions/${petition.id}/approve`);
    await act(moderator, await reported('petition', petition.id), 'warn_user');
    const [verified] = await createUsers(service, 1);
    const input = { target_type: 'petition', target_id: petition.id, reason: 'spam' };
    await verified!.api.post('/v1/reports', input);
    const { id } = await reported('petition', petition.id);
    const { target_history: decisions, author_history, weight, open_reports } = await inQueue(id);
    assert.deepEqual(
      decisions.map(({ action }: { action: string }) => action),
      ['report.warn_user', 'petition.approve', 'report.hide_content'],
    );
    assert.deepEqual(author_history, { warnings: 1, decided_reports: 2, suspensions: 0 });
    assert.deepEqual({ weight, open_reports }, { weight: 1, open_reports: 2 });
  });

  it('can put petitions under review or remove them', async () => {
    const flagged = await createPublished(author);
    await act(moderator, await reported('petition', flagged.id), 'hide_content');
    assert.equal((await service.api.get(`/v1/petitions/${flagged.id}`)).status, 404);
    assert.equal(
      (await author.api.get(`/v1/petitions/${flagged.id}`)).body.data.status,
      'under_review',
    );
    const removed = await createPublished(author);
    const report = await reported('petition', removed.id);
    const done = await act(moderator, report, 'remove_petition');
    assert.equal(done.body.data.target.state, 'deleted');
    assert.equal((await author.api.get(`/v1/petitions/${removed.id}`)).status, 404);
  });

  it('can warn and suspend authors; users with a role only by administrators', async () => {
    const rude = await signUp(service, 'Rude');
    const { id } = await createPublished(rude);
    await act(moderator, await reported('petition', id), 'warn_user', { note: 'Be kind.' });
    const warnings = await moderator.api.get(`/v1/admin/warnings?user_id=${rude.id}`);
    assert.deepEqual(
      warnings.body.data.map(({ message }: { message: string }) => message),
      ['Be kind.'],
    );
    const [event] = await service.ctx.db`
      select data from events where type = 'user.warned' and data->>'user_id' = ${rude.id}`;
    assert.equal(event!.data.warning_id, warnings.body.data[0].id);
    assert.deepEqual(warnings.body.data[0].user, { id: rude.id, display_name: 'Rude' });

    await act(moderator, await reported('user', rude.id), 'suspend_user');
    const refused = await rude.api.get('/v1/me');
    assert.equal(refused.status, 403);
    assert.equal(refused.body.code, 'account_suspended');

    const adminId = (await admin.api.get('/v1/me')).body.data.id;
    for (const person of [adminId, moderator.id]) {
      const report = await reported('user', person);
      assert.equal((await act(moderator, report, 'suspend_user')).status, 403);
      assert.equal((await act(moderator, report, 'dismiss')).status, 200);
    }
  });

  it('are limited to 30 an hour per user', async () => {
    await using limited = await startService({ beside: service, env: { RATE_LIMITS: 'on' } });
    const [token] = await createTokens(limited, 1);
    const ids = await service.ctx.db<{ id: string }[]>`
      insert into users (id, email, display_name, slug)
      select id, id || '@example.org', 'Target', id::text
      from (select gen_random_uuid() as id from generate_series(1, 31)) new
      returning id`;
    const statuses = [];
    for (const { id } of ids) {
      const input = { target_type: 'user', target_id: id, reason: 'other' };
      statuses.push((await limited.api.as(token!).post('/v1/reports', input)).status);
    }
    assert.deepEqual(new Set(statuses.slice(0, 30)), new Set([201]));
    assert.equal(statuses.at(-1), 429);
  });

  it('are exported, and kept without reporter and description after erasure', async () => {
    const person = await signUp(service, 'Leaving');
    const { id } = await createPublished(author);
    const { data } = (await send(person, 'petition', id, { description: 'I am Leaving.' })).body;
    const ofThem = await reported('user', person.id);
    const copy = await person.api.get('/v1/users/me/export');
    assert.deepEqual(copy.body.reports[0].id, data.id);
    await person.api.delete('/v1/users/me', { password: person.password });
    const kept = await inQueue(data.id);
    assert.equal(kept.reporter_id, null);
    assert.equal(kept.description, null);
    const over = await inQueue(ofThem.id, '&status=dismissed');
    assert.equal(over.target, null);
  });
});
