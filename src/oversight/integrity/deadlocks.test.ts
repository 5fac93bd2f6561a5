import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  logInAsAdmin,
  createTokens,
  createPublished,
  signUp,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { assertCounts, invalidateBy, signFrom, undo } from '../../../test/support/signing.ts';
import { openPool, type Pool } from '../../platform/db.ts';

describe('transactions on signatures that end in a deadlock', () => {
  let service: Service;
  let other: Pool;
  let admin: Person;
  const log: string[] = [];
  before(async () => {
    const env = { TRUST_PROXY: '127.0.0.1', LOG_LEVEL: 'warn' };
    service = await startService({ worker: true, env, log });
    other = openPool(service.databaseUrl, { name: 'test', max: 1 });
    admin = await logInAsAdmin(service);
  });
  after(async () => {
    await other.end();
    await service[Symbol.asyncDispose]();
  });

  const signedOnce = async () => {
    const petition = await createPublished(await signUp(service));
    const [token] = await createTokens(service, 1);
    const { body } = await signFrom(service, token!, petition, { ip: '185.220.101.7' });
    return { petition, signatureId: body.data.id as string };
  };
  /**
   * Runs the work while another transaction locks its signature and, half a second after the work waits for
   * that, its petition. PostgreSQL cancels the transaction that first has waited for a second: the service's. On a machine
   * that stood still in between it is the other one, and the service goes on.
   */
  const withDeadlock = async <T>(
    { petition, signatureId }: Awaited<ReturnType<typeof signedOnce>>,
    work: () => Promise<T>,
  ): Promise<T> => {
    let working: Promise<T> | undefined;
    await other.begin(async (tx) => {
      await tx`select from signatures where id = ${signatureId} for update`;
      working = work();
      // One statement, so that a busy machine cannot delay its steps.
      await tx.unsafe(`do $$ begin
        loop
          perform pg_stat_clear_snapshot();
          exit when exists (
            select from pg_stat_activity where pg_backend_pid() = any(pg_blocking_pids(pid)));
          perform pg_sleep(0.01);
        end loop;
        perform pg_sleep(0.5);
        perform from petitions where id = '${petition.id}' for update;
      exception when deadlock_detected then null;
      end $$`);
    });
    return working!;
  };

  it('are retried when an administrator removes a signature', async () => {
    const signed = await signedOnce();
    const path = `/v1/admin/signatures/${signed.signatureId}`;
    const { status } = await withDeadlock(signed, () =>
      admin.api.delete(path, { reason: 'Bought' }),
    );
    assert.equal(status, 204);
    await assertCounts(service, signed.petition.id);
  });

  it('are retried at once when a rule is applied or undone', async () => {
    const signed = await signedOnce();
    const long = { from: '2020-01-01T00:00:00Z' };
    const rule = await withDeadlock(signed, () => invalidateBy(admin, signed.petition, long));
    assert.equal(rule.invalidated, 1);
    const undone = await withDeadlock(signed, () => undo(admin, rule));
    assert.equal(undone.restored, 1);
    await assertCounts(service, signed.petition.id);
    assert.deepEqual(
      log.filter((line) => line.includes('deadlock')),
      [],
    );
  });
});
