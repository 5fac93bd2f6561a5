import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  createDraft,
  createPublished,
  createUsers,
  petitionInput,
  signUp,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

const dayMs = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * dayMs).toISOString();

describe('closing dates', () => {
  let service: Service;
  let creator: Person;
  before(async () => {
    service = await startService();
    creator = await signUp(service, 'Creator');
  });
  after(() => service[Symbol.asyncDispose]());

  const change = (petition: { id: string }, body: object, headers = {}) =>
    creator.api.patch(`/v1/petitions/${petition.id}`, body, { headers });

  /** Moves the date into the past, as if time had gone by. */
  const pass = (petition: { id: string }) => service.ctx.db`
    update petitions set closes_at = now() - interval '1 second' where id = ${petition.id}`;

  it('are set, changed and taken away', async () => {
    const none = await createDraft(creator);
    assert.equal(none.closes_at, null);
    const first = '2100-12-03T23:59:59.900Z';
    const petition = await createPublished(creator, { closesAt: '2100-12-04T00:59:59.9+01:00' });
    assert.equal(petition.closes_at, first);
    const listed = await creator.api.get(`/v1/petitions?ids=${petition.id}`);
    assert.equal(listed.body.data[0].closes_at, first);
    const moved = await change(petition, { closesAt: '2101-01-01T00:00:00Z' });
    assert.equal(moved.body.data.closes_at, '2101-01-01T00:00:00.000Z');
    const same = await change(petition, { closesAt: '2101-01-01T01:00:00+01:00' });
    assert.equal(same.status, 200);
    const cleared = await change(petition, { closesAt: null });
    assert.equal(cleared.body.data.closes_at, null);
    const [{ n }] = (await service.ctx.db`
      select count(*)::int as n from events
      where petition_id = ${petition.id} and type = 'petition.updated'
        and data ->> 'fields' = 'closes_at'`) as unknown as [{ n: number }];
    assert.equal(n, 2, 'the same moment is no change');
  });

  it('lie in the future', async () => {
    const draft = await createDraft(creator);
    for (const closesAt of [
      new Date(Date.now() - 1000).toISOString(),
      '9999-12-31T23:59:59-23:00',
      '2100-12-31T23:59:60Z',
      '2100-12-03',
      'tomorrow',
      5,
    ]) {
      for (const { status, body } of [
        await creator.api.post('/v1/petitions', { ...petitionInput, closesAt }),
        await change(draft, { closesAt }),
      ]) {
        assert.equal(status, 422, String(closesAt));
        assert.deepEqual(
          body.errors.map(({ field }: { field: string }) => field),
          ['closesAt'],
        );
      }
    }
  });

  it('are a part of the revision', async () => {
    const draft = await createDraft(creator);
    const { headers } = await creator.api.get(`/v1/petitions/${draft.id}`);
    const tag = { 'if-match': headers.get('etag')! };
    assert.equal((await change(draft, { closesAt: inDays(5) }, tag)).status, 200);
    assert.equal((await change(draft, { closesAt: inDays(6) }, tag)).status, 412);
  });

  it('keep a draft from being published once they have passed', async () => {
    const draft = await createDraft(creator, { closesAt: inDays(1) });
    await pass(draft);
    const publish = () => creator.api.post(`/v1/petitions/${draft.id}/publish`);
    const refused = await publish();
    assert.deepEqual([refused.status, refused.body.code], [409, 'closing_date_passed']);
    assert.equal((await change(draft, { closesAt: inDays(1) })).status, 200);
    assert.equal((await publish()).status, 200);
  });

  it('refuse signatures from then on, before the petition is closed', async () => {
    const petition = await createPublished(creator, { closesAt: inDays(1) });
    const [early, late] = await createUsers(service, 2);
    const path = `/v1/petitions/${petition.id}`;
    assert.equal((await early!.api.post(`${path}/signatures`)).status, 201);
    await pass(petition);
    const { status, body } = await late!.api.post(`${path}/signatures`);
    assert.deepEqual([status, body.code], [409, 'invalid_state']);
    const fresh = await startService({ beside: service });
    await using _ = fresh;
    const read = (await fresh.api.get(path)).body.data;
    assert.deepEqual(
      [read.status, read.closed_at, read.signature_count],
      ['closed', read.closes_at, 1],
    );
    const pending = await fresh.api.post(`${path}/signatures/pending`, {
      display_name: 'Late',
      email: 'late@example.org',
    });
    assert.deepEqual([pending.status, pending.body.code], [409, 'invalid_state']);
    const withdrawn = await early!.api.delete(`${path}/signatures/me`);
    assert.notEqual(withdrawn.status, 409);
  });

  it('are settled when the petition has ended, and while moderators look at it', async () => {
    const expect409 = async (petition: { id: string }) => {
      for (const closesAt of [inDays(3), null]) {
        const { status, body } = await change(petition, { closesAt });
        assert.deepEqual([status, body.code], [409, 'invalid_state']);
      }
    };
    for (const end of ['close', 'victory']) {
      const petition = await createPublished(creator, { closesAt: inDays(2) });
      await creator.api.post(`/v1/petitions/${petition.id}/${end}`);
      await expect409(petition);
      const unchanged = { title: 'Another title', closesAt: petition.closes_at };
      assert.equal((await change(petition, unchanged)).status, 200);
    }
    const due = await createPublished(creator, { closesAt: inDays(2) });
    await pass(due);
    await expect409(due);
    const hidden = await createPublished(creator, { closesAt: inDays(2) });
    await service.ctx.db`update petitions set status = 'under_review' where id = ${hidden.id}`;
    await expect409(hidden);
  });
});
