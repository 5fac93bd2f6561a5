import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createActivePerson } from '../support/active-person.ts';
import { eventually } from '../support/eventually.ts';
import { findMentions } from '../support/mentions.ts';
import { logIn } from '../support/people.ts';
import { startService, type Service } from '../support/service.ts';

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

    // Waits for remaining jobs, whose results are searched too.
    await eventually(async () => {
      const [{ n }] = await service.ctx.db<[{ n: number }]>`
      select count(*)::integer as n from graphile_worker.jobs where run_at <= now()`;
      return n === 0;
    });
    assert.deepEqual(await findMentions(service, words), []);
    const lines = log.filter((line) => words.some((word) => line.includes(word)));
    assert.deepEqual(lines, []);
    assert.ok(log.length > 20, 'the log was captured');
  });
});
