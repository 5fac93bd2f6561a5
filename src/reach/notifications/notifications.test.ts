import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { findMentions } from '../../../test/support/mentions.ts';
import {
  createUsers,
  createPublished,
  signUp,
  type TestUser,
} from '../../../test/support/people.ts';
import type { Client } from '../../../test/support/client.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { recordAdminAction } from '../../platform/audit.ts';
import { emit, systemActor, type NewEvent } from '../../platform/events.ts';
import { newId } from '../../platform/ids.ts';
import { addJob } from '../../platform/jobs.ts';

interface Shown {
  id: string;
  type: string;
  title: string;
  body: string;
  read: boolean;
  data: Record<string, unknown>;
}

describe('notifications', () => {
  let service: Service;
  let moderator: TestUser;
  before(async () => {
    service = await startService({ worker: true });
    [moderator] = (await createUsers(service, 1)) as [TestUser];
    await service.ctx.db`update users set role = 'moderator' where id = ${moderator.id}`;
    await service.app.sessions.revocations.refresh();
  });
  after(async () => {
    await assertCountsExact(service);
    await service[Symbol.asyncDispose]();
  });

  const people = <N extends number>(count: N) =>
    createUsers(service, count) as Promise<TestUser[] & { length: N }>;
  const listOf = async (person: { api: Client }, query = ''): Promise<Shown[]> => {
    const { status, body } = await person.api.get(`/v1/notifications${query}`);
    assert.equal(status, 200);
    return body.data;
  };
  const unreadOf = async ({ api }: TestUser): Promise<number> =>
    (await api.get('/v1/notifications/unread-count')).body.data.unread_count;
  /** Waits until the person's notifications meet the condition, and returns them. */
  const listWhen = async (person: { api: Client }, isMet: (list: Shown[]) => boolean) => {
    await eventually(async () => isMet(await listOf(person)), 20_000);
    return listOf(person);
  };
  const emitEvent = (event: Partial<NewEvent> & Pick<NewEvent, 'type'>) =>
    service.ctx.pools.main.begin((tx) =>
      emit(tx, { petitionId: null, actor: systemActor, ...event }),
    );
  /** Waits until all events so far have led to notifications. */
  const settled = async () => {
    const [last] = (await people(1)) as [TestUser];
    await emitEvent({ type: 'user.warned', data: { warning_id: newId(), user_id: last.id } });
    await listWhen(last, ({ length }) => length === 1);
    await eventually(async () => {
      const [row] = await service.ctx.db`select count(*)::int as n from notification_fan_outs`;
      return row!.n === 0;
    }, 20_000);
  };
  const sign = async (petition: { id: string }, person: TestUser, input: object = {}) => {
    const { status } = await person.api.post(`/v1/petitions/${petition.id}/signatures`, input);
    assert.equal(status, 201);
  };
  const comment = async (petition: { id: string }, person: TestUser, parent_id?: string) => {
    const input = { body: 'I think so too.', ...(parent_id && { parent_id }) };
    const { status, body } = await person.api.post(`/v1/petitions/${petition.id}/comments`, input);
    assert.equal(status, 201);
    return body.data.id as string;
  };
  const postUpdate = async (petition: { id: string }, person: TestUser) => {
    const input = { title: 'We are on the agenda', body: 'On the third of May.' };
    const { body } = await person.api.post(`/v1/petitions/${petition.id}/updates`, input);
    return body.data.id as string;
  };

  it('inform signers about updates, victory and closing', async () => {
    const [creator, signer, anonymous, suspended, former, optedOut, late] = await people(7);
    const petition = await createPublished(creator!);
    for (const person of [creator, signer, suspended, former, optedOut])
      await sign(petition, person!);
    await sign(petition, anonymous!, { is_anonymous: true });
    await former!.api.delete(`/v1/petitions/${petition.id}/signatures/me`);
    await optedOut!.api.patch('/v1/notifications/preferences', {
      in_app: { petition_update: false },
    });
    await service.ctx.db`update users set suspended_at = now() where id = ${suspended!.id}`;
    const updateId = await postUpdate(petition, creator!);
    await sign(petition, late!);
    const [shown] = await listWhen(signer!, ({ length }) => length === 1);
    assert.deepEqual(
      { ...shown, id: '' },
      {
        id: '',
        type: 'petition_update',
        title: `News on “${petition.title}”`,
        body: 'We are on the agenda',
        read: false,
        data: { petition_id: petition.id, slug: petition.slug, update_id: updateId },
        created_at: (shown as never as { created_at: string }).created_at,
      },
    );
    await creator!.api.post(`/v1/petitions/${petition.id}/victory`);
    await settled();
    const types = async (person: TestUser) => (await listOf(person)).map(({ type }) => type);
    for (const person of [signer, anonymous]) {
      assert.deepEqual(await types(person!), ['petition_victory', 'petition_update']);
    }
    assert.deepEqual(await types(optedOut!), ['petition_victory']);
    assert.deepEqual(await types(late!), ['petition_victory'], 'signed after the update');
    for (const person of [creator, former]) assert.deepEqual(await types(person!), []);
    const [none] = await service.ctx.db`
      select count(*)::int as n from notifications where user_id = ${suspended!.id}`;
    assert.equal(none!.n, 0);

    const closed = await createPublished(creator!);
    for (const person of [creator, signer]) await sign(closed, person!);
    const actor = { type: 'admin', id: moderator.id } as const;
    await sign(closed, moderator);
    await emitEvent({ type: 'petition.closed', petitionId: closed.id, actor });
    await settled();
    assert.deepEqual(await types(creator!), ['petition_closed']);
    assert.equal((await types(signer!))[0], 'petition_closed');
    assert.deepEqual(await types(moderator), []);
  });

  it('inform the author of the answered comment and the creator about a comment, each once', async () => {
    const [creator, author, other] = await people(3);
    const petition = await createPublished(creator!);
    const first = await comment(petition, author!);
    const [about] = await listWhen(creator!, ({ length }) => length === 1);
    assert.equal(about!.type, 'petition_comment');
    assert.equal(about!.title, `A new comment on “${petition.title}”`);
    const { id: petition_id, slug } = petition;
    assert.deepEqual(about!.data, {
      petition_id,
      slug,
      comment_id: first,
      parent_id: null,
      count: 1,
    });
    const answer = await comment(petition, other!, first);
    await comment(petition, author!, first);
    await comment(petition, creator!, answer);
    const own = await comment(petition, creator!);
    await comment(petition, other!, own);
    await settled();
    const titles = async (person: TestUser) => (await listOf(person)).map(({ title }) => title);
    assert.deepEqual(await titles(author!), [`A new reply to your comment on “${petition.title}”`]);
    assert.deepEqual(await titles(other!), [`A new reply to your comment on “${petition.title}”`]);
    assert.deepEqual(await titles(creator!), [
      `A new reply to your comment on “${petition.title}”`,
      `3 new comments on “${petition.title}”`,
    ]);
  });

  it('merge unread ones about the same thing into one, which moves to the top', async () => {
    const [creator, author] = await people(2);
    const petition = await createPublished(creator!);
    const elsewhere = await createPublished(creator!);
    await comment(petition, author!);
    await comment(elsewhere, author!);
    await settled();
    const [, former] = await listOf(creator!);
    for (let n = 0; n < 3; n += 1) await comment(petition, author!);
    await settled();
    const [top, below, ...rest] = await listOf(creator!);
    assert.equal(rest.length, 0);
    assert.equal(top!.title, `4 new comments on “${petition.title}”`);
    assert.deepEqual([top!.data.petition_id, top!.data.count], [petition.id, 4]);
    assert.deepEqual([below!.data.petition_id, below!.data.count], [elsewhere.id, 1]);
    assert.equal((await creator!.api.get(`/v1/notifications/${former!.id}`)).status, 404);
    assert.equal(await unreadOf(creator!), 2);

    const { body } = await creator!.api.post('/v1/notifications/mark-read', {
      notification_ids: [top!.id],
    });
    assert.equal(body.data.unread_count, 1);
    await comment(petition, author!);
    await settled();
    const titles = (await listOf(creator!)).map(({ title }) => title);
    assert.deepEqual(titles.slice(0, 2), [`A new comment on “${petition.title}”`, top!.title]);
  });

  it('are not created for what was hidden or deleted meanwhile', async () => {
    const [creator, author] = await people(2);
    const petition = await createPublished(creator!);
    const gone = await createPublished(creator!);
    await sign(petition, author!);
    await sign(gone, author!);
    const [hidden, deleted] = [await comment(petition, author!), await comment(petition, author!)];
    const updateId = await postUpdate(petition, creator!);
    await settled();
    const earlier = [await listOf(creator!), await listOf(author!)];
    await moderator.api.post(`/v1/admin/comments/${hidden}/hide`);
    await author!.api.delete(`/v1/comments/${deleted}`);
    await creator!.api.delete(`/v1/updates/${updateId}`);
    await creator!.api.delete(`/v1/petitions/${gone.id}`);
    const actor = { type: 'user', id: newId() } as const;
    for (const comment_id of [hidden, deleted]) {
      const data = { comment_id, parent_id: null };
      await emitEvent({ type: 'comment.created', petitionId: petition.id, actor, data });
    }
    const data = { update_id: updateId };
    await emitEvent({ type: 'update.created', petitionId: petition.id, actor, data });
    await emitEvent({ type: 'petition.victory', petitionId: gone.id, actor });
    await emitEvent({
      type: 'signature.milestone',
      petitionId: gone.id,
      data: { signature_count: 9 },
    });
    await settled();
    // Deleting an update erases its text from earlier notifications.
    for (const shown of earlier.flat()) if (shown.data.update_id === updateId) shown.body = '';
    // The author is told of the hiding itself.
    const [decision, ...others] = await listOf(author!);
    assert.equal(decision!.type, 'moderation_decision');
    assert.deepEqual([await listOf(creator!), others], earlier);
  });

  /** Returns a petition under review, with a notification for its signer that waits for its end. */
  const startReview = async () => {
    const [creator, signer] = (await people(2)) as [TestUser, TestUser];
    const petition = await createPublished(creator);
    await sign(petition, signer);
    const { db } = service.ctx;
    await db`update petitions set status = 'under_review' where id = ${petition.id}`;
    await emitEvent({ type: 'petition.victory', petitionId: petition.id });
    await eventually(async () => {
      const rows = await db`select from notification_fan_outs where petition_id = ${petition.id}`;
      return rows.length === 1;
    });
    return { petition, signer };
  };

  it('wait while a petition is under review', async () => {
    const { petition, signer } = await startReview();
    const { db } = service.ctx;
    assert.deepEqual(await listOf(signer), []);
    await db`update petitions set status = 'victory' where id = ${petition.id}`;
    await listWhen(signer, ({ length }) => length === 1);
  });

  it('inform creators, new members, webhook owners and warned users', async () => {
    const [creator, signer, somebody] = await people(3);
    const petition = await createPublished(creator!, { signatureGoal: 1 });
    await sign(petition, signer!);
    const [milestone] = await listWhen(creator!, ({ length }) => length === 1);
    assert.equal(milestone!.type, 'signature_milestone');
    assert.equal(milestone!.title, `One person has signed “${petition.title}”`);
    assert.equal(milestone!.data.signature_count, 1);

    const petitionId = petition.id;
    const byAdmin = { type: 'admin', id: moderator.id } as const;
    const byCreator = { type: 'user', id: creator!.id } as const;
    const byKey = { type: 'api_key', id: newId() } as const;
    await emitEvent({ type: 'petition.under_review', petitionId, actor: byCreator });
    await emitEvent({ type: 'petition.under_review', petitionId, actor: byKey });
    await emitEvent({ type: 'petition.under_review', petitionId });
    await emitEvent({ type: 'petition.approved', petitionId, actor: byAdmin });
    const reason = 'It names a child.';
    const act_id = await service.ctx.pools.main.begin((tx) =>
      recordAdminAction(tx, {
        actorId: moderator.id,
        action: 'petition.reject',
        targetType: 'petition',
        targetId: petitionId,
        reason: { text: reason, about: creator!.id },
      }),
    );
    await emitEvent({ type: 'petition.rejected', petitionId, actor: byAdmin, data: { act_id } });
    const response = { response_id: newId() };
    await emitEvent({ type: 'response.published', petitionId, actor: byCreator, data: response });
    await emitEvent({ type: 'response.published', petitionId, data: response });
    const orgId = newId();
    await service.ctx.db`
      insert into organizations (id, name, slug) values (${orgId}, 'Rivers & Co', 'rivers-co')`;
    const user_id = somebody!.id;
    const joined = { org_id: orgId, user_id };
    await emitEvent({ type: 'organization.member_added', actor: byCreator, data: joined });
    const founded = { type: 'user', id: user_id } as const;
    await emitEvent({ type: 'organization.member_added', actor: founded, data: joined });
    await emitEvent({ type: 'user.warned', actor: byAdmin, data: { warning_id: orgId, user_id } });
    await emitEvent({ type: 'webhook.disabled', data: { endpoint_id: orgId, user_id } });
    await settled();
    const reviews = (await listOf(creator!)).map(({ type, body, data }) => [
      type,
      data.status,
      body,
    ]);
    assert.deepEqual(reviews, [
      ['response_published', undefined, 'A decision maker has answered the petition.'],
      ['petition_under_review', 'draft', `It is a draft again. The reason: ${reason}`],
      ['petition_under_review', 'active', 'Everybody can see and sign it.'],
      [
        'petition_under_review',
        'under_review',
        'Moderators look at it. Until they are done, nobody else sees it.',
      ],
      ['signature_milestone', undefined, 'Thank them, and tell them what comes next.'],
    ]);
    const responses = (await listOf(signer!)).map(({ type, data }) => [type, data.response_id]);
    assert.deepEqual(responses, [
      ['response_published', response.response_id],
      ['response_published', response.response_id],
    ]);
    const others = (await listOf(somebody!)).map(({ type, title, data }) => [type, title, data]);
    assert.deepEqual(others, [
      ['webhook_disabled', 'A webhook endpoint was switched off', { endpoint_id: orgId }],
      ['moderation_warning', 'A moderator has warned you', { warning_id: orgId }],
      [
        'org_member_added',
        'You are now a member of Rivers & Co',
        { org_id: orgId, slug: 'rivers-co' },
      ],
    ]);
  });

  it('do not inform creators about a milestone that their own signature reached', async () => {
    const [creator, other] = await people(2);
    const { body } = await creator!.api.post('/v1/api-keys', {
      name: 'A script',
      scopes: ['read_write'],
    });
    const byKey = { ...creator!, api: service.api.as(body.data.key) };
    for (const [person, input] of [
      [creator!, {}],
      [creator!, { is_anonymous: true }],
      [byKey, {}],
      [byKey, { is_anonymous: true }],
    ] as const) {
      await sign(await createPublished(creator!, { signatureGoal: 1 }), person, input);
    }
    const petition = await createPublished(creator!, { signatureGoal: 1 });
    await sign(petition, other!, { is_anonymous: true });
    await settled();
    const petitionIds = (await listOf(creator!)).map(({ data }) => data.petition_id);
    assert.deepEqual(petitionIds, [petition.id]);
  });

  it('are listed by page with counts, and marked as read', async () => {
    const [person, other] = (await people(2)) as [TestUser, TestUser];
    const warn = (user_id: string) =>
      emitEvent({ type: 'user.warned', data: { warning_id: newId(), user_id } });
    for (let n = 0; n < 5; n += 1) await warn(person.id);
    await warn(other.id);
    await settled();
    const all = await listOf(person);
    assert.equal(all.length, 5);
    const seen: string[] = [];
    let cursor = '';
    do {
      const { body } = await person.api.get(`/v1/notifications?limit=2${cursor}`);
      assert.equal(body.counts.total, body.counts.unread);
      seen.push(...body.data.map(({ id }: Shown) => id));
      cursor = body.pagination.has_more ? `&cursor=${body.pagination.next_cursor}` : '';
      await warn(person.id);
      await settled();
    } while (cursor);
    assert.deepEqual(
      seen,
      all.map(({ id }) => id),
    );

    const one = await person.api.get(`/v1/notifications/${seen[0]}`);
    assert.deepEqual(one.body.data, all[0]);
    assert.equal((await other.api.get(`/v1/notifications/${seen[0]}`)).status, 404);
    assert.equal((await service.api.get(`/v1/notifications/${seen[0]}`)).status, 401);
    const mark = (input: object) => person.api.post('/v1/notifications/mark-read', input);
    for (const wrong of [{}, { mark_all: false }]) {
      const refused = await mark(wrong);
      assert.equal(refused.status, 422);
      assert.equal(refused.body.errors[0].field, 'notification_ids');
    }
    for (const none of [{ notification_ids: [] }, { notification_ids: [], mark_all: false }]) {
      const { status, body } = await mark(none);
      assert.deepEqual([status, body.data.unread_count], [200, 8]);
    }
    const [theirs] = await listOf(other);
    const ids = [seen[0], seen[0], seen[1], theirs!.id, newId()];
    assert.equal((await mark({ notification_ids: ids })).body.data.unread_count, 6);
    assert.equal((await mark({ notification_ids: ids })).body.data.unread_count, 6);
    assert.equal(await unreadOf(other), 1);
    assert.equal((await person.api.get(`/v1/notifications/${seen[0]}`)).body.data.read, true);
    const unread = await person.api.get('/v1/notifications?unread_only=true');
    assert.equal(unread.body.data.length, 6);
    assert.deepEqual(unread.body.counts, { total: 8, unread: 6 });
    const every = await mark({ notification_ids: [], mark_all: true });
    assert.deepEqual([every.status, every.body.data.unread_count], [200, 0]);
    assert.deepEqual(await listOf(person, '?unread_only=true'), []);
    assert.equal((await listOf(person)).length, 8);

    const [newcomer] = (await people(1)) as [TestUser];
    const empty = await newcomer.api.get('/v1/notifications');
    assert.deepEqual([empty.body.data, empty.body.counts], [[], { total: 0, unread: 0 }]);
    const nothing = await newcomer.api.post('/v1/notifications/mark-read', { mark_all: true });
    assert.equal(nothing.body.data.unread_count, 0);
  });

  it('keep exact counts while people comment and read at once', async () => {
    const [creator, ...authors] = await people(7);
    const petitions = [await createPublished(creator!), await createPublished(creator!)];
    let comments = 0;
    const writer = async (author: TestUser) => {
      for (let n = 0; n < 12; n += 1, comments += 1) await comment(petitions[n % 2], author);
    };
    const writing = new AbortController();
    const reader = async () => {
      while (!writing.signal.aborted) {
        const [first] = await listOf(creator!, '?unread_only=true&limit=1');
        const which = first ? { notification_ids: [first.id] } : { mark_all: true };
        const { status } = await creator!.api.post('/v1/notifications/mark-read', which);
        assert.equal(status, 200);
      }
    };
    const reading = [reader(), reader()];
    await Promise.all(authors.map(writer));
    await settled();
    writing.abort();
    await Promise.all(reading);
    let counted = 0;
    let cursor = '';
    do {
      const { body } = await creator!.api.get(`/v1/notifications?limit=100${cursor}`);
      for (const { data } of body.data) counted += data.count;
      cursor = body.pagination.has_more ? `&cursor=${body.pagination.next_cursor}` : '';
    } while (cursor);
    assert.equal(counted, comments, 'each comment is in exactly one notification');
  });

  it('have preferences by type, set at either of two addresses', async () => {
    const [person] = (await people(1)) as [TestUser];
    const path = '/v1/notifications/preferences';
    const { body } = await person.api.get(path);
    assert.equal(Object.keys(body.data.in_app).length, 18);
    assert.ok(Object.values(body.data.in_app).every(Boolean));
    const off = Object.entries(body.data.email).filter(([, on]) => !on);
    assert.deepEqual(off, [
      ['petition_update', false],
      ['petition_comment', false],
      ['petition_changed', false],
    ]);
    assert.equal(body.data.queue_mail, 'hourly');
    const once = await person.api.patch(path, {
      email: { petition_update: true, petition_comment: true },
    });
    assert.equal(once.status, 200);
    const twice = await person.api.patch('/v1/users/me', {
      notification_prefs: { email: { comment_reply: false }, in_app: { comment_reply: false } },
    });
    assert.equal(twice.status, 200);
    const expected = structuredClone(body.data);
    Object.assign(expected.email, {
      petition_update: true,
      petition_comment: true,
      comment_reply: false,
    });
    expected.in_app.comment_reply = false;
    assert.deepEqual((await person.api.get(path)).body.data, expected);
    for (const [input, field] of [
      [{ email: { petition_update: 'yes' } }, 'email.petition_update'],
      [{ email: { petition_update: null } }, 'email.petition_update'],
      [{ email: true }, 'email'],
      [{ queue_mail: 'weekly' }, 'queue_mail'],
    ] as const) {
      const refused = await person.api.patch(path, input);
      assert.equal(refused.status, 422);
      assert.equal(refused.body.errors[0].field, field);
      const alike = await person.api.patch('/v1/users/me', { notification_prefs: input });
      assert.equal(alike.body.errors[0].field, `notification_prefs.${field}`);
    }
    const unknown = { in_app: { unknown: 1 }, email: { unknown: 'x' }, sms: { comment_reply: 0 } };
    const ignored = await person.api.patch(path, unknown);
    assert.deepEqual([ignored.status, ignored.body.data], [200, expected]);
    const alike = await person.api.patch('/v1/users/me', { notification_prefs: unknown });
    assert.equal(alike.status, 200);
    const [stored] = await service.ctx.db`
      select from users where id = ${person.id} and notification_prefs::text like '%unknown%'`;
    assert.equal(stored, undefined);
    assert.deepEqual((await person.api.get(path)).body.data, expected);
  });

  it('are exported, and deleted with the account', async () => {
    const person = await signUp(service);
    const data = { warning_id: newId(), user_id: person.id };
    await emitEvent({ type: 'user.warned', data });
    await listWhen(person, ({ length }) => length === 1);
    const { body } = await person.api.get('/v1/users/me/export');
    assert.equal(body.notifications[0].type, 'moderation_warning');
    const { db } = service.ctx;
    const erased = await person.api.delete('/v1/users/me', { password: person.password });
    assert.equal(erased.status, 204);
    for (const table of ['notifications', 'notification_mails', 'notification_inboxes']) {
      const left = await db`select from ${db(table)} where user_id = ${person.id}`;
      assert.equal(left.length, 0, table);
    }
    await emitEvent({ type: 'user.warned', data });
    await settled();
  });

  for (const [channel, email] of [
    ['by mail only', true],
    ['nowhere', false],
  ] as const) {
    it(`leave no text of a warning behind that was sent ${channel}`, async () => {
      const person = await signUp(service);
      await service.ctx.db`update users set email_verified_at = now() where id = ${person.id}`;
      const types = { moderation_warning: false };
      const prefs = { in_app: types, email: { moderation_warning: email } };
      assert.equal((await person.api.patch('/v1/notifications/preferences', prefs)).status, 200);
      const message = `Stop it, ${newId()}`;
      const warning = { user_id: person.id, message };
      assert.equal((await moderator.api.post('/v1/admin/warnings', warning)).status, 201);
      await settled();
      if (email) {
        await eventually(async () => (await service.mails()).join().includes(message), 20_000);
      }
      await person.api.delete('/v1/users/me', { password: person.password });
      assert.deepEqual(await findMentions(service, [message]), []);
    });
  }

  it('are kept for 90 days from the end of a review that they waited for', async () => {
    const { petition, signer } = await startReview();
    const { db } = service.ctx;
    const ago = (days: number) => db`now() - ${days} * interval '1 day'`;
    await db`update signatures set created_at = ${ago(101)} where petition_id = ${petition.id}`;
    await db`update notices set created_at = ${ago(100)} where petition_id = ${petition.id}`;
    await db`update petitions set status = 'victory' where id = ${petition.id}`;
    await listWhen(signer, ({ length }) => length === 1);
    await settled();
    await addJob(db, 'forget-old-notifications', {});
    await eventually(async () => {
      const [row] = await db`
        select count(*)::int as n from graphile_worker.jobs
        where task_identifier = 'forget-old-notifications'`;
      return row!.n === 0;
    }, 20_000);
    const { body } = await signer.api.get('/v1/notifications');
    assert.deepEqual(body.counts, { total: 1, unread: 1 });
    assert.equal(body.data.length, 1);
  });

  it('are kept for 90 days', async () => {
    const [person] = (await people(1)) as [TestUser];
    const { db } = service.ctx;
    const data = { warning_id: newId(), user_id: person.id };
    for (let n = 0; n < 3; n += 1) await emitEvent({ type: 'user.warned', data });
    await settled();
    const [first, second] = await listOf(person);
    await person.api.post('/v1/notifications/mark-read', { notification_ids: [second!.id] });
    await db`
      update notifications set created_at = created_at - interval '90 days 1 minute'
      where user_id = ${person.id} and id <> ${first!.id}`;
    await addJob(db, 'forget-old-notifications', {});
    await eventually(async () => (await listOf(person)).length === 1, 20_000);
    const { body } = await person.api.get('/v1/notifications');
    assert.equal(body.data[0].id, first!.id);
    assert.deepEqual(body.counts, { total: 1, unread: 1 });
  });
});

/** Asserts that stored counts equal the numbers of rows. */
async function assertCountsExact({ ctx }: Service): Promise<void> {
  const wrong = await ctx.pools.main`
    select i.user_id, i.total, i.unread, count(t.id), count(t.id) filter (where t.read_at is null)
    from notification_inboxes i left join notifications t using (user_id)
    group by i.user_id
    having i.total <> count(t.id) or i.unread <> count(t.id) filter (where t.read_at is null)`;
  assert.deepEqual([...wrong], []);
}
