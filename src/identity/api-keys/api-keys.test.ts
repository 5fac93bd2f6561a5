import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  createDraft,
  createPublished,
  logInAsAdmin,
  signUp,
  type Person,
} from '../../../test/support/people.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { admin, startService, type Service } from '../../../test/support/service.ts';
import { newId } from '../../platform/ids.ts';

const hour = 3_600_000;

describe('API keys', () => {
  let service: Service;
  let maker: Person;
  let other: Person;
  before(async () => {
    service = await startService();
    maker = await signUp(service, 'Maker');
    other = await signUp(service, 'Other');
  });
  after(() => service[Symbol.asyncDispose]());

  const make = async (person: Person, input: object = {}) => {
    const answer = await person.api.post('/v1/api-keys', { name: 'A key', ...input });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    return answer.body.data;
  };
  /** Returns the status of a read with this key. */
  const use = async (key: string, where = service) =>
    (await where.api.as(key).get('/v1/me')).status;

  it('are created as requested, and show their text once', async () => {
    const input = { name: 'Export 夜', scopes: ['read_write'], expires_at: '2999-01-01T00:00:00Z' };
    const made = await maker.api.post('/v1/api-keys', input);
    assert.equal(made.status, 201);
    assert.equal(made.headers.get('cache-control'), 'no-store');
    const { key, ...record } = made.body.data;
    assert.match(made.headers.get('location')!, new RegExp(`/v1/api-keys/${record.id}$`));
    assert.match(key, /^svc_live_[0-9A-Za-z]{49}$/);
    assert.deepEqual(record, {
      id: record.id,
      name: 'Export 夜',
      prefix: key.slice(0, 17),
      scopes: ['read_write'],
      org_id: null,
      environment: 'live',
      last_used_at: null,
      expires_at: '2999-01-01T00:00:00.000Z',
      created_at: record.created_at,
    });
    assert.deepEqual((await maker.api.get(`/v1/api-keys/${record.id}`)).body.data, record);
    assert.deepEqual((await maker.api.get('/v1/api-keys')).body.data[0], record);
    assert.equal(await use(key), 200);
    const [stored] = await service.ctx.db`select * from api_keys where id = ${record.id}`;
    assert.ok(!JSON.stringify(stored).includes(key.slice(17)), 'the key itself is not stored');
  });

  it('read by default, and use the highest of several scopes', async () => {
    assert.deepEqual((await make(maker)).scopes, ['read']);
    assert.deepEqual((await make(maker, { scopes: [] })).scopes, ['read']);
    const full = await make(maker, { scopes: ['full', 'read', 'full'] });
    assert.deepEqual(full.scopes, ['read', 'full']);
    assert.equal((await service.api.as(full.key).get('/v1/api-keys')).status, 200);
  });

  it('have the role of their user only if they are full', async () => {
    const administrator = await logInAsAdmin(service);
    const draft = await createDraft(other);
    const published = await createPublished(other);
    const hidden = await createPublished(other, { visibility: 'private' });
    const paths = [
      `/v1/petitions/${draft.id}`,
      `/v1/petitions/${hidden.id}`,
      `/v1/petitions/${published.id}/analytics`,
      `/v1/petitions/${published.id}/signatures/export`,
    ];
    const statusesOf = async (scope: string) => {
      const { key } = await make(administrator, { scopes: [scope] });
      const statuses = [];
      for (const path of paths) statuses.push((await service.api.as(key).get(path)).status);
      return statuses;
    };
    assert.deepEqual(await statusesOf('full'), [200, 200, 200, 200]);
    for (const scope of ['read', 'read_write']) {
      assert.deepEqual(await statusesOf(scope), [404, 403, 403, 403]);
    }
  });

  it('are rejected with the name of the invalid field', async () => {
    const wrong: [object, string][] = [
      [{ scopes: ['read', 'admin'] }, 'scopes.1'],
      [{ scopes: 'read' }, 'scopes'],
      [{ name: '' }, 'name'],
      [{ name: ' \n' }, 'name'],
      [{ name: 'x'.repeat(101) }, 'name'],
      [{ expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
      [{ expires_at: '9999-12-31T23:59:59-23:59' }, 'expires_at'],
      [{ expires_at: '2999-12-31T23:59:60Z' }, 'expires_at'],
      [{ expires_at: 'tomorrow' }, 'expires_at'],
      [{ org_id: newId() }, 'org_id'],
      [{ org_id: 'mine' }, 'org_id'],
    ];
    for (const [input, field] of wrong) {
      const { status, body } = await maker.api.post('/v1/api-keys', { name: 'A key', ...input });
      assert.equal(status, 422, JSON.stringify(input));
      assert.equal(body.errors[0].field, field);
    }
  });

  it('are listed by page, only to their user', async () => {
    const person = await signUp(service);
    const ids = [];
    for (let n = 0; n < 3; n++) ids.unshift((await make(person, { name: `Key ${n}` })).id);
    const first = (await person.api.get('/v1/api-keys?limit=2')).body;
    await make(person);
    const { next_cursor } = first.pagination;
    const second = (await person.api.get(`/v1/api-keys?limit=2&cursor=${next_cursor}`)).body;
    const listed = [...first.data, ...second.data].map(({ id }: { id: string }) => id);
    assert.deepEqual(listed, ids);
    assert.equal(second.pagination.has_more, false);
  });

  it('are 404 to others', async () => {
    const { id, key } = await make(maker);
    const path = `/v1/api-keys/${id}`;
    for (const answer of [
      await other.api.get(path),
      await other.api.patch(path, { name: 'Mine' }),
      await other.api.post(`${path}/rotate`),
      await other.api.delete(path),
    ]) {
      assert.equal(answer.status, 404);
    }
    assert.equal(await use(key), 200);
  });

  it('can be renamed, and get other scopes', async () => {
    const { id, key } = await make(maker);
    const path = `/v1/api-keys/${id}`;
    const write = async () => (await service.api.as(key).patch('/v1/users/me', {})).status;
    assert.equal(await write(), 403);
    const changed = await maker.api.patch(path, { scopes: ['read_write'] });
    assert.deepEqual([changed.body.data.name, changed.body.data.scopes], ['A key', ['read_write']]);
    assert.equal(await write(), 200);
    const renamed = await maker.api.patch(path, { name: 'Another', scopes: ['read'] });
    assert.deepEqual([renamed.body.data.name, renamed.body.data.scopes], ['Another', ['read']]);
    assert.equal(await write(), 403);
    const unknown = await maker.api.patch(path, { scopes: ['owner'] });
    assert.equal(unknown.body.errors[0].field, 'scopes.0');
  });

  it('are created once per Idempotency-Key, and shown again', async () => {
    const person = await signUp(service);
    const again = { headers: { 'idempotency-key': 'one key' } };
    const answers = [];
    for (let n = 0; n < 2; n++) {
      answers.push(await person.api.post('/v1/api-keys', { name: 'One' }, again));
    }
    const [first, second] = answers.map(({ body }) => body.data.key);
    assert.equal(first, second);
    assert.equal(await use(first), 200);
    assert.equal((await person.api.get('/v1/api-keys')).body.data.length, 1);
  });

  it('are limited to 50 per user, also if created concurrently', async () => {
    const person = await signUp(service);
    const answers = await Promise.all(
      Array.from({ length: 60 }, () => person.api.post('/v1/api-keys', { name: 'A key' })),
    );
    assert.equal(answers.filter(({ status }) => status === 201).length, 50);
    const refused = answers.filter(({ status }) => status === 409);
    assert.equal(refused.length, 10);
    assert.equal(refused[0]!.body.code, 'key_limit_reached');
  });

  it('are replaced by rotation; the old one is valid for exactly 24 hours more', async () => {
    const first = await make(maker, { scopes: ['full'] });
    const rotated = await maker.api.post(`/v1/api-keys/${first.id}/rotate`);
    assert.equal(rotated.status, 200);
    assert.equal(rotated.headers.get('cache-control'), 'no-store');
    const { key, ...record } = rotated.body.data;
    const { key: old, ...made } = first;
    assert.deepEqual(record, { ...made, prefix: key.slice(0, 17) });
    assert.deepEqual([await use(old), await use(key)], [200, 200]);
    const statuses = async (ahead: number) => {
      service.advanceClock(ahead);
      try {
        return [await use(old), await use(key)];
      } finally {
        service.advanceClock(-ahead);
      }
    };
    assert.deepEqual(await statuses(24 * hour - 60_000), [200, 200]);
    assert.deepEqual(await statuses(24 * hour + 1), [401, 200]);
  });

  it('keep each replaced key valid for 24 hours, and end all of them by deletion', async () => {
    const first = await make(maker, { scopes: ['full'] });
    const path = `/v1/api-keys/${first.id}`;
    const keys = [first.key];
    const statuses = () => Promise.all(keys.map((key) => use(key)));
    // A key can rotate itself.
    const rotate = async () => {
      keys.push((await service.api.as(keys.at(-1)).post(`${path}/rotate`)).body.data.key);
    };
    await rotate();
    service.advanceClock(12 * hour);
    try {
      await rotate();
      assert.deepEqual(await statuses(), [200, 200, 200]);
      service.advanceClock(12 * hour);
      assert.deepEqual(await statuses(), [401, 200, 200]);
      service.advanceClock(12 * hour);
      assert.deepEqual(await statuses(), [401, 401, 200]);
    } finally {
      service.advanceClock(-36 * hour);
    }
    assert.deepEqual(await statuses(), [200, 200, 200]);
    assert.equal((await maker.api.delete(path)).status, 204);
    assert.deepEqual(await statuses(), [401, 401, 401]);
    for (const answer of [await maker.api.get(path), await maker.api.delete(path)]) {
      assert.equal(answer.status, 404);
    }
    assert.equal((await maker.api.post(`${path}/rotate`)).status, 404);
  });

  it('are rotated at most 50 times in 24 hours, also concurrently', async () => {
    const { id, key } = await make(maker);
    const helper = service.api.as((await make(maker, { scopes: ['full'] })).key);
    const rotate = () => helper.post(`/v1/api-keys/${id}/rotate`);
    const answers = await Promise.all(Array.from({ length: 53 }, rotate));
    const made = answers.filter(({ status }) => status === 200).map(({ body }) => body.data.key);
    assert.equal(new Set(made).size, 50);
    for (const one of [key, ...made]) assert.equal(await use(one), 200);
    const refused = answers.filter(({ status }) => status === 409);
    assert.deepEqual([refused.length, refused[0]!.body.code], [3, 'rotation_limit_reached']);
    const [latest] = await service.ctx.db`select prefix from api_keys where id = ${id}`;
    assert.equal(made.filter((one) => one.startsWith(latest!.prefix)).length, 1);
    service.advanceClock(24 * hour + 60_000);
    try {
      assert.equal(await use((await rotate()).body.data.key), 200);
    } finally {
      service.advanceClock(-24 * hour - 60_000);
    }
  });

  it('are deleted a month after they were replaced', async () => {
    await using working = await startService({ beside: service, worker: true });
    const { db } = service.ctx;
    const [old, recent] = [await make(maker), await make(maker)];
    for (const { id } of [old, recent]) await maker.api.post(`/v1/api-keys/${id}/rotate`);
    await db`
      update replaced_api_keys set expires_at = now() - interval '31 days' where key_id = ${old.id}`;
    await db`select graphile_worker.add_job('forget-replaced-api-keys')`;
    const left = async () => {
      const rows = await db`
        select key_id from replaced_api_keys where key_id in (${old.id}, ${recent.id})`;
      return rows.map(({ key_id }) => key_id);
    };
    await eventually(async () => (await left()).length === 1);
    assert.deepEqual(await left(), [recent.id]);
    assert.match((await working.api.as(old.key).get('/v1/me')).body.message, /unknown/);
  });

  it('expire, and cannot be rotated then', async () => {
    const expires_at = new Date(service.ctx.now().getTime() + hour).toISOString();
    const { id, key } = await make(maker, { expires_at });
    const helper = await make(maker, { scopes: ['full'] });
    assert.equal(await use(key), 200);
    service.advanceClock(hour);
    try {
      const expired = await service.api.as(key).get('/v1/me');
      assert.deepEqual([expired.status, expired.body.code], [401, 'key_expired']);
      const rotated = await service.api.as(helper.key).post(`/v1/api-keys/${id}/rotate`);
      assert.deepEqual([rotated.status, rotated.body.code], [409, 'key_expired']);
    } finally {
      service.advanceClock(-hour);
    }
  });

  it('are exported without secrets, and deleted with the account', async () => {
    const leaver = await signUp(service);
    const { key, ...record } = await make(leaver);
    assert.equal(await use(key), 200);
    const { body } = await leaver.api.get('/v1/users/me/export');
    assert.deepEqual(body.api_keys, [record]);
    assert.ok(!JSON.stringify(body).includes(key.slice(17)));
    await leaver.api.delete('/v1/users/me', { password: leaver.password });
    assert.equal(await use(key), 401);
    const [left] = await service.ctx.db`select id from api_keys where id = ${record.id}`;
    assert.equal(left, undefined);
  });

  it('of an account that the configured administrator takes over are deleted', async () => {
    const squatter = await signUp(service);
    const { key } = await make(squatter, { scopes: ['full'] });
    const env = { ADMIN_EMAIL: squatter.email, ADMIN_PASSWORD: admin.password };
    await using second = await startService({ beside: service, env });
    assert.equal(await use(key, second), 401);
  });
});

describe('API keys of organizations', () => {
  let service: Service;
  let owner: Person;
  before(async () => {
    service = await startService();
    owner = await signUp(service, 'Owner');
  });
  after(() => service[Symbol.asyncDispose]());

  /** Returns an organization and its members by role. */
  const organize = async (members: Record<string, Person>): Promise<string> => {
    const id = newId();
    await service.ctx.db`insert into organizations (id, name, slug) values (${id}, ${id}, ${id})`;
    for (const [role, person] of Object.entries(members)) {
      await service.ctx.db`
        insert into memberships (id, org_id, user_id, role)
        values (${newId()}, ${id}, ${person.id}, ${role})`;
    }
    return id;
  };
  const make = (person: Person, org_id: string) =>
    person.api.post('/v1/api-keys', { name: 'Ours', org_id });

  it('are created by its owner and admins only', async () => {
    const [clerk, member] = [await signUp(service), await signUp(service)];
    const org = await organize({ owner, admin: clerk, member });
    for (const person of [owner, clerk]) {
      const { status, body } = await make(person, org);
      assert.deepEqual([status, body.data.org_id], [201, org]);
    }
    for (const person of [member, await signUp(service)]) {
      assert.equal((await make(person, org)).status, 403);
    }
  });

  it('access keys of the organization only: other keys of their user are 404 and not listed', async () => {
    const org = await organize({ owner });
    const elsewhere = await make(owner, await organize({ owner }));
    const own = await owner.api.post('/v1/api-keys', { name: 'Mine' });
    const input = { name: 'Ours', org_id: org, scopes: ['full'] };
    const ours = (await owner.api.post('/v1/api-keys', input)).body.data;
    const api = service.api.as(ours.key);
    for (const { id, key } of [own.body.data, elsewhere.body.data]) {
      const path = `/v1/api-keys/${id}`;
      for (const answer of [
        await api.get(path),
        await api.patch(path, { scopes: ['full'] }),
        await api.post(`${path}/rotate`),
        await api.delete(path),
      ]) {
        assert.equal(answer.status, 404);
      }
      assert.equal((await service.api.as(key).get('/v1/me')).status, 200);
    }
    const made = (await api.post('/v1/api-keys', { name: 'Ours too' })).body.data;
    const listed = (await api.get('/v1/api-keys')).body.data.map(({ id }: { id: string }) => id);
    assert.deepEqual(listed, [made.id, ours.id]);
    const path = `/v1/api-keys/${made.id}`;
    assert.equal((await api.get(path)).status, 200);
    assert.equal((await api.patch(path, { name: 'Renamed' })).status, 200);
    assert.equal((await api.post(`${path}/rotate`)).status, 200);
    assert.equal((await api.delete(path)).status, 204);
  });

  it('are valid while their user is owner or admin, on every process within a second', async () => {
    await using second = await startService({ beside: service });
    const clerk = await signUp(service);
    const org = await organize({ owner, admin: clerk });
    const { key } = (await make(clerk, org)).body.data;
    const lasting = (await make(owner, org)).body.data.key;
    const statuses = async (shown: string) =>
      Promise.all(
        [service, second].map(async ({ api }) => (await api.as(shown).get('/v1/me')).status),
      );
    assert.deepEqual(await statuses(key), [200, 200]);
    await service.ctx.db`
      update memberships set role = 'member' where org_id = ${org} and user_id = ${clerk.id}`;
    await eventually(async () => (await statuses(key)).every((status) => status === 401), 1000);
    assert.deepEqual(await statuses(lasting), [200, 200]);
    await service.ctx.db`delete from organizations where id = ${org}`;
    await eventually(async () => (await statuses(lasting)).every((status) => status === 401), 1000);
    assert.equal((await owner.api.get('/v1/api-keys')).status, 200);
  });
});
