import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  createDraft,
  logInAsAdmin,
  createPublished,
  signUp,
  type Person,
  verifyAddress,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

describe('decision makers of a petition', () => {
  let service: Service;
  let creator: Person;
  let other: Person;
  before(async () => {
    service = await startService();
    creator = await signUp(service, 'Creator');
    other = await signUp(service, 'Other');
  });
  after(() => service[Symbol.asyncDispose]());

  const listOf = ({ id }: { id: string }) => `/v1/petitions/${id}/decision-makers`;
  const add = async (petition: { id: string }, extraFields: object = {}) => {
    const input = {
      name: 'Grace',
      title: 'City Council',
      email: 'grace@example.org',
      ...extraFields,
    };
    const answer = await creator.api.post(listOf(petition), input);
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    return answer.body.data;
  };

  it('are managed by the creator, and public without their address', async () => {
    const petition = await createPublished(creator, {
      decisionMakers: [{ name: 'Ada', email: 'ada@example.org' }],
    });
    const grace = await add(petition);
    const { created_at, id, ...rest } = grace;
    assert.ok(created_at && id);
    assert.deepEqual(rest, {
      name: 'Grace',
      title: 'City Council',
      email: 'grace@example.org',
      verified: false,
      sending: false,
      state: 'pending',
      delivered_at: null,
      opened_at: null,
      responded_at: null,
      link_expires_at: null,
    });
    const listed = await creator.api.get(listOf(petition));
    assert.deepEqual(
      listed.body.data.map(({ name }: { name: string }) => name),
      ['Grace', 'Ada'],
    );
    assert.deepEqual(listed.body.data[0], grace);
    const shown = async () =>
      (await service.api.get(`/v1/petitions/${petition.id}`)).body.data.decision_makers;
    assert.deepEqual((await shown())[1], {
      id,
      name: 'Grace',
      title: 'City Council',
      verified: false,
    });
    assert.equal((await creator.api.delete(`${listOf(petition)}/${id}`)).status, 204);
    assert.equal((await creator.api.delete(`${listOf(petition)}/${id}`)).status, 404);
    assert.deepEqual(
      (await shown()).map(({ name }: { name: string }) => name),
      ['Ada'],
    );
  });

  it('are paged newest first', async () => {
    const petition = await createDraft(creator);
    for (let n = 0; n < 5; n++) await add(petition, { name: `${n}`, email: `${n}@example.org` });
    const names: string[] = [];
    let cursor = '';
    do {
      const { body } = await creator.api.get(`${listOf(petition)}?limit=2${cursor}`);
      names.push(...body.data.map(({ name }: { name: string }) => name));
      cursor = body.pagination.has_more ? `&cursor=${body.pagination.next_cursor}` : '';
    } while (cursor);
    assert.deepEqual(names, ['4', '3', '2', '1', '0']);
  });

  it('can be read and changed only by the creator', async () => {
    const petition = await createPublished(creator);
    const { id } = await add(petition);
    const admin = await logInAsAdmin(service);
    const input = { name: 'Mine', email: 'mine@example.org' };
    for (const [api, status] of [
      [service.api, 401],
      [other.api, 403],
      [admin.api, 403],
    ] as const) {
      assert.equal((await api.get(listOf(petition))).status, status);
      assert.equal((await api.post(listOf(petition), input)).status, status);
      assert.equal((await api.delete(`${listOf(petition)}/${id}`)).status, status);
      assert.equal((await api.post(`${listOf(petition)}/${id}/deliver`)).status, status);
    }
    const unseen = await createDraft(creator);
    assert.equal((await other.api.get(listOf(unseen))).status, 404);
    const elsewhere = await createPublished(creator);
    assert.equal((await creator.api.delete(`${listOf(elsewhere)}/${id}`)).status, 404);
    assert.equal((await creator.api.post(`${listOf(elsewhere)}/${id}/deliver`)).status, 404);
  });

  it('have unique addresses on a petition, also with concurrent requests', async () => {
    const petition = await createDraft(creator);
    const answers = await Promise.all(
      ['g@example.org', 'G@example.org', 'g@Example.org', 'g@example.org'].map((email) =>
        creator.api.post(listOf(petition), { name: 'Grace', email }),
      ),
    );
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    assert.deepEqual(statuses, [201, 409, 409, 409]);
    const refused = answers.find(({ status }) => status === 409)!;
    assert.equal(refused.body.code, 'already_added');
    await add(await createDraft(creator), { email: 'g@example.org' });

    const twice = await creator.api.post('/v1/petitions', {
      title: 'Keep the river path open',
      description: 'The path along the river is the safest way home for many of us.',
      decisionMakers: [
        { name: 'One', email: 'one@example.org' },
        { name: 'Two', email: 'two@example.org' },
        { name: 'Three', email: 'ONE@example.org' },
      ],
    });
    assert.equal(twice.status, 422);
    assert.equal(twice.body.errors[0].field, 'decisionMakers.2.email');
  });

  it('are limited to 50, also with concurrent requests', async () => {
    const petition = await createDraft(creator);
    for (let n = 0; n < 44; n++) await add(petition, { email: `${n}@example.org` });
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        creator.api.post(listOf(petition), { name: 'Late', email: `late-${n}@example.org` }),
      ),
    );
    const refused = answers.filter(({ status }) => status === 409);
    assert.equal(refused.length, 6);
    assert.equal(refused[0]!.body.code, 'decision_maker_limit');
    const { body } = await creator.api.get(`${listOf(petition)}?limit=100`);
    assert.equal(body.data.length, 50);
  });

  it('get deliveries only after the petition was published', async () => {
    const petition = await createDraft(creator);
    const { id } = await add(petition);
    const early = await creator.api.post(`${listOf(petition)}/${id}/deliver`);
    assert.equal(early.status, 409);
    assert.equal(early.body.code, 'invalid_state');
    await creator.api.post(`/v1/petitions/${petition.id}/publish`);
    await creator.api.post(`/v1/petitions/${petition.id}/close`);
    await verifyAddress(service, creator);
    const delivered = await creator.api.post(`${listOf(petition)}/${id}/deliver`);
    assert.equal(delivered.status, 200);
    assert.equal(delivered.body.data.state, 'pending');
  });

  it("are exported with the creator's data, and lose their address with the account", async () => {
    const leaver = await signUp(service, 'Leaver');
    await verifyAddress(service, leaver);
    const petition = await createPublished(leaver);
    await other.api.post(`/v1/petitions/${petition.id}/signatures`);
    const input = { name: 'Grace', email: 'grace-to-erase@example.org' };
    const { body } = await leaver.api.post(listOf(petition), input);
    const message = 'My own words';
    await leaver.api.post(`${listOf(petition)}/${body.data.id}/deliver`, { message });
    const exported = (await leaver.api.get('/v1/users/me/export')).body;
    assert.equal(exported.petitions[0].decision_makers[0].email, input.email);
    assert.equal(exported.deliveries[0].message, message);
    await leaver.api.delete('/v1/users/me', { password: leaver.password });
    const shown = await service.api.get(`/v1/petitions/${petition.id}`);
    assert.equal(shown.body.data.decision_makers[0].name, 'Grace');
    const { db } = service.ctx;
    const [maker] = await db`select email from decision_makers where id = ${body.data.id}`;
    assert.equal(maker!.email, null);
    const [link] = await db`
      select message, failed_at from decision_maker_links where decision_maker_id = ${body.data.id}`;
    assert.equal(link!.message, null);
    assert.ok(link!.failed_at);
  });
});

describe('mails to decision makers', () => {
  it('are limited to 5 a day per address, for all senders together', async () => {
    await using service = await startService({ env: { RATE_LIMITS: 'on' } });
    const statuses: number[] = [];
    for (const person of [await signUp(service, 'One'), await signUp(service, 'Two')]) {
      await verifyAddress(service, person);
      const { id } = await createPublished(person);
      const input = { name: 'Grace', email: 'Grace@example.org' };
      const { body } = await person.api.post(`/v1/petitions/${id}/decision-makers`, input);
      const path = `/v1/petitions/${id}/decision-makers/${body.data.id}/deliver`;
      for (let n = 0; n < 3; n++) statuses.push((await person.api.post(path)).status);
    }
    assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429]);
  });
});
