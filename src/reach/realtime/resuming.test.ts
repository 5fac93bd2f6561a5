import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import {
  createTokens,
  createPublished,
  signUp,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { followOn, type TestWatcher } from '../../../test/support/watcher.ts';
import { transaction } from '../../platform/db.ts';

describe('resuming in real time', () => {
  let service: Service;
  let beside: Service;
  let creator: Person;
  let signer: Person;
  before(async () => {
    service = await startService();
    beside = await startService({ beside: service });
    creator = await signUp(service, 'Creator');
    signer = await signUp(service, 'Signer');
  });
  after(async () => {
    await beside[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  });

  const sign = ({ id }: { id: string }) => signer.api.post(`/v1/petitions/${id}/signatures`);
  const signAll = async (tokens: string[], { id }: { id: string }) => {
    const path = `/v1/petitions/${id}/signatures`;
    await Promise.all(tokens.map((token) => service.api.as(token).post(path)));
  };
  /** Follows on the other process. */
  const follow = (petition: { id: string }, more: object = {}, origin = beside.origin) =>
    followOn(origin, petition, more);

  /** Does the work while a message about a signature is being composed. */
  const whileComposing = <T>(petition: { id: string }, work: () => Promise<T>) => {
    const { main } = service.ctx.pools;
    return transaction(main, async (list) => {
      // The log shows the signature after the list of signatures is locked.
      await transaction(main, async (log) => {
        await log`select pg_current_xact_id()`;
        await sign(petition);
        await list`lock table signatures in access exclusive mode`;
      });
      await eventually(async () => {
        const [row] = await list`
          select count(*)::integer as n from pg_locks
          where relation = 'signatures'::regclass and not granted`;
        return row!.n > 0;
      });
      return work();
    });
  };

  it('sends what was missed to a watcher that comes back', async () => {
    const petition = await createPublished(creator, { signatureGoal: 3 });
    const watcher = await follow(petition);
    await signAll(await createTokens(service, 1), petition);
    const { id: since } = await watcher.next('signature.created');
    watcher[Symbol.dispose]();
    await signAll(await createTokens(service, 4), petition);
    await creator.api.post(`/v1/petitions/${petition.id}/close`);

    using back = await follow(petition, { since }, service.origin);
    assert.deepEqual([back.first.signature_count, back.first.resumed], [5, true]);
    const created = await back.next('signature.created');
    assert.deepEqual([created.added, created.signature_count], [4, 5]);
    assert.equal((await back.next('signature.milestone')).threshold, 3);
    const last = await back.next('petition.closed');
    using again = await follow(petition, { since: last.id });
    assert.equal(again.first.resumed, true);
    for (const unknown of ['of another time', '999999999999-1']) {
      using fresh = await follow(petition, { since: unknown });
      assert.equal(fresh.first.resumed, false);
    }
    // Nothing is sent twice, though the other process may not have read it from the log yet.
    await creator.api.post(`/v1/petitions/${petition.id}/updates`, {
      title: 'News',
      body: 'Soon.',
    });
    await back.next('update.created');
    await again.next('update.created');
    const types = ({ messages }: TestWatcher) => messages.map(({ type }) => type);
    assert.deepEqual(types(back), [
      'subscribed',
      'signature.created',
      'signature.milestone',
      'petition.closed',
      'update.created',
    ]);
    assert.deepEqual(types(again), ['subscribed', 'update.created']);
  });

  it('sends what was missed with its original ids, whatever else happened', async () => {
    const petition = await createPublished(creator);
    using staying = await follow(petition);
    await sign(petition);
    const expected = [await staying.next('signature.created')];
    const path = `/v1/petitions/${petition.id}`;
    await creator.api.patch(path, { title: 'Another title than before' });
    await creator.api.post(`${path}/updates`, { title: 'News', body: 'We were heard.' });
    expected.push(await staying.next('update.created'));
    using back = await follow(petition, { since: staying.first.id });
    assert.deepEqual(
      [await back.next('signature.created'), await back.next('update.created')],
      expected,
    );
  });

  it('sends again what was being sent while a watcher joined and left', async () => {
    const petition = await createPublished(creator, { signatureGoal: 1 });
    using staying = await follow(petition);
    const first = await whileComposing(petition, async () => {
      using watcher = await follow(petition);
      return watcher.first;
    });
    const kinds = ['signature.created', 'signature.milestone'];
    const expected = [await staying.next(kinds[0]!), await staying.next(kinds[1]!)];

    using back = await follow(petition, { since: first.id });
    assert.deepEqual([await back.next(kinds[0]!), await back.next(kinds[1]!)], expected);
  });

  it('does not claim to have resumed if the log does not reach back far enough', async () => {
    const petition = await createPublished(creator);
    using watcher = await follow(petition);
    await sign(petition);
    const { id: since } = await watcher.next('signature.created');
    await creator.api.post(`/v1/petitions/${petition.id}/close`);
    await watcher.next('petition.closed');
    // Events are deleted after a month.
    await service.ctx.pools.main`delete from events`;

    using back = await follow(petition, { since });
    assert.deepEqual([back.first.signature_count, back.first.resumed], [1, false]);
  });
});
