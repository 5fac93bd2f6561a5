import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { logInAsAdmin, signUp, type Person } from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

interface Line {
  id: string;
  action: string;
  target_id: string;
  subject: object | null;
  created_at: string;
}

describe('the audit log', () => {
  let service: Service;
  let admin: Person;
  before(async () => {
    service = await startService();
    admin = await logInAsAdmin(service);
  });
  after(() => service[Symbol.asyncDispose]());

  const read = async (query: string): Promise<Line[]> => {
    const { status, body } = await admin.api.get(`/v1/admin/audit-logs?limit=100&${query}`);
    assert.equal(status, 200);
    return body.data;
  };

  it('is filtered by actor, action, target and time, newest first', async () => {
    const person = await signUp(service);
    const path = `/v1/admin/users/${person.id}`;
    const other = await signUp(service);
    await admin.api.patch(`/v1/admin/users/${other.id}`, { role: 'admin' });
    await admin.api.post(`${path}/suspend`);
    const [first] = await read(`target_id=${person.id}`);
    await other.api.post(`${path}/unsuspend`);
    await other.api.post('/v1/admin/warnings', { user_id: person.id, message: 'Once more' });

    const all = await read(`target_id=${person.id}`);
    assert.deepEqual(
      all.map(({ action }) => action),
      ['user.warn', 'user.unsuspend', 'user.suspend'],
    );
    assert.equal((await read(`actor_id=${other.id}`)).length, 2);
    assert.deepEqual(all[0]!.subject, { type: 'user', id: person.id, name: 'Ada' });
    assert.deepEqual(
      (await read(`action=user.warn&target_id=${person.id}`)).map(({ id }) => id),
      [all[0]!.id],
    );
    const since = await read(`target_id=${person.id}&from=${all[1]!.created_at}`);
    assert.deepEqual(since.slice(0, 2), all.slice(0, 2));
    assert.deepEqual(await read('from=2999-01-01T00:00:00Z'), []);
    assert.deepEqual(await read('to=2001-01-01T00:00:00Z'), []);
    // Earlier than any UUIDv7.
    assert.deepEqual(await read(`target_id=${person.id}&from=1900-01-01T00:00:00Z`), all);
    assert.equal(
      (await admin.api.get('/v1/admin/audit-logs?from=1998-12-31T23:59:60Z')).status,
      422,
    );

    const one = await admin.api.get(`/v1/admin/audit-logs?target_id=${person.id}&limit=2`);
    const cursor = one.body.pagination.next_cursor;
    const rest = await read(`target_id=${person.id}&cursor=${cursor}`);
    assert.deepEqual(
      rest.map(({ id }) => id),
      [first!.id],
    );
    assert.equal((await person.api.get('/v1/admin/audit-logs')).status, 403);
  });

  it('cannot be changed, which the database enforces', async () => {
    const person = await signUp(service);
    await admin.api.post(`/v1/admin/users/${person.id}/suspend`);
    const { db } = service.ctx;
    await assert.rejects(db`update audit_log set action = 'nothing'`, /append-only/);
    await assert.rejects(db`update audit_log set action = action where false`, /append-only/);
    await assert.rejects(db`delete from audit_log where target_id = ${person.id}`, /append-only/);
    await assert.rejects(db`truncate audit_log`, /append-only/);
    assert.equal((await read(`target_id=${person.id}`)).length, 1);
  });

  it('keeps lines without erased actors and without reasons about erased users', async () => {
    const actor = await signUp(service, 'Acting');
    const person = await signUp(service);
    await admin.api.patch(`/v1/admin/users/${actor.id}`, { role: 'admin' });
    await actor.api.post(`/v1/admin/users/${person.id}/suspend`, { reason: 'Words' });
    await actor.api.post(`/v1/admin/users/${person.id}/unsuspend`);
    const copy = await person.api.get('/v1/users/me/export');
    assert.equal(copy.body.acts_of_moderators[0].reason, 'Words');
    for (const { api, password } of [person, actor]) {
      assert.equal((await api.delete('/v1/users/me', { password })).status, 204);
    }
    const lines = await read(`action=user.suspend&target_id=${person.id}`);
    assert.deepEqual(
      lines.map(({ id: _id, created_at: _at, ...line }) => line),
      [
        {
          actor: null,
          action: 'user.suspend',
          target_type: 'user',
          target_id: person.id,
          subject: null,
          details: { content: 'keep' },
        },
      ],
    );
  });
});
