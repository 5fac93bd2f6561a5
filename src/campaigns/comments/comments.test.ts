import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createDraft, createPublished, signUp, type Person } from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { commentQuota } from './comments.ts';

describe('comments', () => {
  let service: Service;
  let creator: Person;
  let author: Person;
  let other: Person;
  let moderator: Person;
  before(async () => {
    service = await startService();
    creator = await signUp(service, 'Creator');
    author = await signUp(service, 'Author');
    other = await signUp(service, 'Other');
    moderator = await signUp(service, 'Moderator');
    await service.ctx.db`update users set role = 'moderator' where id = ${moderator.id}`;
    await service.app.sessions.revocations.refresh();
  });
  after(() => service[Symbol.asyncDispose]());

  const listOf = ({ id }: { id: string }) => `/v1/petitions/${id}/comments`;
  const write = async (person: Person, petition: { id: string }, body: string, parent?: string) => {
    const input = { body, ...(parent && { parent_id: parent }) };
    const answer = await person.api.post(listOf(petition), input);
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    return answer.body.data;
  };
  const read = async (petition: { id: string }, person?: Person) => {
    const { status, body } = await (person?.api ?? service.api).get(listOf(petition));
    assert.equal(status, 200);
    return body.data;
  };
  const hide = (id: string, action = 'hide') =>
    moderator.api.post(`/v1/admin/comments/${id}/${action}`);

  /** Returns the moderator's actions on a comment from the audit log. */
  const loggedActions = async (id: string) => {
    const acts = await service.ctx.db`
      select action from audit_log where target_id = ${id} and actor_id = ${moderator.id} order by id`;
    return acts.map(({ action }) => action);
  };

  it('returns a comment exactly as it was sent', async () => {
    const petition = await createPublished(creator);
    for (const text of [
      '<script>alert("1")</script> & <b>bold</b>',
      'מחאה\u200F – العربية',
      '👩‍👩‍👧 \n\ttabs and lines  ',
      '😀'.repeat(2000),
    ]) {
      const comment = await write(author, petition, text);
      const { body, user_id, parent_id, is_hidden, replies } = comment;
      assert.deepEqual([body, user_id, parent_id, is_hidden], [text, author.id, null, false]);
      assert.deepEqual([comment.petition_id, replies], [petition.id, []]);
      assert.deepEqual((await read(petition))[0], comment);
      const byId = await service.api.get(`/v1/comments/${comment.id}`);
      assert.deepEqual(byId.body.data, comment);
    }
    for (const body of [
      '',
      ' \n\t',
      'x'.repeat(2001),
      'null\0byte',
      'half \ud800',
      'turned \u202e',
      7,
    ]) {
      const refused = await author.api.post(listOf(petition), { body });
      assert.equal(refused.status, 422);
      assert.equal(refused.body.errors[0].field, 'body');
    }
  });

  it('accepts the petition in the body', async () => {
    const petition = await createPublished(creator);
    const first = await author.api.post('/v1/comments', {
      petition_id: petition.slug,
      body: 'One',
    });
    assert.equal(first.status, 201);
    assert.match(first.headers.get('location')!, new RegExp(`/v1/comments/${first.body.data.id}$`));
    const answer = { petition_id: petition.id, body: 'Two', parent_id: first.body.data.id };
    assert.equal((await other.api.post('/v1/comments', answer)).status, 201);
    assert.equal((await read(petition))[0].replies[0].body, 'Two');
    for (const petition_id of ['no-such', (await createDraft(creator)).id]) {
      const refused = await author.api.post('/v1/comments', { petition_id, body: 'One' });
      assert.equal(refused.status, 422);
      assert.equal(refused.body.errors[0].field, 'petition_id');
    }
    const options = { headers: { 'idempotency-key': 'once' } };
    const body = { petition_id: petition.id, body: 'Three', parent_id: first.body.data.id };
    const once = await other.api.post('/v1/comments', body, options);
    assert.deepEqual(
      (await other.api.post('/v1/comments', body, options)).body.data,
      once.body.data,
    );
    assert.equal((await read(petition))[0].replies.length, 2);
  });

  it('rejects comments by the status of the petition', async () => {
    const unpublished = await createDraft(creator);
    assert.equal((await service.api.get(listOf(unpublished))).status, 404);
    assert.equal((await other.api.post(listOf(unpublished), { body: 'No' })).status, 404);
    const early = await creator.api.post(listOf(unpublished), { body: 'No' });
    assert.equal(early.status, 409);
    assert.equal(early.body.code, 'invalid_state');

    const petition = await createPublished(creator);
    const comment = await write(author, petition, 'Yes');
    await creator.api.post(`/v1/petitions/${petition.id}/close`);
    await write(author, petition, 'Closed ones too');
    assert.equal((await service.api.post(listOf(petition), { body: 'Yes' })).status, 401);
    await creator.api.delete(`/v1/petitions/${petition.id}`);
    assert.equal((await author.api.get(listOf(petition))).status, 404);
    assert.equal((await author.api.get(`/v1/comments/${comment.id}`)).status, 404);
  });

  it('requires the access code of private petitions, except from authors', async () => {
    const petition = await createPublished(creator, { visibility: 'private' });
    const { access_code } = (await creator.api.get(`/v1/petitions/${petition.id}`)).body.data;
    assert.equal((await author.api.post(listOf(petition), { body: 'Yes' })).status, 403);
    assert.equal((await service.api.get(listOf(petition))).status, 403);
    const input = { body: 'Yes', access_code };
    const { id } = (await author.api.post(listOf(petition), input)).body.data;
    const path = `/v1/comments/${id}`;
    assert.equal((await service.api.get(path)).status, 403);
    assert.equal((await service.api.get(`${path}?access_code=${access_code}`)).status, 200);
    const listed = await service.api.get(`${listOf(petition)}?access_code=${access_code}`);
    assert.equal(listed.body.data.length, 1);
    assert.equal((await read(petition, moderator)).length, 1);
    assert.equal((await author.api.delete(path)).status, 204);
  });

  it('allows 300 comments an hour per user', async () => {
    await using strict = await startService({ env: { RATE_LIMITS: 'on' } });
    const person = await signUp(strict);
    const petition = await createPublished(person);
    for (let n = 0; n < 299; n++) await strict.ctx.limits.take(commentQuota, person.id);
    assert.equal((await person.api.post(listOf(petition), { body: 'Last' })).status, 201);
    const refused = await person.api.post(listOf(petition), { body: 'One more' });
    assert.equal(refused.status, 429);
    assert.match(refused.body.message, /comments/);
    const second = await signUp(strict);
    assert.equal((await second.api.post(listOf(petition), { body: 'First' })).status, 201);
  });

  it('rejects invisible, deleted and foreign parents with 422', async () => {
    const petition = await createPublished(creator);
    const elsewhere = await write(author, await createPublished(creator), 'Elsewhere');
    const hidden = await write(author, petition, 'Hidden');
    await hide(hidden.id);
    const deleted = await write(author, petition, 'Deleted');
    await write(other, petition, 'Reply', deleted.id);
    await author.api.delete(`/v1/comments/${deleted.id}`);
    for (const parent_id of [petition.id, elsewhere.id, hidden.id, deleted.id, 'no uuid']) {
      const refused = await other.api.post(listOf(petition), { body: 'Yes', parent_id });
      assert.equal(refused.status, 422);
      assert.equal(refused.body.errors[0].field, 'parent_id');
    }
    await write(author, petition, 'The author sees it', hidden.id);
  });

  it('allows only the author to edit, and author, creator and moderators to delete', async () => {
    const petition = await createPublished(creator);
    const path = ({ id }: { id: string }) => `/v1/comments/${id}`;
    const comment = await write(author, petition, 'First');
    for (const person of [other, creator, moderator]) {
      assert.equal((await person.api.patch(path(comment), { body: 'Mine' })).status, 403);
    }
    assert.equal((await service.api.patch(path(comment), { body: 'Mine' })).status, 401);
    const edited = await author.api.patch(path(comment), { body: 'Second' });
    assert.equal(edited.body.data.body, 'Second');
    assert.equal(edited.body.data.created_at, comment.created_at);
    assert.ok(edited.body.data.updated_at >= comment.updated_at);
    assert.equal((await read(petition))[0].body, 'Second');

    assert.equal((await other.api.delete(path(comment))).status, 403);
    for (const person of [author, creator, moderator]) {
      const mine = await write(author, petition, 'To go');
      assert.equal((await person.api.delete(path(mine))).status, 204);
      assert.equal((await author.api.get(path(mine))).status, 404);
      assert.equal((await author.api.patch(path(mine), { body: 'Back' })).status, 404);
      assert.equal((await person.api.delete(path(mine))).status, 404);
    }
    assert.equal((await read(petition)).length, 1);
  });

  it('keeps a placeholder of a deleted comment while it has replies', async () => {
    const petition = await createPublished(creator);
    const top = await write(author, petition, 'Top');
    const middle = await write(author, petition, 'Middle', top.id);
    const leaf = await write(other, petition, 'Leaf', middle.id);
    for (const { id } of [middle, top]) {
      assert.equal((await author.api.delete(`/v1/comments/${id}`)).status, 204);
      assert.equal((await author.api.patch(`/v1/comments/${id}`, { body: 'Back' })).status, 404);
      assert.equal((await author.api.delete(`/v1/comments/${id}`)).status, 404);
      assert.equal((await hide(id)).status, 404);
    }
    const [holder] = await read(petition);
    assert.deepEqual([holder.id, holder.body, holder.user_id], [top.id, '', null]);
    assert.equal(holder.replies[0].body, '');
    assert.equal(holder.replies[0].replies[0].body, 'Leaf');
    assert.deepEqual((await service.api.get(`/v1/comments/${top.id}`)).body.data, holder);

    assert.equal((await other.api.delete(`/v1/comments/${leaf.id}`)).status, 204);
    assert.deepEqual(await read(petition), []);
    assert.equal((await service.api.get(`/v1/comments/${top.id}`)).status, 404);
  });

  it('hides comments from all but moderators and the author, and unhides them', async () => {
    const petition = await createPublished(creator);
    const comment = await write(author, petition, 'Rude');
    const path = `/v1/comments/${comment.id}`;
    assert.equal((await other.api.post(`/v1/admin/comments/${comment.id}/hide`)).status, 403);
    assert.equal((await service.api.post(`/v1/admin/comments/${comment.id}/hide`)).status, 401);
    assert.equal((await hide(comment.id)).body.data.is_hidden, true);
    assert.equal((await hide(comment.id)).status, 200);
    for (const person of [undefined, other, creator]) {
      assert.deepEqual(await read(petition, person), []);
      assert.equal((await (person?.api ?? service.api).get(path)).status, 404);
    }
    assert.equal((await other.api.patch(path, { body: 'Mine' })).status, 404);
    assert.equal((await creator.api.delete(path)).status, 404);
    for (const person of [author, moderator]) {
      const [shown] = await read(petition, person);
      assert.deepEqual([shown.body, shown.is_hidden], ['Rude', true]);
    }
    assert.equal((await author.api.patch(path, { body: 'Kind' })).body.data.is_hidden, true);
    assert.equal((await hide(comment.id, 'unhide')).body.data.is_hidden, false);
    assert.equal((await read(petition))[0].body, 'Kind');
    assert.deepEqual(await loggedActions(comment.id), ['comment.hide', 'comment.unhide']);
  });

  it('keeps visible replies of a hidden comment below a placeholder', async () => {
    const petition = await createPublished(creator);
    const top = await write(author, petition, 'Rude');
    const reply = await write(other, petition, 'Calm', top.id);
    await hide(top.id);
    const [holder] = await read(petition);
    assert.deepEqual([holder.body, holder.user_id, holder.is_hidden], ['', null, true]);
    assert.equal(holder.replies[0].body, 'Calm');
    assert.equal((await service.api.get(`/v1/comments/${top.id}`)).status, 404);
    assert.equal((await read(petition, author))[0].body, 'Rude');

    await hide(reply.id);
    assert.deepEqual(await read(petition), []);
    const [own] = await read(petition, other);
    assert.deepEqual([own.body, own.replies[0].body], ['', 'Calm']);
    assert.equal((await read(petition, author))[0].replies.length, 0);
    assert.equal((await author.api.delete(`/v1/comments/${top.id}`)).status, 204);
    assert.deepEqual(await read(petition), []);
    await hide(reply.id, 'unhide');
    assert.equal((await read(petition))[0].is_hidden, false);
  });

  it("exports a user's comments, and keeps them without author after erasure", async () => {
    const petition = await createPublished(creator);
    const leaver = await signUp(service, 'Leaver');
    const top = await write(leaver, petition, 'Mine');
    await write(author, petition, 'Yours', top.id);
    const last = await write(leaver, petition, 'Mine too', top.id);
    const { body } = await leaver.api.get('/v1/users/me/export');
    assert.equal(body.comments[0].petition_title, petition.title);
    assert.deepEqual([body.comments.length, body.comments[1].body], [2, 'Mine too']);
    await leaver.api.delete('/v1/users/me', { password: leaver.password });
    const [kept] = await read(petition);
    assert.deepEqual([kept.body, kept.user_id], ['Mine', null]);
    assert.equal(kept.replies[1].user_id, null);
    assert.equal((await moderator.api.delete(`/v1/comments/${last.id}`)).status, 204);
    assert.deepEqual(await loggedActions(last.id), ['comment.delete']);
  });
});
