import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  createUsers,
  createPublished,
  signUp,
  type Person,
  type TestUser,
} from '../../../test/support/people.ts';
import { sharedSettings } from '../../../test/support/process.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { assertSums, untilSumsSettled } from '../../../test/support/sums.ts';
import { rebuildAll } from '../../cli/rebuild-sums.ts';

const noProgress = { show() {}, clear() {} };

describe('rebuilding sums', () => {
  let service: Service;
  let creator: Person;
  before(async () => {
    service = await startService({ worker: true });
    creator = await signUp(service);
  });
  after(() => service[Symbol.asyncDispose]());

  const run = (...args: string[]) =>
    new Promise<{ code: unknown; output: string }>((resolve) => {
      const script = fileURLToPath(new URL('../../cli/rebuild-sums.ts', import.meta.url));
      const env = { PATH: process.env.PATH, ...sharedSettings(service) };
      execFile(process.execPath, [script, ...args], { env }, (error, stdout, stderr) =>
        resolve({ code: error?.code ?? 0, output: stdout + stderr }),
      );
    });

  it('reports and repairs differences', async () => {
    const petition = await createPublished(creator);
    for (const { api } of await createUsers(service, 3)) {
      await api.post(`/v1/petitions/${petition.id}/signatures`, { display_location: 'Leeds, GB' });
    }
    await untilSumsSettled(service);
    const checked = await run('--check');
    assert.deepEqual(checked, {
      code: 0,
      output: 'The sums of 1 petitions are those of their signatures.\n',
    });
    const { db } = service.ctx;
    await db`update signature_hours set count = count + 1`;
    await db`delete from signature_place_hours`;
    await db`update signature_region_days set region = 'FR'`;
    await db`update signature_source_days set source = 'elsewhere'`;
    await db`update all_country_days set count = 7`;
    const wrong = await run('--check');
    assert.equal(wrong.code, 1);
    assert.match(
      wrong.output,
      new RegExp(`petition ${petition.id}: 6\\nall petitions together: 3`),
    );
    assert.equal((await run()).code, 0);
    await assertSums(service);
  });

  it('is exact while people sign and withdraw', async () => {
    const petitions = [await createPublished(creator), await createPublished(creator)];
    const people = await createUsers(service, 4);
    const stopping = new AbortController();
    let signings = 0;
    const signAndWithdraw = async ({ api }: TestUser, n: number) => {
      const input = { display_location: n % 2 ? 'Leeds, GB' : 'Lyon, FR' };
      const paths = petitions.map(({ id }) => `/v1/petitions/${id}/signatures`);
      for (; !stopping.signal.aborted; signings += 1) {
        for (const path of paths) assert.equal((await api.post(path, input)).status, 201);
        for (const path of paths) assert.equal((await api.delete(`${path}/me`)).status, 204);
      }
      for (const path of paths) assert.equal((await api.post(path, input)).status, 201);
    };
    const signing = Promise.all(people.map(signAndWithdraw));
    signing.catch(() => stopping.abort());
    for (let round = 0; round < 3; round += 1) {
      await rebuildAll(service.ctx, noProgress);
      await assertSums(service);
    }
    stopping.abort();
    await signing;
    assert.ok(signings > 10, `${signings}`);
    await untilSumsSettled(service);
    await assertSums(service);
    const [row] = await service.ctx.db`
      select sum(count)::int as n from signature_hours
      where petition_id in (${petitions[0].id}, ${petitions[1].id})`;
    assert.equal(row!.n, people.length * petitions.length);
  });
});
