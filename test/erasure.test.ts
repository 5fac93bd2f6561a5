import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createActivePerson } from './support/active-person.ts';
import { eventually } from './support/eventually.ts';
import { findMentions } from './support/mentions.ts';
import { logIn } from './support/people.ts';
import { startService, type Service } from './support/service.ts';

const log: string[] = [];
let service: Service;

describe('erasure', () => {
  before(async () => {
    service = await startService({ worker: true, log, env: { LOG_LEVEL: 'debug' } });
  });
  after(() => service[Symbol.asyncDispose]());

  it('leaves nothing that names a person', async () => {
    const person = await createActivePerson(service);
    const { name, email, slug, phone } = person;
    const words = [name, email, slug, phone];
    // Before the erasure, the search for the name finds it.
    assert.ok((await findMentions(service, [name])).length >= 5);

    const back = await logIn(service, person);
    const erased = await back.api.delete('/v1/users/me', { password: person.password });
    assert.equal(erased.status, 204);

    // The last follower that read the person before the erasure ends.
    await eventually(
      () => service.ctx.db.value<boolean>`
      select not exists (select from event_followers f, events e
        where (e.transaction, e.position) > (f.transaction, f.position))`,
    );
    // Due after a minute: what such a follower stored is forgotten as well.
    await service.ctx.db`
      update graphile_worker._private_jobs set run_at = now() where task_id = (
        select id from graphile_worker._private_tasks where identifier = 'forget-in-payloads')`;
    // Waits for remaining jobs, whose results are searched too.
    await eventually(
      () => service.ctx.db.value<boolean>`
      select not exists (select from graphile_worker.jobs where run_at <= now())`,
    );
    assert.deepEqual(await findMentions(service, words), []);
    const lines = log.filter((line) => words.some((word) => line.includes(word)));
    assert.deepEqual(lines, []);
    assert.ok(log.length > 20, 'the log was captured');
  });
});
