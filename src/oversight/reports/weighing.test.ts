import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import {
  createPublished,
  createUserIds,
  createUsers,
  logInAsAdmin,
  signUp,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { newId } from '../../platform/ids.ts';

describe('reports that weigh', () => {
  let service: Service;
  let creator: Person;
  before(async () => {
    service = await startService({ env: { TRUST_PROXY: '127.0.0.1' } });
    creator = await signUp(service, 'Creator');
  });
  after(() => service[Symbol.asyncDispose]());

  const report = (token: string, petition: { id: string }, ip: string, by = service) =>
    by.api
      .as(token)
      .with({ 'x-forwarded-for': ip })
      .post('/v1/reports', { target_type: 'petition', target_id: petition.id, reason: 'spam' });
  const statusOf = async ({ id }: { id: string }) =>
    (await creator.api.get(`/v1/petitions/${id}`)).body.data.status;
  /** Reports with new accounts, one from each of the addresses. */
  const reportFrom = async (petition: { id: string }, addresses: string[], by = service) => {
    const users = await createUsers(service, addresses.length);
    for (const [n, { token }] of users.entries()) {
      assert.equal((await report(token, petition, addresses[n]!, by)).status, 201);
    }
    return users;
  };
  const networks = (count: number, from = 1) =>
    Array.from({ length: count }, (_, n) => `81.2.${from + n}.1`);

  it('are of verified addresses', async () => {
    const petition = await createPublished(creator);
    for (let n = 0; n < 6; n += 1) {
      const { accessToken } = await signUp(service, 'Throwaway');
      assert.equal((await report(accessToken, petition, `81.3.${n}.1`)).status, 201);
    }
    assert.equal(await statusOf(petition), 'active');
    await reportFrom(petition, networks(4));
    assert.equal(await statusOf(petition), 'active');
    await reportFrom(petition, networks(1, 9));
    assert.equal(await statusOf(petition), 'under_review');
  });

  it('are two at most of one network', async () => {
    const petition = await createPublished(creator);
    const farm = Array.from({ length: 20 }, (_, n) => `185.220.101.${n}`);
    await reportFrom(petition, [...farm, '2001:db8:1:1::1', '2001:db8:1:2::1', '2001:db8:1:3::1']);
    assert.equal(await statusOf(petition), 'active');
    await reportFrom(petition, networks(1));
    assert.equal(await statusOf(petition), 'under_review');
  });

  it('are of accounts that are a day old in production, and 50 after an approval', async () => {
    await using production = await startService({
      beside: service,
      env: {
        NODE_ENV: 'production',
        MAIL: 'files',
        BASE_URL: 'https://petitions.test',
        TRUST_PROXY: '127.0.0.1',
        RATE_LIMITS: 'on',
      },
    });
    const petition = await createPublished(creator);
    const { tokens } = production.app.sessions;
    /** Reports with these accounts, each from a network of its own. */
    const reportLater = async (to: { id: string }, ids: string[], third: number) => {
      for (const [n, id] of ids.entries()) {
        const token = await tokens.issueAccessToken(id, newId());
        assert.equal((await report(token, to, `81.${third}.${n}.1`, production)).status, 201);
      }
    };
    await reportLater(petition, await createUserIds(service, 20), 4);
    assert.equal(await statusOf(petition), 'active');
    production.advanceClock(23 * 3_600_000);
    await reportLater(petition, await createUserIds(service, 10), 5);
    assert.equal(await statusOf(petition), 'active');
    const second = await createPublished(creator);
    const five = await createUserIds(service, 5);
    production.advanceClock(2 * 3_600_000);
    await reportLater(second, five.slice(0, 4), 6);
    assert.equal(await statusOf(second), 'active');
    await reportLater(second, five.slice(4), 8);
    // The other process has cached the petition.
    await eventually(async () => (await statusOf(second)) === 'under_review');
    const admin = await logInAsAdmin(service);
    const path = `/v1/admin/petitions/${second.id}/approve`;
    assert.equal((await admin.api.post(path)).status, 200);
    await reportLater(second, await createUserIds(service, 10), 7);
    assert.equal(await statusOf(second), 'active');
    const queue = await admin.api.get('/v1/admin/reports?limit=100');
    const open = queue.body.data.find((one: { target_id: string }) => one.target_id === second.id);
    assert.equal(open.open_reports, 10);
  });

  it('keep the network, keyed, until they are decided', async () => {
    const petition = await createPublished(creator);
    await reportFrom(petition, networks(1));
    const read = () => service.ctx.db`select network from reports where target_id = ${petition.id}`;
    const [open] = await read();
    assert.equal((open!.network as Buffer).length, 16);
    const admin = await logInAsAdmin(service);
    const queue = await admin.api.get('/v1/admin/reports?limit=100');
    const { id } = queue.body.data.find(
      (one: { target_id: string }) => one.target_id === petition.id,
    );
    await admin.api.post(`/v1/admin/reports/${id}/action`, { action: 'dismiss' });
    assert.deepEqual(
      (await read()).map(({ network }) => network),
      [null],
    );
  });
});
