import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  createDraft,
  logInAsAdmin,
  createUsers,
  createTokens,
  createPublished,
  signUp,
  type Person,
  type TestUser,
} from '../../../test/support/people.ts';
import type { Client } from '../../../test/support/client.ts';
import { codeFor, exchangeCode, registerClient } from '../../../test/support/oauth.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { waitingForLocks } from '../../../test/support/locks.ts';
import { transaction, type Tx } from '../../platform/db.ts';
import { newId } from '../../platform/ids.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { channels } from './schema.ts';
import { countSharesOfPetition } from './shares.ts';

const day = 86_400_000;

describe('shares', () => {
  let service: Service;
  let creator: TestUser;
  before(async () => {
    service = await startService();
    [creator] = (await createUsers(service, 1)) as [TestUser];
  });
  after(() => service[Symbol.asyncDispose]());

  const sharesPath = ({ id }: { id: string }) => `/v1/petitions/${id}/shares`;
  const people = (count: number) => createUsers(service, count);
  const share = async ({ api }: { api: Client }, petition: { id: string }, channel = 'x') => {
    const { status, body } = await api.post(sharesPath(petition), { channel });
    assert.equal(status, 201, JSON.stringify(body));
    return body.data;
  };
  const readLeaderboard = async (
    petition: { id: string },
    { api }: { api: Client } = service,
    query = '',
  ) => {
    const { status, body } = await api.get(`/v1/petitions/${petition.id}/leaderboard${query}`);
    assert.equal(status, 200);
    return body.data;
  };
  const countShares = (petition: { id: string }) =>
    countSharesOfPetition(service.ctx.db, petition.id);
  /** Asserts that the levels, which ranks are derived from, agree with the sharers. */
  const assertLevels = async (petition: { id: string }) => {
    const [levels, sharers] = await Promise.all([
      service.ctx.db`
        select share_count, sharers from sharer_levels
        where petition_id = ${petition.id} and sharers <> 0 order by share_count`,
      service.ctx.db`
        select share_count, count(*)::integer as sharers from sharers
        where petition_id = ${petition.id} and not hidden group by 1 order by 1`,
    ]);
    assert.deepEqual([...levels], [...sharers]);
  };

  it('return one permanent link per user and channel', async () => {
    const petition = await createPublished(creator);
    const [ada, bob] = (await people(2)) as [TestUser, TestUser];
    const first = await share(ada, petition, 'whatsapp');
    assert.match(first.ref, /^[0-9A-Za-z]{10}$/);
    assert.deepEqual(first, {
      share_url: `http://petitions.test/p/${petition.slug}?ref=${first.ref}`,
      ref: first.ref,
    });
    assert.deepEqual(await share(ada, { id: petition.slug }, 'whatsapp'), first);
    assert.deepEqual(await share(ada, petition, 'whatsapp'), first);
    const others = [await share(ada, petition, 'qr'), await share(bob, petition, 'whatsapp')];
    assert.equal(new Set([first, ...others].map(({ ref }) => ref)).size, 3);
    assert.equal((await service.api.get(new URL(first.share_url).pathname)).status, 200);
  });

  it('take every channel of the schema', async () => {
    const petition = await createPublished(creator);
    const [ada] = (await people(1)) as [TestUser];
    for (const channel of channels) await share(ada, petition, channel);
    const { body } = await ada.api.get(`${sharesPath(petition)}/mine`);
    assert.deepEqual(
      body.data.map((one: { channel: string }) => one.channel),
      channels,
    );
  });

  it('count once per channel and day', async () => {
    // A service of its own, whose clock is advanced.
    await using aging = await startService();
    const [owner] = (await createUsers(aging, 1)) as [TestUser];
    const petition = await createPublished(owner);
    const today = () => aging.ctx.now().toISOString().slice(0, 10);
    const logIn = async () =>
      aging.api.as(await aging.app.sessions.tokens.issueAccessToken(owner.id, newId()));
    const days = [];
    for (const total of [2, 4]) {
      const api = await logIn();
      for (const channel of ['x', 'email', 'x', 'email']) await share({ api }, petition, channel);
      const { currentUserShareCount, totalShares } = await readLeaderboard(petition, { api });
      assert.deepEqual([currentUserShareCount, totalShares], [total, total]);
      days.push(today());
      aging.advanceClock(day);
    }
    const { body } = await (await logIn()).get(`${sharesPath(petition)}/mine`);
    assert.deepEqual(
      body.data.map((one: Record<string, unknown>) => [one.channel, one.share_count]),
      [
        ['x', 2],
        ['email', 2],
      ],
    );
    const { db } = aging.ctx;
    const [first, second] = days as [string, string];
    assert.equal(await countSharesOfPetition(db, petition.id, { from: first, to: first }), 2);
    assert.equal(await countSharesOfPetition(db, petition.id, { from: second }), 2);
    assert.equal(await countSharesOfPetition(db, petition.id, { to: second }), 4);
  });

  it('count once for 100 concurrent requests to two processes', async () => {
    await using beside = await startService({ beside: service });
    const petition = await createPublished(creator);
    const [ada] = (await people(1)) as [TestUser];
    const otherProcess = { api: beside.api.as(ada.token) };
    for (const many of [100, 100]) {
      const links = await Promise.all(
        Array.from({ length: many }, (_, n) => share(n % 2 ? ada : otherProcess, petition)),
      );
      assert.equal(new Set(links.map(({ ref }) => ref)).size, 1);
      const { currentUserShareCount, totalShares } = await readLeaderboard(petition, ada);
      assert.deepEqual([currentUserShareCount, totalShares], [1, 1]);
      assert.equal(await countShares(petition), 1);
    }
    // Shares of different users all count.
    const crowd = await people(50);
    await Promise.all(
      crowd.flatMap((one) => ['x', 'qr', 'link'].map((channel) => share(one, petition, channel))),
    );
    assert.equal((await readLeaderboard(petition, ada)).totalShares, 151);
    assert.equal(await countShares(petition), 151);
    const { topSharers } = await readLeaderboard(petition, ada, '?limit=100');
    assert.equal(topSharers.length, 51);
    assert.equal(topSharers.at(-1).userId, ada.id);
    await assertLevels(petition);
  });

  it('are allowed for petitions that others can read', async () => {
    const [ada] = (await people(1)) as [TestUser];
    const unpublished = await createDraft(creator);
    const early = await creator.api.post(sharesPath(unpublished), { channel: 'x' });
    assert.deepEqual([early.status, early.body.code], [409, 'invalid_state']);
    assert.equal((await ada.api.post(sharesPath(unpublished), { channel: 'x' })).status, 404);
    const bad = await ada.api.post(sharesPath(unpublished), { channel: 'myspace' });
    assert.deepEqual([bad.status, bad.body.errors[0].field], [422, 'channel']);
    assert.equal((await ada.api.post(sharesPath(unpublished), {})).status, 422);

    const hidden = await createPublished(creator, { visibility: 'private' });
    const { access_code: code } = (await creator.api.get(`/v1/petitions/${hidden.id}`)).body.data;
    const refused = await ada.api.post(sharesPath(hidden), { channel: 'x' });
    assert.deepEqual([refused.status, refused.body.code], [403, 'access_code_required']);
    const shared = await ada.api.post(`${sharesPath(hidden)}?access_code=${code}`, {
      channel: 'x',
    });
    assert.equal(shared.status, 201);
    assert.ok(!shared.body.data.share_url.includes(code));
    assert.equal((await ada.api.get(`${sharesPath(hidden)}/mine`)).status, 403);
    assert.equal((await ada.api.get(`${sharesPath(hidden)}/mine?access_code=${code}`)).status, 200);
    assert.equal((await ada.api.get(`/v1/petitions/${hidden.id}/leaderboard`)).status, 403);

    const closed = await createPublished(creator);
    await creator.api.post(`/v1/petitions/${closed.id}/close`);
    await share(ada, closed);
    const gone = await createPublished(creator);
    await share(ada, gone);
    await creator.api.delete(`/v1/petitions/${gone.id}`);
    assert.equal((await ada.api.post(sharesPath(gone), { channel: 'x' })).status, 404);
    for (const path of ['shares/mine', 'leaderboard']) {
      assert.equal((await ada.api.get(`/v1/petitions/${gone.id}/${path}`)).status, 404);
    }
  });

  it('of anonymous callers have a common link and are not in the leaderboard', async () => {
    const petition = await createPublished(creator);
    const links = await Promise.all(Array.from({ length: 30 }, () => share(service, petition)));
    assert.equal(new Set(links.map(({ ref }) => ref)).size, 1);
    assert.notEqual((await share(service, petition, 'qr')).ref, links[0].ref);
    const { topSharers, totalShares, ...more } = await readLeaderboard(petition);
    assert.deepEqual([topSharers, totalShares, more], [[], 0, {}]);
    assert.equal(await countShares(petition), 31);
    const [{ n }] = await service.ctx.db<[{ n: number }]>`
      select count(*)::integer as n from shares where petition_id = ${petition.id}`;
    assert.equal(n, 2);
  });

  it('of anonymous callers are counted at most ten times an hour per address', async () => {
    await using limited = await startService({
      env: { RATE_LIMITS: 'on', TRUST_PROXY: '127.0.0.1' },
    });
    const [owner] = (await createUsers(limited, 1)) as [TestUser];
    const petition = await createPublished(owner);
    const from = (ip: string) => ({ api: limited.api.with({ 'x-forwarded-for': ip }) });
    const links = [];
    for (let n = 0; n < 15; n += 1) links.push(await share(from('192.0.2.1'), petition));
    assert.equal(new Set(links.map(({ ref }) => ref)).size, 1);
    // The first one created the link, which the limit does not count.
    assert.equal(await countSharesOfPetition(limited.ctx.db, petition.id), 11);
    await share(from('192.0.2.2'), petition);
    assert.equal(await countSharesOfPetition(limited.ctx.db, petition.id), 12);
  });

  it('require a login, a full key, or no credentials', async () => {
    const petition = await createPublished(creator);
    const ada = await signUp(service);
    const by = async (token: string) =>
      service.api.as(token).post(sharesPath(petition), { channel: 'link' });
    const client = await registerClient(ada);
    const { body } = await exchangeCode(service, client, await codeFor(ada, client));
    const keys = [];
    for (const level of ['read', 'read_write', 'full']) {
      const made = await ada.api.post('/v1/api-keys', { name: level, scopes: [level] });
      keys.push(made.body.data.key);
    }
    for (const token of [body.access_token, keys[0], keys[1]]) {
      const { status, body: problem } = await by(token);
      assert.deepEqual([status, problem.code], [403, 'insufficient_scope']);
    }
    assert.equal((await by(keys[2])).status, 201);
    assert.equal((await readLeaderboard(petition, ada)).currentUserShareCount, 1);
    assert.equal((await service.api.get(`${sharesPath(petition)}/mine`)).status, 401);
  });

  it('rank users by number of shares, then by time', async () => {
    const petition = await createPublished(creator);
    const [first, second, third, none] = await people(4);
    for (const one of [first!, second!, third!]) {
      service.advanceClock(10);
      await share(one, petition, 'x');
    }
    const order = async () =>
      (await readLeaderboard(petition)).topSharers.map(({ userId }: { userId: string }) => userId);
    const ranks = async () => {
      const found = [];
      for (const one of [first!, second!, third!, none!]) {
        found.push((await readLeaderboard(petition, one)).currentUserRank);
      }
      return found;
    };
    assert.deepEqual(await order(), [first!.id, second!.id, third!.id]);
    assert.deepEqual(await ranks(), [1, 1, 1, 4]);
    await share(third!, petition, 'qr');
    service.advanceClock(10);
    await share(second!, petition, 'qr');
    assert.deepEqual(await order(), [third!.id, second!.id, first!.id]);
    assert.deepEqual(await ranks(), [3, 1, 1, 4]);
    const { topSharers } = await readLeaderboard(petition, none, '?limit=1');
    const { body } = await service.api.get(`/v1/users/${third!.id}`);
    assert.deepEqual(topSharers, [
      {
        userId: third!.id,
        displayName: body.data.display_name,
        slug: body.data.slug,
        avatarUrl: null,
        shareCount: 2,
      },
    ]);
    for (const limit of ['0', '101', 'many']) {
      const path = `/v1/petitions/${petition.id}/leaderboard?limit=${limit}`;
      assert.equal((await service.api.get(path)).status, 422);
    }
    assert.equal((await service.api.get('/v1/petitions/no-such/leaderboard')).status, 404);
  });

  it('of suspended and erased users are not in the leaderboard', async () => {
    const petition = await createPublished(creator);
    const admin = await logInAsAdmin(service);
    const [ada, bob] = (await people(2)) as [TestUser, TestUser];
    const leaving: Person = await signUp(service);
    for (const one of [leaving, bob, ada]) await share(one, petition);
    for (const channel of ['qr', 'link']) await share(leaving, petition, channel);
    await share(bob, petition, 'qr');
    const shown = async () => {
      await assertLevels(petition);
      service.ctx.cache.drop('leaderboards');
      const { topSharers, totalShares } = await readLeaderboard(petition);
      const { currentUserRank } = await readLeaderboard(petition, ada);
      return [
        topSharers.map(({ userId }: { userId: string }) => userId),
        totalShares,
        currentUserRank,
      ];
    };
    assert.deepEqual(await shown(), [[leaving.id, bob.id, ada.id], 6, 3]);
    await admin.api.post(`/v1/admin/users/${bob.id}/suspend`);
    assert.deepEqual(await shown(), [[leaving.id, ada.id], 6, 2]);

    const { ref } = await share(leaving, petition);
    const { body } = await leaving.api.get('/v1/users/me/export');
    assert.equal(body.shares.length, 3);
    assert.equal(body.shares[0].ref, ref);
    assert.equal(body.shares[0].petition_title, petition.title);
    const { password } = leaving;
    assert.equal((await leaving.api.delete('/v1/users/me', { password })).status, 204);
    // The process that erased the account drops its cache at once.
    const { topSharers } = await readLeaderboard(petition);
    assert.deepEqual(
      topSharers.map(({ userId }: { userId: string }) => userId),
      [ada.id],
    );
    assert.deepEqual(await shown(), [[ada.id], 6, 1]);
    // The link still opens the petition, without a sharer.
    const [token] = (await createTokens(service, 1)) as [string];
    assert.equal((await service.api.get(`/v1/petitions/${petition.slug}?ref=${ref}`)).status, 200);
    const signed = await service.api
      .as(token)
      .post(`/v1/petitions/${petition.id}/signatures`, { ref });
    assert.equal(signed.status, 201);

    await admin.api.post(`/v1/admin/users/${bob.id}/unsuspend`);
    assert.deepEqual(await shown(), [[bob.id, ada.id], 6, 2]);
  });

  it('of a concurrently suspended user are not in the leaderboard until the suspension ends', async () => {
    const petition = await createPublished(creator);
    const admin = await logInAsAdmin(service);
    const [ada, bob, eve] = (await people(3)) as [TestUser, TestUser, TestUser];
    await share(eve, petition);
    const { main } = service.ctx.pools;
    const setSuspension = async (one: TestUser, action: string) => {
      const { status } = await admin.api.post(`/v1/admin/users/${one.id}/${action}`);
      assert.equal(status, 200);
    };
    /** Suspends a user while their share waits for the lock that `hold` takes. */
    const suspendDuringShare = async (one: TestUser, hold: (tx: Tx) => Promise<unknown>) => {
      let suspended = false;
      const { both } = await transaction(main, async (tx) => {
        await hold(tx);
        const sharing = share(one, petition);
        await eventually(async () => (await waitingForLocks(main)) === 1);
        const suspending = setSuspension(one, 'suspend').then(() => (suspended = true));
        await eventually(async () => suspended || (await waitingForLocks(main)) === 2);
        return { both: Promise.all([sharing, suspending]) };
      });
      await both;
    };
    const topIds = async () => {
      await assertLevels(petition);
      service.ctx.cache.drop('leaderboards');
      const { topSharers } = await readLeaderboard(petition);
      return topSharers.map(({ userId }: { userId: string }) => userId);
    };

    // Locks the first row that a share locks, then the last one.
    const { id } = petition;
    await suspendDuringShare(ada, (tx) => tx`select from petitions where id = ${id} for update`);
    assert.deepEqual(await topIds(), [eve.id]);
    await suspendDuringShare(
      bob,
      (tx) => tx`select from share_days where petition_id = ${id} for update`,
    );
    assert.deepEqual(await topIds(), [eve.id]);
    for (const one of [ada, bob]) await setSuspension(one, 'unsuspend');
    assert.deepEqual(new Set(await topIds()), new Set([eve.id, ada.id, bob.id]));
  });

  it('are deleted with a petition that is erased with its creator', async () => {
    const owner = await signUp(service);
    const petition = await createPublished(owner);
    const [ada] = (await people(1)) as [TestUser];
    await share(ada, petition);
    const { password } = owner;
    assert.equal((await owner.api.delete('/v1/users/me', { password })).status, 204);
    assert.deepEqual((await ada.api.get('/v1/users/me/export')).body.shares, []);
    assert.equal(await countShares(petition), 0);
  });

  it('of a concurrently erased user leave no rows', async () => {
    const petition = await createPublished(creator);
    const leaving = await signUp(service);
    const { password } = leaving;
    const [erased, ...answers] = await Promise.all([
      leaving.api.delete('/v1/users/me', { password }),
      ...channels.flatMap((channel) =>
        Array.from({ length: 5 }, () => leaving.api.post(sharesPath(petition), { channel })),
      ),
    ]);
    assert.equal(erased.status, 204);
    for (const { status } of answers) assert.ok([201, 401].includes(status), `${status}`);
    const left = await service.ctx.db`
      select from shares where petition_id = ${petition.id}
      union all select from sharers where petition_id = ${petition.id}`;
    assert.equal(left.length, 0);
  });
});
