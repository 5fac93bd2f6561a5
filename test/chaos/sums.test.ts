import assert from 'node:assert/strict';
import { it } from 'node:test';
import { eventually } from '../support/eventually.ts';
import {
  logInAsAdmin,
  createUsers,
  createPublished,
  signUp,
  type TestUser,
} from '../support/people.ts';
import { sharedSettings, startProcess } from '../support/process.ts';
import { startService } from '../support/service.ts';
import { assertSums, untilSumsSettled } from '../support/sums.ts';
import { assertVerified } from '../support/verify.ts';

const [crowd, maxActions, connections] = [1500, 20_000, 32];
const places = ['Leeds, GB', 'York', 'Lyon, FR', 'Springfield, IL, USA', 'Texas', 'münchen', null];
const sources = ['newsletter', 'https://www.facebook.com/x', undefined, 'leaflet'];

const pick = <T>(items: readonly T[]): T => items[Math.floor(Math.random() * items.length)]!;

// A minute on an idle machine.
it(
  'sums equal a recount after 20,000 random actions on several processes and a killed worker',
  { timeout: 900_000 },
  async () => {
    await using service = await startService({ env: { TRUST_PROXY: '127.0.0.1' } });
    const creator = await signUp(service);
    const admin = await logInAsAdmin(service);
    const petitions = [
      await createPublished(creator),
      await createPublished(creator),
      await createPublished(creator),
    ];
    const people = await createUsers(service, crowd);
    const farmed = people.filter((_, n) => n % 3 === 0).map(({ id }) => id);
    await service.ctx.db`
      update users set email = id || '@farm.example' where id = any(${farmed}::uuid[])`;
    const env = { ...sharedSettings(service), TRUST_PROXY: '127.0.0.1' };
    await using one = await startProcess({ ...env, ROLE: 'web' });
    await using two = await startProcess({ ...env, ROLE: 'web' });
    await using victim = await startProcess({ ...env, ROLE: 'worker' });
    const origins = [service.origin, one.origin, two.origin];

    const call = (method: string, path: string, { token }: { token: string }, body?: object) =>
      fetch(pick(origins) + path, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          // In Great Britain and the United States.
          'x-forwarded-for': `${pick(['81.2.69', '8.8.4'])}.${Math.floor(Math.random() * 250)}`,
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
      });
    const act = async (person: TestUser) => {
      const path = `/v1/petitions/${pick(petitions).id}/signatures`;
      if (Math.random() < 0.35) return call('DELETE', `${path}/me`, person);
      const [location, source] = [pick(places), pick(sources)];
      return call('POST', path, person, {
        ...(location && { display_location: location }),
        ...(source && { source }),
      });
    };

    const statuses = new Map<number, number>();
    let done = 0;
    const isRunning = () => done < maxActions;
    const connection = async () => {
      while (isRunning()) {
        done += 1;
        const { status } = await act(pick(people));
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    const invalidations = async () => {
      for (let round = 0; isRunning(); round += 1) {
        const path = `/v1/admin/petitions/${pick(petitions).id}/invalidations`;
        const rule = pick([{ country: 'US' }, { domain: 'farm.example' }]);
        const { status, body } = await admin.api.post(path, { rule, reason: 'Chaos' });
        assert.equal(status, 202, JSON.stringify(body));
        const state = async () =>
          (await admin.api.get(`${path}/${body.data.id}`)).body.data.state as string;
        await eventually(async () => (await state()) === 'applied', 300_000);
        if (round % 3 === 0) continue;
        assert.equal((await admin.api.post(`${path}/${body.data.id}/undo`)).status, 202);
        await eventually(async () => (await state()) === 'undone', 300_000);
      }
    };
    const crowds = Promise.all([
      ...Array.from({ length: connections }, connection),
      invalidations(),
    ]);
    await eventually(() => done > maxActions / 3, 600_000);
    assert.equal(await victim.end('SIGKILL'), 'SIGKILL');
    // What the next worker does when the dead one has had no heartbeat for 30 s.
    await service.ctx.db`
      select graphile_worker.force_unlock_workers(array_agg(id)) from job_workers`;
    await using next = await startProcess({ ...env, ROLE: 'worker' });
    await crowds;
    assert.match(next.output(), /^Ready/);
    assert.deepEqual(
      [...statuses.keys()].filter((status) => ![201, 204, 404, 409].includes(status)),
      [],
      [one, two].map((process) => process.output()).join('\n'),
    );
    assert.ok(statuses.get(201)! > 2000 && statuses.get(204)! > 500, JSON.stringify([...statuses]));

    await untilSumsSettled(service, 120_000);
    await assertSums(service);
    const [row] = await service.ctx.db`
      select (select sum(count) from signature_hours)::int as summed,
        (select sum(count) from all_country_days)::int as overall,
        (select sum(count) from signature_source_days)::int as sources,
        (select count(*) from signatures where invalidated_by is null)::int as rows,
        (select sum(signature_count) from petitions)::int as counted`;
    const { rows, ...sums } = row!;
    assert.deepEqual(sums, { summed: rows, overall: rows, sources: rows, counted: rows });
    // Responses are computed from the sums, and from petitions that are cached for a second.
    for (const { id, slug } of petitions) {
      await eventually(async () => {
        const { body } = await service.api.get(`/v1/petitions/${slug}/history`);
        const petition = await service.api.get(`/v1/petitions/${id}`);
        return body.data.at(-1).cumulative === petition.body.data.signature_count;
      });
    }
    await assertVerified(service.databaseUrl);
  },
);
