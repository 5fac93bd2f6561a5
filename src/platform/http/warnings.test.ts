import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  createPublished,
  petitionInput,
  signUp,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { closestName } from './closest-name.ts';

describe('warnings', () => {
  let service: Service;
  let person: Person;
  before(async () => {
    service = await startService();
    person = await signUp(service);
  });
  after(() => service[Symbol.asyncDispose]());

  it('name unknown members of a body, at any depth, with the closest known name', async () => {
    const { status, body } = await person.api.post('/v1/petitions?dry_run=1', {
      ...petitionInput,
      signature_goal: 100,
      colour: 'red',
      decisionMakers: [{ name: 'Grace', email: 'grace@example.org', tittle: 'Mayor' }],
    });
    assert.equal(status, 201);
    assert.deepEqual(body.meta.warnings, [
      { in: 'query', field: 'dry_run' },
      { in: 'body', field: 'signature_goal', did_you_mean: 'signatureGoal' },
      { in: 'body', field: 'colour' },
      { in: 'body', field: 'decisionMakers.0.tittle', did_you_mean: 'decisionMakers.0.title' },
    ]);
    assert.equal(body.data.signature_goal, null);
  });

  it('name unknown parameters of lists, single reads and streamed answers, each time', async () => {
    const { id } = await createPublished(person);
    for (const path of ['/v1/petitions', `/v1/petitions/${id}`, `/v1/petitions/${id}/signatures`]) {
      for (let n = 0; n < 3; n += 1) {
        const { status, body } = await service.api.get(`${path}?limt=5&é=1`);
        assert.equal(status, 200);
        const [known, other] = body.meta.warnings;
        assert.equal(known.field, 'limt');
        assert.equal(known.did_you_mean, path.endsWith(id) ? undefined : 'limit');
        assert.deepEqual(other, { in: 'query', field: 'é' });
      }
    }
    const streamed = await person.api.get('/v1/petitions/export?formt=csv');
    assert.deepEqual(streamed.body.meta.warnings, [
      { in: 'query', field: 'formt', did_you_mean: 'format' },
    ]);
  });

  it('are stored with an answer that is repeated', async () => {
    const options = { headers: { 'idempotency-key': 'with-warnings' } };
    const send = () => person.api.post('/v1/petitions', { ...petitionInput, titel: 'x' }, options);
    const answers = [await send(), await send()];
    for (const { body } of answers) {
      assert.deepEqual(body.meta.warnings, [{ in: 'body', field: 'titel', did_you_mean: 'title' }]);
    }
  });

  it('are 20 at most, and none of trackers', async () => {
    const { id } = await createPublished(person);
    const tracked = await service.api.get(`/v1/petitions/${id}?utm_medium=mail&utm_x=1&ref=a`);
    assert.equal(tracked.body.meta.warnings, undefined);
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`x${n}`, n]));
    const { body } = await person.api.post('/v1/petitions', { ...petitionInput, ...many });
    assert.equal(body.meta.warnings.length, 20);
  });

  it('suggest another way to write a name, and small slips', () => {
    const known = ['title', 'signatureGoal', 'locationCity', 'email', 'tags'];
    for (const [typed, meant] of [
      ['signature-goal', 'signatureGoal'],
      ['SIGNATUREGOAL', 'signatureGoal'],
      ['titel', 'title'],
      ['tilte', 'title'],
      ['titles', 'title'],
      ['location_ctiy', 'locationCity'],
      ['mail', 'email'],
      ['tag', 'tags'],
      ['x', undefined],
      ['', undefined],
      ['constructor', undefined],
    ] as const) {
      assert.equal(closestName(typed, known), meant, typed);
    }
  });
});
