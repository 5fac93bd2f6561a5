import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../support/eventually.ts';
import { countInsertedSignatures } from '../support/given-signatures.ts';
import { logInAsAdmin, createTokens, createPublished, signUp } from '../support/people.ts';
import { sharedSettings, startProcess } from '../support/process.ts';
import { startService, type Service } from '../support/service.ts';
import { assertCounts } from '../support/signing.ts';
import { assertVerified } from '../support/verify.ts';

const [all, farmed] = [200_000, 50_000];
const network = '5a1fe03b7c';

/** Inserts signatures of the last two days, every fourth from one network. */
async function fill(service: Service, petitionId: string): Promise<void> {
  const { db } = service.ctx;
  const part = all / 10;
  for (let from = 0; from < all; from += part) {
    await db`
      insert into signatures (id, petition_id, user_id, version, is_anonymous, created_at, origin,
        country, device)
      select overlay(replace(gen_random_uuid()::text, '-', '') placing
          lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' from 1 for 13)::uuid,
        ${petitionId}, gen_random_uuid(), 1, false, at,
        case when n % 4 = 0 then ('x' || ${network})::bit(40)::bigint << 24 else n end, 'GB', 'd'
      from generate_series(${from + 1}::integer, ${from + part}::integer) n,
        lateral (select now() - (${all + 100} - n) * interval '0.8 seconds' as at) times`;
  }
  await db`analyze signatures`;
  await countInsertedSignatures(service, petitionId);
}

describe('invalidating 50,000 of 200,000 signatures', () => {
  // Ten seconds on an idle machine.
  const timeout = 180_000;
  it(
    'keeps exact counts while people sign and the worker is killed, and can be undone',
    { timeout },
    async () => {
      await using service = await startService();
      const creator = await signUp(service);
      const admin = await logInAsAdmin(service);
      const petition = await createPublished(creator);
      await fill(service, petition.id);
      const tokens = await createTokens(service, 400);
      const env = sharedSettings(service);
      await using stack = new AsyncDisposableStack();
      const [other, first] = await Promise.all([
        startProcess({ ...env, ROLE: 'web' }),
        startProcess({ ...env, ROLE: 'worker' }),
      ]);
      stack.use(other);
      stack.use(first);

      const ending = new AbortController();
      const { signal } = ending;
      let signed = 0;
      const sign = async (origin: string, from: number) => {
        for (let n = from; n < tokens.length && !signal.aborted; n += 4) {
          const response = await fetch(`${origin}/v1/petitions/${petition.id}/signatures`, {
            method: 'POST',
            headers: { authorization: `Bearer ${tokens[n]}` },
          });
          assert.equal(response.status, 201);
          signed += 1;
          await pause(50);
        }
      };
      let samples = 0;
      const sample = async () => {
        while (!signal.aborted) {
          await assertCounts(service, petition.id);
          samples += 1;
          await pause(100);
        }
      };
      const around = Promise.all([
        ...[service, other, service, other].map(({ origin }, n) => sign(origin, n)),
        sample(),
      ]);
      around.catch(() => ending.abort());

      const path = `/v1/admin/petitions/${petition.id}/invalidations`;
      const rule = { network };
      const preview = await admin.api.post(`${path}/preview`, { rule });
      assert.equal(preview.body.data.matched, farmed);
      const { body } = await admin.api.post(path, { rule, reason: 'One office signed for all' });
      const record = async () => (await admin.api.get(`${path}/${body.data.id}`)).body.data;
      await eventually(async () => (await record()).invalidated > 5_000, 20_000);
      assert.equal(await first.end('SIGKILL'), 'SIGKILL');
      const half = await record();
      assert.ok(half.state === 'applying' && half.invalidated < farmed, JSON.stringify(half));
      await assertCounts(service, petition.id);

      // What the next worker does when the dead one has had no heartbeat for 30 s.
      await service.ctx.db`
      select graphile_worker.force_unlock_workers(array_agg(id)) from job_workers`;
      await using second = await startProcess({ ...env, ROLE: 'worker' });
      await eventually(async () => (await record()).state === 'applied', 30_000);
      assert.equal((await record()).invalidated, farmed);
      assert.match(second.output(), /^Ready/);
      await assertCounts(service, petition.id);

      assert.equal((await admin.api.post(`${path}/${body.data.id}/undo`)).status, 202);
      await eventually(async () => (await record()).state === 'undone', 30_000);
      assert.equal((await record()).restored, farmed);
      ending.abort();
      await around;
      assert.ok(signed > 0 && samples > 2, `${signed} signed, ${samples} samples`);
      await assertCounts(service, petition.id);
      const [row] = await service.ctx.db`
      select signature_count, invalid_signature_count from petitions where id = ${petition.id}`;
      assert.deepEqual({ ...row }, { signature_count: all + signed, invalid_signature_count: 0 });
      await assertVerified(service.databaseUrl);
    },
  );
});
