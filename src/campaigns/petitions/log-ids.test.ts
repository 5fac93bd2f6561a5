import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { createDraft, createPublished, signUp, type Person } from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe('ids in the public log', () => {
  let service: Service;
  let creator: Person;
  before(async () => {
    service = await startService({ worker: true });
    creator = await signUp(service, 'Creator');
  });
  after(() => service[Symbol.asyncDispose]());

  const storedId = ({ id }: { id: string }) =>
    service.ctx.db.value<string | null>`select log_id from petitions where id = ${id}`;
  /** The id that a single read and the list of the creator's petitions show. */
  const shownIds = async ({ id }: { id: string }, { api } = creator) => {
    const read = await api.get(`/v1/petitions/${id}`);
    assert.equal(read.status, 200);
    const list = await api.get(`/v1/petitions?creatorId=${creator.id}&limit=100`);
    const listed = list.body.data.find((one: { id: string }) => one.id === id);
    return [read.body.data.log_id, listed.log_id];
  };

  it('are shown of public petitions, in reads, lists, search and exports', async () => {
    const title = 'Bring back the marmot crossing';
    const petition = await createPublished(creator, { title });
    const logId = await storedId(petition);
    assert.match(logId!, uuid);
    assert.notEqual(logId, petition.id);
    assert.equal(petition.log_id, logId);
    assert.deepEqual(await shownIds(petition), [logId, logId]);
    const paths = [
      '/v1/petitions?limit=100',
      `/v1/petitions?ids=${petition.id}`,
      '/v1/search/petitions?q=marmot',
      '/v1/petitions/similar?title=marmot+crossing',
    ];
    for (const path of paths) {
      await eventually(async () => {
        const { body } = await service.api.get(path);
        return body.data.some((one: { id: string; log_id: string }) => one.log_id === logId);
      });
    }
  });

  it('are not shown of drafts, private and unlisted petitions', async () => {
    assert.deepEqual(await shownIds(await createDraft(creator)), [null, null]);
    for (const visibility of ['private', 'unlisted']) {
      const petition = await createPublished(creator, { visibility });
      assert.match((await storedId(petition))!, uuid);
      assert.deepEqual(await shownIds(petition), [null, null]);
    }
    const petition = await createPublished(creator);
    const change = (visibility: string) =>
      creator.api.patch(`/v1/petitions/${petition.id}`, { visibility });
    assert.equal((await change('unlisted')).body.data.log_id, null);
    assert.equal((await change('public')).body.data.log_id, petition.log_id);
  });

  it('are in events from the publication on', async () => {
    const person = await signUp(service, 'Reader of events');
    const petition = await createPublished(person);
    const events = () => person.api.get('/v1/events');
    await eventually(async () => (await events()).body.data.length === 2);
    const { body } = await events();
    assert.deepEqual(
      body.data.map(({ type, data }: { type: string; data: { log_id: string } }) => [
        type,
        data.log_id,
      ]),
      [
        ['petition.created', null],
        ['petition.published', petition.log_id],
      ],
    );
  });

  it('are null where the service keeps no log', async () => {
    const petition = await createPublished(creator);
    await using without = await startService({ beside: service, env: { LOG: 'off' } });
    const { body } = await without.api.get(`/v1/petitions/${petition.id}`);
    assert.equal(body.data.log_id, null);
  });

  it('are given to petitions of earlier versions', async () => {
    const [older, newer] = [await createPublished(creator), await createPublished(creator)];
    const { main } = service.ctx.pools;
    await main`update petitions set log_id = null where id = ${older.id}`;
    assert.deepEqual(await shownIds(older), [null, null]);
    await main`delete from backfills where name = 'petition-log-ids'`;
    await using _ = await startService({ beside: service, worker: true });
    await eventually(async () => (await storedId(older)) !== null);
    const given = await storedId(older);
    assert.notEqual(given, older.log_id);
    await eventually(async () => (await shownIds(older)).every((id) => id === given));
    assert.equal(await storedId(newer), newer.log_id);
  });
});
