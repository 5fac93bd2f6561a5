import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Client } from '../../../test/support/client.ts';
import { eventually } from '../../../test/support/eventually.ts';
import {
  logInAsAdmin,
  createUsers,
  createTokens,
  createPublished,
  signUp,
  type Person,
  type TestUser,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { invalidateBy, phoneUserAgent, undo } from '../../../test/support/signing.ts';

describe('visits and signatures by shared links', () => {
  let service: Service;
  let beside: Service;
  let creator: TestUser;
  let moderator: Person;
  const trusting = { TRUST_PROXY: '127.0.0.1' };
  before(async () => {
    service = await startService({ worker: true, env: trusting });
    beside = await startService({ beside: service, worker: true, env: trusting });
    [creator] = (await createUsers(service, 1)) as [TestUser];
    moderator = await signUp(service, 'Moderator');
    await service.ctx.db`update users set role = 'moderator' where id = ${moderator.id}`;
    await service.app.sessions.revocations.refresh();
  });
  after(async () => {
    await beside[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  });

  interface Petition {
    id: string;
    slug: string;
  }
  const newPerson = async () => (await createUsers(service, 1))[0]!;
  const share = async ({ api }: { api: Client }, { id }: Petition, channel = 'x') => {
    const { body } = await api.post(`/v1/petitions/${id}/shares`, { channel });
    return body.data.ref as string;
  };
  const ownShares = async ({ api }: TestUser, { id }: Petition) =>
    (await api.get(`/v1/petitions/${id}/shares/mine`)).body.data;
  const sign = (
    { api }: { api: Client },
    { id }: Petition,
    ref?: string,
    extraFields: object = {},
  ) => api.post(`/v1/petitions/${id}/signatures`, { ...(ref && { ref }), ...extraFields });
  /** Waits until the follower has seen all events. */
  const allEventsFollowed = () =>
    eventually(async () => {
      const [{ behind }] = await service.ctx.db<[{ behind: boolean }]>`
        select exists (
          select from events e join event_followers f on f.name = 'share-signatures'
          where (e.transaction, e.position) > (f.transaction, f.position)) as behind`;
      return !behind;
    }, 20_000);
  const as = (userAgent: string, { api }: { api: Client } = service) =>
    api.with({ 'user-agent': userAgent });
  const reader = () => as(phoneUserAgent);
  const visitsOf = async (sharer: TestUser, petition: Petition) =>
    (await ownShares(sharer, petition)).map(({ visits }: { visits: number }) => visits);

  it('count visits of the API and of the page, by slug and by id', async () => {
    const petition = await createPublished(creator);
    const ada = await newPerson();
    const ref = await share(ada, petition);
    const other = await share(ada, petition, 'qr');
    const plain = await reader().get(`/v1/petitions/${petition.slug}`);
    assert.equal((await service.api.get(`/v1/petitions/${petition.id}?ref=${other}`)).status, 200);
    for (const path of [
      `/v1/petitions/${petition.slug}?ref=${ref}`,
      `/v1/petitions/${petition.id.toUpperCase()}?ref=${ref}`,
      `/p/${petition.slug}?ref=elsewhere&ref=${ref}`,
      `/v1/petitions/${petition.slug}?ref=${other}`,
    ]) {
      for (let n = 0; n < 5; n += 1) assert.equal((await reader().get(path)).status, 200);
    }
    const { headers, body } = await reader().get(`/v1/petitions/${petition.slug}?ref=${other}`);
    assert.deepEqual(body.data, plain.body.data);
    assert.equal(headers.get('etag'), plain.headers.get('etag'));
    await eventually(async () => (await visitsOf(ada, petition)).join() === '15,7');
    assert.deepEqual(await visitsOf(await newPerson(), petition), []);
  });

  it("do not count visits by the sharer, the creator, bots, or other petitions' links", async () => {
    const [petition, elsewhere] = [await createPublished(creator), await createPublished(creator)];
    const ada = await newPerson();
    const ref = await share(ada, petition);
    const path = `/v1/petitions/${petition.slug}?ref=${ref}`;
    const preview = 'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)';
    const prefetch = reader().with({ 'sec-purpose': 'prefetch;anonymous-client-ip' });
    for (const api of [
      as(phoneUserAgent, ada),
      as(phoneUserAgent, creator),
      as('WhatsApp/2.23'),
      as('Googlebot/2.1'),
      as(preview),
      prefetch,
    ]) {
      assert.equal((await api.get(path)).status, 200);
    }
    assert.equal((await reader().send('HEAD', path)).status, 200);
    for (const unknown of ['', 'newsletter', '0123456789', "'; --", 'a'.repeat(5000)]) {
      const answer = await reader().get(`/v1/petitions/${petition.slug}?ref=${unknown}`);
      assert.equal(answer.status, 200, unknown);
    }
    await reader().get(`/v1/petitions/${elsewhere.slug}?ref=${ref}`);
    assert.equal((await reader().get(`/v1/petitions/no-such-petition?ref=${ref}`)).status, 404);
    // Visits are written in order, so this one is written last.
    await as(phoneUserAgent, await newPerson()).get(path);
    await eventually(async () => (await visitsOf(ada, petition))[0] > 0);
    assert.deepEqual(await visitsOf(ada, petition), [1]);
  });

  it('count concurrent visits on every process', async () => {
    const petition = await createPublished(creator);
    const sharers = await createUsers(service, 5);
    const refs: string[] = [];
    for (const one of sharers) refs.push(await share(one, petition));
    const otherProcess = as(phoneUserAgent, beside);
    await Promise.all(
      Array.from({ length: 300 }, (_, n) =>
        (n % 2 ? reader() : otherProcess).get(`/v1/petitions/${petition.id}?ref=${refs[n % 5]}`),
      ),
    );
    await eventually(async () => {
      const sums = await Promise.all(sharers.map((one) => visitsOf(one, petition)));
      return sums.join() === '60,60,60,60,60';
    });
  });

  it('are not lost when a process stops', async () => {
    const petition = await createPublished(creator);
    const ada = await newPerson();
    const ref = await share(ada, petition);
    {
      await using stopping = await startService({ beside: service });
      await as(phoneUserAgent, stopping).get(`/v1/petitions/${petition.id}?ref=${ref}`);
    }
    assert.deepEqual(await visitsOf(ada, petition), [1]);
  });

  it('count signatures exactly after concurrent withdrawals on two processes', async () => {
    const petition = await createPublished(creator);
    const sharers = await createUsers(service, 2);
    const refs: string[] = [];
    for (const one of sharers) refs.push(await share(one, petition));
    const tokens = await createTokens(service, 200);
    const clients = tokens.map((token, n) => (n % 2 ? service : beside).api.as(token));
    const path = `/v1/petitions/${petition.id}/signatures`;
    await Promise.all(
      clients.map(async (api, n) => {
        const signed = await sign({ api }, petition, refs[n % 4 === 0 ? 0 : 1]);
        assert.equal(signed.status, 201);
        // Some withdraw at once, and some of these sign again by the other link.
        if (n % 10 === 0) assert.equal((await api.delete(`${path}/me`)).status, 204);
        if (n % 20 === 0) assert.equal((await sign({ api }, petition, refs[1])).status, 201);
      }),
    );
    await allEventsFollowed();
    const rows = await service.ctx.db`
      select h.signatures, count(s.id)::integer as rows
      from shares h left join signatures s on s.share_id = h.id and s.petition_id = h.petition_id
      where h.petition_id = ${petition.id} group by h.id order by h.id`;
    assert.deepEqual(
      rows.map(({ rows: n }) => n),
      [40, 150],
    );
    assert.deepEqual(
      rows.map(({ signatures }) => signatures),
      [40, 150],
    );
    assert.equal((await ownShares(sharers[0]!, petition))[0].signatures, 40);
    const sources = await service.ctx.db`
      select distinct source from signatures where petition_id = ${petition.id}`;
    assert.deepEqual(
      sources.map(({ source }) => source),
      ['share'],
    );
  });

  it("do not count signatures by the sharer, unknown links, or other petitions' links", async () => {
    const [petition, elsewhere] = [await createPublished(creator), await createPublished(creator)];
    const ada = await newPerson();
    const ref = await share(ada, petition);
    const own = await share(ada, petition, 'qr');
    const away = await share(ada, elsewhere);
    const refs = [away, 'newsletter', '0123456789', '', 'a'.repeat(5000)];
    assert.equal((await sign(ada, petition, own)).status, 201);
    const tokens = await createTokens(service, refs.length);
    for (const [n, token] of tokens.entries()) {
      const { status } = await service.api
        .as(token)
        .post(`/v1/petitions/${petition.id}/signatures`, { ref: refs[n] });
      assert.equal(status, 201, `${refs[n]}`);
    }
    const wrong = await service.api
      .as((await newPerson()).token)
      .post(`/v1/petitions/${petition.id}/signatures`, { ref: 5 });
    assert.equal(wrong.status, 422);
    assert.equal(
      (await sign(await newPerson(), petition, ref, { is_anonymous: true })).status,
      201,
    );
    await allEventsFollowed();
    assert.deepEqual(
      (await ownShares(ada, petition)).map(({ signatures }: { signatures: number }) => signatures),
      [1, 0],
    );
    const kept = await service.ctx.db`
      select from signatures where petition_id = ${petition.id}
        and (share_id is not null or source is not null)`;
    assert.equal(kept.length, 1);
  });

  it('count signatures only while they are valid', async () => {
    const petition = await createPublished(creator);
    const ada = await newPerson();
    const ref = await share(ada, petition);
    const others = await createUsers(service, 6);
    for (const [n, { api }] of others.entries()) {
      const ip = n < 2 ? `81.2.${n}.7` : `185.220.101.${n}`;
      await sign(
        { api: api.with({ 'x-forwarded-for': ip, 'user-agent': phoneUserAgent }) },
        petition,
        ref,
      );
    }
    const signatures = async () => {
      await allEventsFollowed();
      return (await ownShares(ada, petition))[0].signatures;
    };
    assert.equal(await signatures(), 6);
    const admin = `/v1/admin/petitions/${petition.id}`;
    const { networks } = (await moderator.api.get(`${admin}/integrity`)).body.data;
    const rule = await invalidateBy(moderator, petition, { network: networks[0].network });
    assert.equal(await signatures(), 2);
    // A signature that is withdrawn while invalid and given again stays invalid.
    for (const one of others.slice(4)) {
      await one.api.delete(`/v1/petitions/${petition.id}/signatures/me`);
    }
    assert.equal((await sign(others[5]!, petition, ref)).status, 201);
    assert.equal(await signatures(), 2);
    await undo(moderator, rule);
    assert.equal(await signatures(), 5);
    const [first] = (await service.api.get(`/v1/petitions/${petition.id}/signatures`)).body.data;
    const administrator = await logInAsAdmin(service);
    const reason = { reason: 'Given in the name of another.' };
    await administrator.api.delete(`/v1/admin/signatures/${first.id}`, reason);
    assert.equal(await signatures(), 4);
  });
});
