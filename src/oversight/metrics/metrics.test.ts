import assert from 'node:assert/strict';
import { it } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import {
  createDraft,
  logInAsAdmin,
  createPublished,
  signUp,
} from '../../../test/support/people.ts';
import { startService } from '../../../test/support/service.ts';
import { newId } from '../../platform/ids.ts';
import { countable, estimateRows } from './queries.ts';

it('metrics for administrators agree with the database', async () => {
  await using service = await startService({ worker: true });
  const admin = await logInAsAdmin(service);
  const person = await signUp(service);
  const { id } = await createPublished(person);
  await createDraft(person);
  for (const { api } of [admin, person]) await api.post(`/v1/petitions/${id}/signatures`);
  await person.api.post(`/v1/petitions/${id}/comments`, { body: 'Yes' });
  const report = { target_type: 'petition', target_id: id, reason: 'spam' };
  const { body } = await admin.api.post('/v1/reports', report);

  const read = async () => (await admin.api.get('/v1/admin/metrics')).body.data;
  await eventually(async () => (await read()).signatures.today === 2);
  const { followers, jobs, ...figures } = await read();
  assert.deepEqual(figures, {
    users: 2,
    petitions: { draft: 1, under_review: 0, active: 1, closed: 0, victory: 0 },
    signatures: { total: 2, today: 2, last_7_days: 2 },
    comments: 1,
    open_reports: { count: 1, oldest_at: body.data.created_at },
    under_review: { count: 0, oldest_at: null },
    mails: { waiting: 0, failed: 0, oldest_at: null },
    estimated: [],
  });
  assert.equal(jobs.failed, 0);
  assert.ok(followers.some(({ name }: { name: string }) => name === 'signature-days'));
  assert.equal((await person.api.get('/v1/admin/metrics')).status, 403);

  const { db } = service.ctx;
  await db`
    insert into comments (id, petition_id, root_id, body)
    select id, ${id}, id, 'One of many'
    from (select gen_random_uuid() as id from generate_series(1, 20000)) new`;
  await db`analyze comments`;
  const estimate = await estimateRows(db, countable.comments(db));
  assert.ok(Math.abs(estimate - 20_001) < 500, `${estimate}`);
});

it('metrics for Prometheus have the number and age of what waits for moderators', async () => {
  await using service = await startService({ worker: true, env: { MODERATION: 'pre' } });
  const { db } = service.ctx;
  const sample = async (name: string, kind: string) => {
    const { body } = await service.api.get('/metrics');
    return Number(new RegExp(`^${name}{kind="${kind}"} (.*)$`, 'm').exec(body)?.[1]);
  };
  const items = 'moderation_queue_items';
  const oldest = 'moderation_queue_oldest_seconds';
  const kinds = ['report', 'petition', 'complaint', 'change'];
  for (const kind of kinds) {
    assert.deepEqual([await sample(items, kind), await sample(oldest, kind)], [0, 0]);
  }
  const [person, reporter] = [await signUp(service), await signUp(service)];
  const { id } = await createDraft(person);
  await person.api.post(`/v1/petitions/${id}/publish`);
  for (const target_id of [person.id, reporter.id]) {
    const report = { target_type: 'user', target_id, reason: 'spam' };
    await reporter.api.post('/v1/reports', report);
  }
  const decision = newId();
  await db`
    insert into moderation_decisions (id, act, target_type, target_id)
    values (${decision}, 'suspend_user', 'user', ${person.id})`;
  await db`
    insert into complaints (id, decision_id, side, text, created_at)
    values (${newId()}, ${decision}, 'author', 'It was another account.', now())`;
  const hours = (n: number) => db`now() - ${n} * interval '1 hour'`;
  await db`update reports set created_at = ${hours(1)} where target_id = ${person.id}`;
  await db`
    update petitions set status_since = ${hours(2)}, text_changed_at = ${hours(4)},
      text_changed_after = 100, text_changed_version = 2`;
  await db`update complaints set created_at = ${hours(3)}`;
  await eventually(async () => (await sample(items, 'complaint')) === 1, 10_000);
  assert.deepEqual([await sample(items, 'report'), await sample(items, 'petition')], [2, 1]);
  const ages = [];
  for (const kind of kinds) ages.push(Math.round((await sample(oldest, kind)) / 360) / 10);
  assert.deepEqual(ages, [1, 2, 3, 4]);
});
