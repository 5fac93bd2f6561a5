import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { newId } from '../../platform/ids.ts';
import { eventually } from '../../../test/support/eventually.ts';
import {
  logInAsAdmin,
  petitionInput,
  createPublished,
  signUp,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { hideLateContent } from './suspension.ts';

describe('users in the administration API', () => {
  let service: Service;
  let admin: Person;
  let adminId: string;
  before(async () => {
    service = await startService();
    admin = await logInAsAdmin(service);
    adminId = (await admin.api.get('/v1/me')).body.data.id;
  });
  after(() => service[Symbol.asyncDispose]());

  const suspend = (person: Person, body?: object, by = admin) =>
    by.api.post(`/v1/admin/users/${person.id}/suspend`, body);
  const unsuspend = (person: Person) => admin.api.post(`/v1/admin/users/${person.id}/unsuspend`);
  const setRole = (id: string, role: string, by = admin) =>
    by.api.patch(`/v1/admin/users/${id}`, { role });
  const listIds = async (query: string) => {
    const ids: string[] = [];
    let cursor = '';
    do {
      const { body } = await admin.api.get(`/v1/admin/users?limit=2${query}${cursor}`);
      ids.push(...body.data.map(({ id }: { id: string }) => id));
      cursor = body.pagination.has_more ? `&cursor=${body.pagination.next_cursor}` : '';
    } while (cursor);
    return ids;
  };

  it('are found by a prefix of the address, ignoring case, and listed newest first', async () => {
    const ids: string[] = [];
    for (const email of ['Find.me@b.example', 'find.me@a.example', 'find.me.too@a.example']) {
      const input = { email, password: 'long enough', display_name: 'Found' };
      ids.push((await service.api.post('/v1/auth/register', input)).body.data.id);
    }
    const [b, a, too] = ids as [string, string, string];
    assert.deepEqual(await listIds('&email=find.ME'), [too, a, b]);
    assert.deepEqual(await listIds('&email=FIND.me@b.example'), [b]);
    assert.deepEqual(await listIds('&email=find_me'), []);
    assert.deepEqual((await listIds('')).slice(0, 3), [too, a, b]);
    const { body } = await admin.api.get('/v1/admin/users?email=find.me@b.example');
    const { id, created_at: _at, slug, ...shown } = body.data[0];
    assert.equal(id, b);
    assert.match(slug, /^found/);
    assert.deepEqual(shown, {
      email: 'Find.me@b.example',
      display_name: 'Found',
      role: 'user',
      email_verified: false,
      phone_verified: false,
      suspended_at: null,
      petition_count: 0,
      warning_count: 0,
      open_reports: 0,
    });
    const other = await admin.api.get('/v1/admin/users?limit=1');
    const cursor = other.body.pagination.next_cursor;
    assert.equal((await admin.api.get(`/v1/admin/users?email=f&cursor=${cursor}`)).status, 400);
  });

  it('are found by the words of their names, without regard to case and accents', async () => {
    const idOf = async (name: string) => (await signUp(service, name)).id;
    const zoe = await idOf('Zoë Brontë-O’Neill');
    const zoey = await idOf('ZOEY Łukasz Straßer');
    const greek = await idOf('Ζωή Παπαδοπούλου');
    const cyrillic = await idOf('Андрій Київський');
    const short = await idOf('Jo Zoe');
    const symbols = await idOf('!!! "\' & | :* <b>');
    const find = (name: string) => listIds(`&name=${encodeURIComponent(name)}`);
    assert.deepEqual(await find('zoe'), [short, zoey, zoe]);
    assert.deepEqual(await find('oneill'), []);
    for (const name of ['ZOË', 'zoe bronte', 'o’neill zoé', "O'Neill, Zoe", 'BRONT']) {
      assert.ok((await find(name)).includes(zoe), name);
    }
    for (const name of ['lukasz', 'Łuk', 'STRASSER', 'straße zoe']) {
      assert.deepEqual(await find(name), [zoey], name);
    }
    assert.deepEqual(await find('ζωη παπ'), [greek]);
    assert.deepEqual(await find('київ'), [cyrillic]);
    assert.deepEqual(await find('киів'), [], 'another letter');
    assert.deepEqual(await find('jo'), [short]);
    assert.deepEqual(await find('j'), [], 'a letter is a whole word');
    assert.deepEqual(await find('b'), [symbols]);
    for (const name of ['!!!', "'", '\\', ' ', ':*', '& |']) assert.deepEqual(await find(name), []);
    const both = await admin.api.get('/v1/admin/users?name=zoe&email=zoe');
    assert.deepEqual([both.status, both.body.errors[0].field], [422, 'name']);
    assert.equal((await admin.api.get('/v1/admin/users?name=')).status, 422);
    const [plan] = await service.ctx.db`
      select name_words(repeat('ﷺ', 100)) is not null as is_indexed`;
    assert.equal(plan!.is_indexed, true);
  });

  it('are rejected by another process too after suspension', async () => {
    await using second = await startService({ beside: service });
    const person = await signUp(service);
    const petition = await createPublished(admin);
    const otherProcess = second.api.as(person.accessToken);
    assert.equal((await otherProcess.get('/v1/me')).status, 200);
    const answer = await suspend(person, { reason: 'Spam' });
    assert.ok(answer.body.data.suspended_at);
    assert.equal((await person.api.get('/v1/me')).status, 403);
    await eventually(async () => (await otherProcess.get('/v1/me')).status === 403, 15_000);
    const refused = await otherProcess.post(`/v1/petitions/${petition.id}/signatures`);
    assert.equal(refused.body.code, 'account_suspended');
    for (const path of ['login', 'refresh']) {
      const body = { ...person, refresh_token: person.refreshToken };
      assert.equal((await second.api.post(`/v1/auth/${path}`, body)).status, 403);
    }

    assert.equal((await unsuspend(person)).body.data.suspended_at, null);
    assert.equal((await person.api.get('/v1/me')).status, 200);
    await eventually(async () => (await otherProcess.get('/v1/me')).status === 200, 15_000);
    const lines = await admin.api.get(`/v1/admin/audit-logs?target_id=${person.id}`);
    assert.deepEqual(
      lines.body.data.map(({ action }: { action: string }) => action),
      ['user.unsuspend', 'user.suspend'],
    );
    assert.deepEqual(lines.body.data[1].details, { content: 'keep', reason: 'Spam' });
  });

  it('keep their content, or have it hidden and exactly restored', async () => {
    const person = await signUp(service, 'Suspended');
    const own = [
      await createPublished(person),
      await createPublished(person, { visibility: 'unlisted' }),
    ];
    const closed = await createPublished(person);
    await person.api.post(`/v1/petitions/${closed.id}/close`);
    const reviewed = await createPublished(person);
    const { id: elsewhere } = await createPublished(admin);
    const comment = async (body: string, by: Person, parent_id?: string) => {
      const path = `/v1/petitions/${elsewhere}/comments`;
      return (await by.api.post(path, { body, ...(parent_id && { parent_id }) })).body.data.id;
    };
    const thread = await comment('Of the admin', admin);
    const reply = await comment('Mine', person, thread);
    const top = await comment('Mine too', person);
    const judged = await comment('Rude', person, thread);
    const judgedLater = await comment('Rude too', person, thread);
    const answered = await comment('An answer', admin, top);
    await admin.api.post(`/v1/admin/comments/${judged}/hide`);

    const shown = async () => {
      const paths = [...own, closed, reviewed].map(({ id }) => `/v1/petitions/${id}`);
      paths.push(...[reply, top, judged, judgedLater].map((id) => `/v1/comments/${id}`));
      const statuses = [];
      for (const path of paths) statuses.push((await service.api.get(path)).status);
      return statuses;
    };
    const initially = [200, 200, 200, 200, 200, 200, 404, 200];
    const replies = async () => {
      const [row] = await service.ctx.db`select reply_count from comments where id = ${thread}`;
      return row!.reply_count;
    };
    await suspend(person);
    assert.deepEqual(await shown(), initially);
    await suspend(person, { content: 'hide' });
    assert.deepEqual(await shown(), [404, 404, 200, 404, 404, 404, 404, 404]);
    assert.equal(await replies(), 0);
    assert.equal((await service.api.get(`/v1/comments/${answered}`)).status, 200);
    // Decisions of moderators during the suspension stand.
    await admin.api.post(`/v1/admin/petitions/${reviewed.id}/reject`, { reason: 'Spam' });
    await admin.api.post(`/v1/admin/comments/${judgedLater}/hide`);

    await unsuspend(person);
    assert.deepEqual(await shown(), [200, 200, 200, 404, 200, 200, 404, 404]);
    assert.equal(await replies(), 1);
    const events = await service.ctx.db`
      select type from events where petition_id = ${own[0].id}
      order by events.transaction, events.position`;
    assert.deepEqual(events.map(({ type }) => type).slice(-2), [
      'petition.under_review',
      'petition.approved',
    ]);
  });

  it('have content that was written during the suspension hidden later', async () => {
    const person = await signUp(service);
    const { body } = await suspend(person, { content: 'hide' });
    // As written by another process, which accepted the token for another second.
    const id = newId();
    await service.ctx.db`
      insert into petitions (id, slug, creator_id, title, description, status)
      values (${id}, ${id}, ${person.id}, ${petitionInput.title}, ${petitionInput.description},
        'active')`;
    assert.equal((await service.api.get(`/v1/petitions/${id}`)).status, 200);
    const [job] = await service.ctx.db`
      select payload from graphile_worker._private_jobs
      where payload->>'user_id' = ${person.id} and payload->>'suspended_at' is not null`;
    assert.equal(job!.payload.suspended_at, body.data.suspended_at);
    await hideLateContent(service.ctx, {
      ...job!.payload,
      suspended_at: new Date(0).toISOString(),
    });
    assert.equal((await service.api.get(`/v1/petitions/${id}`)).status, 200);
    await hideLateContent(service.ctx, job!.payload);
    assert.equal((await service.api.get(`/v1/petitions/${id}`)).status, 404);
  });

  it('get and lose roles, but never by themselves', async () => {
    const person = await signUp(service);
    assert.equal((await person.api.get('/v1/admin/reports')).status, 403);
    assert.equal((await setRole(person.id, 'moderator')).body.data.role, 'moderator');
    assert.equal((await person.api.get('/v1/admin/reports')).status, 200);
    assert.equal((await suspend(admin, {}, person)).status, 404);
    assert.equal((await setRole(adminId, 'user')).status, 403);
    const self = await admin.api.post(`/v1/admin/users/${adminId}/suspend`);
    assert.equal(self.status, 403);
    assert.equal((await setRole(person.id, 'king')).status, 422);
    assert.equal((await setRole(newId(), 'admin')).status, 404);
    await setRole(person.id.toUpperCase(), 'user');
    assert.equal((await person.api.get('/v1/admin/reports')).status, 403);
    assert.equal((await admin.api.get('/v1/admin/users?limit=1')).body.data.length, 1);
  });

  it('include an active administrator after concurrent suspensions and role changes', async () => {
    for (let round = 0; round < 8; round++) {
      const others = await Promise.all([signUp(service), signUp(service), signUp(service)]);
      await service.ctx.db`update users set role = 'user' where role = 'admin'`;
      await service.ctx.db`
        update users set role = 'admin' where id = any(${others.map(({ id }) => id)}::uuid[])`;
      await service.app.sessions.revocations.refresh();
      const answers = await Promise.all(
        others.flatMap((judge, n) => {
          const victim = others[(n + 1) % 3]!;
          return n % 2 ? suspend(victim, {}, judge) : setRole(victim.id, 'user', judge);
        }),
      );
      assert.ok(answers.every(({ status }) => status === 200 || status === 403));
      const [left] = await service.ctx.db`
        select count(*)::integer as n from users where role = 'admin' and suspended_at is null`;
      assert.ok(left!.n >= 1);
    }
    await service.ctx.db`update users set role = 'admin' where id = ${adminId}`;
    await service.app.sessions.revocations.refresh();
  });

  it('include the configured administrator, who is restored at start', async () => {
    const other = await signUp(service);
    await setRole(other.id, 'admin');
    assert.equal((await other.api.post(`/v1/admin/users/${adminId}/suspend`)).status, 200);
    assert.equal((await admin.api.get('/v1/me')).status, 403);
    await using restarted = await startService({ beside: service });
    assert.equal((await restarted.api.as(admin.accessToken).get('/v1/me')).status, 200);
    // This process would refresh within a second.
    await service.app.sessions.revocations.refresh();
  });

  it('are consistent after concurrent suspensions and restorations', async () => {
    const person = await signUp(service);
    const fresh = await logInAsAdmin(service);
    const { id } = await createPublished(person);
    const path = `/v1/admin/users/${person.id}`;
    for (let round = 0; round < 5; round++) {
      const answers = await Promise.all([
        fresh.api.post(`${path}/suspend`, { content: 'hide' }),
        fresh.api.post(`${path}/unsuspend`),
        fresh.api.post(`${path}/suspend`, { content: 'hide' }),
        fresh.api.post(`${path}/unsuspend`),
      ]);
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200, 200, 200],
      );
      const [row] = await service.ctx.db`
        select u.suspended_at is not null as suspended, p.hidden_with_creator as hidden
        from users u join petitions p on p.creator_id = u.id where p.id = ${id}`;
      assert.equal(row!.suspended, row!.hidden);
    }
  });
});
