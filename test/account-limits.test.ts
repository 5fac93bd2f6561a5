import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createDraft, petitionInput, signUp } from './support/people.ts';
import { startService } from './support/service.ts';

it('an account has 100 drafts at most, also if it creates them at once', async () => {
  await using service = await startService();
  const person = await signUp(service);
  const { id } = await createDraft(person);
  await service.ctx.db`
    insert into petitions (id, slug, creator_id, title, description)
    select gen_random_uuid(), 'draft-' || n, ${person.id}, title, description
    from petitions, generate_series(1, 97) n where id = ${id}`;
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => person.api.post('/v1/petitions', petitionInput)),
  );
  const created = answers.filter(({ status }) => status === 201);
  const refused = answers.filter(({ body }) => body.code === 'draft_limit_reached');
  assert.deepEqual([created.length, refused.length], [2, 3]);
  assert.equal((await person.api.delete(`/v1/petitions/${id}`)).status, 204);
  await createDraft(person);
});

it('an account owns 20 organizations at most, and has 100 sessions', async () => {
  await using service = await startService();
  const person = await signUp(service);
  for (let n = 0; n < 20; n += 1) {
    const { status } = await person.api.post('/v1/organizations', { name: `Organization ${n}` });
    assert.equal(status, 201);
  }
  const refused = await person.api.post('/v1/organizations', { name: 'One more' });
  assert.deepEqual([refused.status, refused.body.code], [409, 'organization_limit_reached']);

  await service.ctx.db`
    insert into sessions (id, user_id)
    select uuid_v7(), ${person.id} from generate_series(1, 99)`;
  const { email, password } = person;
  assert.equal((await person.api.get('/v1/users/me')).status, 200);
  assert.equal((await service.api.post('/v1/auth/login', { email, password })).status, 200);
  await service.app.sessions.revocations.refresh();
  assert.equal((await person.api.get('/v1/users/me')).status, 401, 'the oldest session has ended');
});

it('petitions of one title are created and published at once', async () => {
  await using service = await startService();
  const person = await signUp(service);
  const answers = await Promise.all(
    Array.from({ length: 12 }, async () => {
      const created = await person.api.post('/v1/petitions', petitionInput);
      const published = await person.api.post(`/v1/petitions/${created.body.data?.id}/publish`);
      return [created.status, published.status];
    }),
  );
  assert.ok(answers.every(([created, published]) => created === 201 && published === 200));
});
