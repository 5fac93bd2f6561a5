import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { databaseNamed } from '../../../test/support/database.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { waitingForLocks } from '../../../test/support/locks.ts';
import { manyTokens, published, signUp, type Person } from '../../../test/support/people.ts';
import { besides, startProcess } from '../../../test/support/process.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { followOn } from '../../../test/support/watcher.ts';
import { openPool, transaction } from '../../platform/db.ts';

describe("a watcher's count", () => {
  let service: Service;
  let creator: Person;
  let signer: Person;
  before(async () => {
    service = await startService();
    creator = await signUp(service, 'Creator');
    signer = await signUp(service, 'Signer');
  });
  after(() => service[Symbol.asyncDispose]());

  /**
   * Does the work while a message about a first signature has been written but for the list of new signatures, with
   * a count of 1.
   */
  const whileComposing = async (petition: { id: string }, work: () => Promise<void>) => {
    const { main } = service.ctx.pools;
    await transaction(main, async (list) => {
      // The event shows once nobody can read the list of signatures any more.
      await transaction(main, async (log) => {
        await log`select pg_current_xact_id()`;
        await signer.api.post(`/v1/petitions/${petition.id}/signatures`);
        await list`lock table signatures in access exclusive mode`;
      });
      await eventually(async () => (await waitingForLocks(list)) > 0);
      await work();
    });
  };
  const setCount = (petition: { id: string }, count: number) =>
    service.ctx.pools.main`
      update petitions set signature_count = ${count} where id = ${petition.id}`;

  for (const { what, count } of [
    { what: 'rise, and does not go back', count: 9 },
    { what: 'fall, and does not go back', count: 0 },
  ]) {
    it(`of one who joins is the newest: others saw it ${what}`, async () => {
      const petition = await published(creator);
      using staying = await followOn(service.origin, petition);
      const joining: ReturnType<typeof followOn>[] = [];
      await whileComposing(petition, async () => {
        await setCount(petition, count);
        joining.push(followOn(service.origin, petition));
        await joining[0];
        // It is told after the list could be read.
        joining.push(followOn(service.origin, petition, { since: staying.first.id }));
      });
      for (const watcher of await Promise.all(joining)) {
        using _ = watcher;
        assert.equal(watcher.first.signature_count, count);
        const created = await watcher.next('signature.created');
        assert.deepEqual([created.signature_count, created.added], [count, 1]);
        assert.equal(created.signatures[0].user.id, signer.id);
      }
      const created = await staying.next('signature.created');
      assert.deepEqual([created.signature_count, created.added], [1, 1]);
      await setCount(petition, 1);
    });
  }
});
