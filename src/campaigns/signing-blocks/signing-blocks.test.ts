import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import {
  createPublished,
  createTokens,
  createUsers,
  signUp,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { assertCounts, signFrom } from '../../../test/support/signing.ts';
import { assertVerified } from '../../../test/support/verify.ts';

describe('signing blocks', () => {
  let service: Service;
  let creator: Person;
  let moderator: Person;
  before(async () => {
    service = await startService({ worker: true, env: { TRUST_PROXY: '127.0.0.1' } });
    creator = await signUp(service, 'Creator');
    moderator = await signUp(service, 'Moderator');
    await service.ctx.db`update users set role = 'moderator' where id = ${moderator.id}`;
    await service.app.sessions.revocations.refresh();
  });
  after(async () => {
    await assertVerified(service.databaseUrl);
    await service[Symbol.asyncDispose]();
  });

  const path = '/v1/admin/signing-blocks';
  /** Adds a block, until the end of `use`. */
  const block = async (fields: object) => {
    const input = { action: 'refuse', reason: 'Sells signatures', ...fields };
    const { status, body } = await moderator.api.post(path, input);
    assert.equal(status, 201, JSON.stringify(body));
    const { id } = body.data;
    return {
      ...body.data,
      [Symbol.asyncDispose]: async () => {
        await moderator.api.delete(`${path}/${id}`);
      },
    };
  };
  const signWith = async (
    petition: { id: string },
    { ip = '81.2.69.1', domain = 'example.org' } = {},
  ) => {
    const [token] = await createTokens(service, 1, domain);
    const { status, body } = await signFrom(service, token!, petition, { ip });
    return { status, code: body.code, ...body.data, token: token! };
  };
  const countOf = async ({ id }: { id: string }) =>
    (await service.api.get(`/v1/petitions/${id}`)).body.data.signature_count;
  const heldOf = async ({ id }: { id: string }) =>
    (await moderator.api.get(`/v1/admin/petitions/${id}/held-signatures`)).body.data;
  const decide = (signature: { id: string }, decision: 'release' | 'reject') =>
    moderator.api.post(`/v1/admin/signatures/${signature.id}/${decision}`, { reason: 'Looked' });
  const eventsOf = async ({ id }: { id: string }) =>
    (
      await service.ctx.db`
        select type, data from events where petition_id = ${id} and type like 'signature.%'
        order by transaction, position`
    ).map(({ type, data }) => [type, data.signature_count]);

  const refused: [string, object, object][] = [
    ['a network', { kind: 'network', value: '198.51.100.0/24' }, { ip: '198.51.100.7' }],
    ['an IPv6 network', { kind: 'network', value: '2001:db8::/32' }, { ip: '2001:db8:1::7' }],
    ['a country', { kind: 'country', value: 'gb' }, { ip: '81.2.69.142' }],
    ['a domain', { kind: 'domain', value: '@Farm.Example' }, { domain: 'farm.example' }],
    [
      'an IDN domain',
      { kind: 'domain', value: 'bücher.example' },
      { domain: 'xn--bcher-kva.example' },
    ],
  ];
  for (const [name, fields, origin] of refused) {
    it(`refuse signatures of ${name}, on all petitions or on one`, async () => {
      const [petition, other] = [await createPublished(creator), await createPublished(creator)];
      {
        await using _ = await block(fields);
        const first = await signWith(petition, origin);
        assert.deepEqual([first.status, first.code], [403, 'signing_refused']);
        assert.equal((await signWith(other, origin)).status, 403);
        assert.equal((await signWith(petition, { ip: '8.8.8.8' })).status, 201);
      }
      await using _ = await block({ ...fields, petition_id: petition.id });
      assert.equal((await signWith(petition, origin)).status, 403);
      assert.equal((await signWith(other, origin)).status, 201);
    });
  }

  it('refuse a network by the id that the report of a petition shows', async () => {
    const petition = await createPublished(creator);
    await signWith(petition, { ip: '185.220.101.4' });
    const report = await moderator.api.get(`/v1/admin/petitions/${petition.id}/integrity`);
    const { network } = report.body.data.networks[0];
    await using _ = await block({ kind: 'network', value: network, petition_id: petition.id });
    assert.equal((await signWith(petition, { ip: '185.220.101.9' })).status, 403);
    assert.equal((await signWith(petition, { ip: '185.220.102.9' })).status, 201);
  });

  it('end at their time', async () => {
    const petition = await createPublished(creator);
    const endsAt = new Date(Date.now() + 86_400_000);
    await using added = await block({
      kind: 'country',
      value: 'GB',
      ends_at: endsAt.toISOString(),
    });
    assert.equal((await signWith(petition)).status, 403);
    await service.ctx.db`update signing_blocks set ends_at = now() where id = ${added.id}`;
    await eventually(async () => (await signWith(petition)).status === 201);
    await using _ = await block({ kind: 'country', value: 'GB' });
    assert.equal((await signWith(petition)).status, 403);
  });

  it('do not take up the limit of an address', async () => {
    const petition = await createPublished(creator);
    await using _ = await block({ kind: 'domain', value: 'farm.example' });
    for (let n = 0; n < 12; n += 1) await signWith(petition, { domain: 'farm.example' });
    assert.equal((await signWith(petition)).status, 201);
  });

  it('hold signatures, which count once they are released', async () => {
    const petition = await createPublished(creator, { signatureGoal: 2 });
    await using _ = await block({ kind: 'network', value: '198.51.100.0/24', action: 'hold' });
    await signWith(petition);
    const first = await signWith(petition, { ip: '198.51.100.7' });
    assert.deepEqual([first.status, first.state, first.signature_count], [201, 'held', 1]);
    const second = await signWith(petition, { ip: '198.51.100.8' });
    assert.equal(await countOf(petition), 1);
    assert.deepEqual(await eventsOf(petition), [['signature.created', 1]]);
    const list = await service.api.get(`/v1/petitions/${petition.id}/signatures`);
    assert.deepEqual([list.body.data.length, list.body.pagination.total_count], [1, 1]);
    assert.deepEqual(
      (await heldOf(petition)).map(({ id }: { id: string }) => id),
      [second.id, first.id],
    );
    await creator.api.post(`/v1/petitions/${petition.id}/close`);

    const released = await decide(first, 'release');
    assert.deepEqual(
      [released.status, released.body.data.state, released.body.data.signature_count],
      [200, 'counted', 2],
    );
    const rejected = await decide(second, 'reject');
    assert.deepEqual(
      [rejected.status, rejected.body.data.state, rejected.body.data.signature_count],
      [200, 'invalid', 2],
    );
    assert.equal(await countOf(petition), 2);
    assert.deepEqual(await heldOf(petition), []);
    assert.deepEqual(await eventsOf(petition), [
      ['signature.created', 1],
      ['signature.created', 2],
      ['signature.milestone', 2],
    ]);
    assert.equal((await decide(first, 'reject')).status, 409);
    assert.equal((await decide(second, 'release')).status, 409);
    await assertCounts(service, petition.id);
    const actions = await service.ctx.db.column<string>`
      select action from audit_log where target_id = any(${[first.id, second.id]}::uuid[])
      order by id`;
    assert.deepEqual(actions, ['signature.release', 'signature.reject']);
    const isTold = async () =>
      (await service.mails()).some((mail) => mail.includes(`To: ${second.user_id}@`));
    await eventually(isTold);
  });

  it('hold a signature again that is withdrawn and given again, until it is released', async () => {
    const petition = await createPublished(creator);
    const [person] = await createUsers(service, 1);
    const sign = () => signFrom(service, person!.token, petition, { ip: '198.51.100.7' });
    const withdraw = () => person!.api.delete(`/v1/petitions/${petition.id}/signatures/me`);
    {
      await using _ = await block({ kind: 'network', value: '198.51.100.0/24', action: 'hold' });
      assert.equal((await sign()).body.data.state, 'held');
    }
    await withdraw();
    const again = await sign();
    assert.equal(again.body.data.state, 'held');
    await decide(again.body.data, 'release');
    await withdraw();
    assert.equal((await sign()).body.data.state, 'counted');
    assert.equal(await countOf(petition), 1);
    await assertCounts(service, petition.id);
  });

  it('release and reject each signature once, while others sign', async () => {
    const petition = await createPublished(creator);
    await using _ = await block({ kind: 'domain', value: 'farm.example', action: 'hold' });
    const held = [];
    for (let n = 0; n < 6; n += 1) {
      held.push(await signWith(petition, { domain: 'farm.example', ip: `8.8.${n}.1` }));
    }
    const tokens = await createTokens(service, 20);
    const [answers] = await Promise.all([
      Promise.all(
        held.flatMap((one) => [
          decide(one, 'release'),
          decide(one, 'reject'),
          decide(one, 'release'),
        ]),
      ),
      Promise.all(
        tokens.map((token, n) => signFrom(service, token, petition, { ip: `9.9.${n}.1` })),
      ),
    ]);
    assert.equal(answers.filter(({ status }) => status === 200).length, 6);
    await assertCounts(service, petition.id);
    const [[, last] = []] = (await eventsOf(petition)).slice(-1);
    assert.equal(last, await countOf(petition));
  });

  it('are listed, on record, and reject what makes no sense', async () => {
    const petition = await createPublished(creator);
    const fields = { kind: 'domain', value: 'farm.example', petition_id: petition.id };
    const added = await block(fields);
    const input = { action: 'refuse', reason: 'Again', ...fields };
    assert.equal((await moderator.api.post(path, input)).body.code, 'block_exists');
    const { body } = await moderator.api.get(`${path}?petition_id=${petition.id}`);
    assert.deepEqual(
      body.data.map((one: { id: string; created_by: string }) => [one.id, one.created_by]),
      [[added.id, moderator.id]],
    );
    assert.equal((await moderator.api.delete(`${path}/${added.id}`)).status, 204);
    assert.equal((await moderator.api.delete(`${path}/${added.id}`)).status, 404);
    const actions = await service.ctx.db.column<string>`
      select action from audit_log where target_id = ${added.id} order by id`;
    assert.deepEqual(actions, ['signing_block.add', 'signing_block.remove']);
    for (const wrong of [
      { kind: 'network', value: '198.51.100.0' },
      { kind: 'network', value: '0.0.0.0/0' },
      { kind: 'network', value: '5a1fe03b7c' },
      { kind: 'domain', value: 'no domain' },
      { kind: 'country', value: 'XX' },
      { kind: 'country', value: 'GB', ends_at: '2020-01-01T00:00:00Z' },
    ]) {
      const { status } = await moderator.api.post(path, {
        ...input,
        petition_id: undefined,
        ...wrong,
      });
      assert.equal(status, 422, JSON.stringify(wrong));
    }
    const unknown = { ...input, petition_id: '00000000-0000-7000-8000-000000000000' };
    assert.equal((await moderator.api.post(path, unknown)).status, 404);
    assert.equal((await creator.api.get(path)).status, 403);
    assert.equal((await creator.api.post(path, input)).status, 403);
  });
});
