import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { waitingForLocks } from '../../../test/support/locks.ts';
import {
  createDraft,
  logInAsAdmin,
  createTokens,
  createPublished,
  signUp,
  signUpProven,
} from '../../../test/support/people.ts';
import type { Person } from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { transaction } from '../../platform/db.ts';
import { startOfLog } from '../../platform/events.ts';
import { readPetitionEvents } from '../../reach/realtime/queries.ts';
import { newId } from '../../platform/ids.ts';
import { originOf } from './origins.ts';
import { insertGroup } from './signing-queries.ts';

describe('signatures', () => {
  let service: Service;
  let creator: Person;
  let signer: Person;
  before(async () => {
    service = await startService();
    creator = await signUp(service, 'Creator');
    signer = await signUp(service, 'Signer');
  });
  after(() => service[Symbol.asyncDispose]());

  it('stores one signature per user and returns the exact count', async () => {
    const petition = await createPublished(creator);
    const path = `/v1/petitions/${petition.slug}/signatures`;
    const first = await signer.api.post(path, { comment: 'Yes.', display_location: 'Leeds' });
    assert.equal(first.status, 201);
    assert.equal(first.body.data.signature_count, 1);
    assert.equal(first.body.data.milestone_reached, false);
    assert.equal(first.body.data.petition_id, petition.id);
    assert.equal(first.body.data.user_id, signer.id);

    const second = await signer.api.post(path);
    assert.equal(second.status, 409);
    assert.equal(second.body.code, 'duplicate_signature');

    const own = await creator.api.post(path, {});
    assert.equal(own.body.data.signature_count, 2);
    const read = await service.api.get(`/v1/petitions/${petition.id}`);
    assert.equal(read.body.data.signature_count, 2);
  });

  it('can be withdrawn and given again', async () => {
    const petition = await createPublished(creator);
    const path = `/v1/petitions/${petition.id}/signatures`;
    assert.equal((await signer.api.delete(`${path}/me`)).status, 404);
    await signer.api.post(path);
    assert.equal((await signer.api.delete(`${path}/me`)).status, 204);
    assert.equal((await signer.api.delete(`${path}/me`)).status, 404);
    const again = await signer.api.post(path);
    assert.equal(again.body.data.signature_count, 1);
    await creator.api.post(`/v1/petitions/${petition.id}/close`);
    assert.equal((await signer.api.delete(`${path}/me`)).status, 204);
    const read = await service.api.get(`/v1/petitions/${petition.id}`);
    assert.equal(read.body.data.signature_count, 0);
  });

  it('are rejected by status and visibility of the petition', async () => {
    const path = (petition: { id: string }) => `/v1/petitions/${petition.id}/signatures`;
    const unpublished = await createDraft(creator);
    assert.equal((await signer.api.post(path(unpublished))).status, 404);
    assert.equal((await creator.api.post(path(unpublished))).body.code, 'invalid_state');

    const closed = await createPublished(creator);
    await creator.api.post(`/v1/petitions/${closed.id}/close`);
    assert.equal((await signer.api.post(path(closed))).body.code, 'invalid_state');

    const hidden = await createPublished(creator, { visibility: 'private' });
    assert.equal((await signer.api.post(path(hidden))).status, 403);
    const { access_code } = (await creator.api.get(`/v1/petitions/${hidden.id}`)).body.data;
    const wrong = await signer.api.post(path(hidden), { access_code: 'wrong' });
    assert.equal(wrong.status, 403);
    assert.equal((await signer.api.post(path(hidden), { access_code })).status, 201);
    const other = await signUp(service);
    const byQuery = await other.api.post(`${path(hidden)}?access_code=${access_code}`);
    assert.equal(byQuery.body.data.signature_count, 2);

    await creator.api.delete(`/v1/petitions/${hidden.id}`);
    assert.equal((await creator.api.post(path(hidden))).status, 404);
    assert.equal((await signer.api.post('/v1/petitions/no-such/signatures')).status, 404);
    assert.equal((await service.api.post(path(closed))).status, 401);
  });

  it('are listed as signature_privacy allows, anonymous ones without the signer', async () => {
    const petition = await createPublished(creator);
    const path = `/v1/petitions/${petition.id}/signatures`;
    await signer.api.post(path, { comment: 'Mine', is_anonymous: true, display_location: 'Bath' });
    await creator.api.post(path, { comment: 'Ours' });
    const { body } = await service.api.get(`${path}?limit=1`);
    assert.equal(body.pagination.total_count, 2);
    assert.equal(body.data[0].user.id, creator.id);
    const next = await service.api.get(`${path}?limit=1&cursor=${body.pagination.next_cursor}`);
    assert.equal(next.body.data[0].user, null);
    assert.equal(next.body.data[0].comment, 'Mine');
    assert.equal(next.body.pagination.has_more, false);
    assert.equal(next.body.pagination.next_cursor, null);

    const admin = await logInAsAdmin(service);
    const guarded = await createPublished(creator, { signaturePrivacy: 'creator_only' });
    const list = `/v1/petitions/${guarded.id}/signatures`;
    assert.equal((await signer.api.get(list)).status, 403);
    assert.equal((await creator.api.get(list)).status, 200);
    assert.equal((await admin.api.get(list)).status, 200);
    const counted = await createPublished(creator, { signaturePrivacy: 'count_only' });
    const none = await creator.api.get(`/v1/petitions/${counted.id}/signatures`);
    assert.equal(none.status, 403);
  });

  it('can be removed by administrators, with the reason in the audit log', async () => {
    const admin = await logInAsAdmin(service);
    const petition = await createPublished(creator);
    const path = `/v1/petitions/${petition.id}/signatures`;
    const { id } = (await signer.api.post(path)).body.data;
    await creator.api.post(path);
    const remove = (person: Person, body?: object) =>
      person.api.delete(`/v1/admin/signatures/${id}`, body);
    assert.equal((await remove(admin, {})).status, 422);
    assert.equal((await remove(creator, { reason: 'Mine' })).status, 403);
    assert.equal((await remove(admin, { reason: 'Forged' })).status, 204);
    assert.equal((await remove(admin, { reason: 'Forged' })).status, 404);
    const read = await service.api.get(`/v1/petitions/${petition.id}`);
    assert.equal(read.body.data.signature_count, 1);
    const [event] = await service.ctx.pools.main`
      select actor_type, actor_id, data - 'signed_at' as data, (data ->> 'signed_at')::timestamptz as at
      from events where petition_id = ${petition.id} and type = 'signature.removed'`;
    const { at, ...removed } = event!;
    assert.ok(at instanceof Date);
    assert.deepEqual(
      { ...removed },
      {
        actor_type: 'admin',
        actor_id: (await admin.api.get('/v1/me')).body.data.id,
        data: { signature_id: id, version: 1, signature_count: 1 },
      },
    );
    const acts = await admin.api.get(`/v1/admin/audit-logs?target_id=${id}`);
    assert.deepEqual(
      acts.body.data.map(({ details }: { details: object }) => details),
      [{ petition_id: petition.id, reason: 'Forged' }],
    );
    assert.equal((await signer.api.post(path)).body.data.signature_count, 2);
  });

  describe('emit events in the order of the counts', () => {
    const pathOf = ({ id }: { id: string }) => `/v1/petitions/${id}/signatures`;
    /** Returns the counts in a petition's events, in the order of the event log. */
    const countsInEvents = async ({ id: petitionId }: { id: string }, expected: number) => {
      const read = async () => {
        const events = await readPetitionEvents(main(), petitionId, startOfLog, 100);
        return events.flatMap(({ data }) => data.signature_count ?? []);
      };
      await eventually(async () => (await read()).length >= expected, 15_000);
      return read();
    };
    const main = () => service.ctx.pools.main;

    it('when an administrator removes one while others sign', async () => {
      const admin = await logInAsAdmin(service);
      const petition = await createPublished(creator);
      const { id } = (await signer.api.post(pathOf(petition))).body.data;
      const done = await transaction(main(), async (tx) => {
        await tx`select from petitions where id = ${petition.id} for no key update`;
        const signing = creator.api.post(pathOf(petition));
        await eventually(async () => (await waitingForLocks(tx)) === 1);
        const removing = admin.api.delete(`/v1/admin/signatures/${id}`, { reason: 'Forged' });
        await eventually(async () => (await waitingForLocks(tx)) === 2);
        return () => Promise.all([signing, removing]);
      });
      const answers = await done();
      assert.deepEqual(
        answers.map(({ status }) => status),
        [201, 204],
      );
      assert.deepEqual(await countsInEvents(petition, 3), [1, 2, 1]);
    });

    it('when a group of several petitions waits for the lock of one of them', async () => {
      const petitions = [];
      for (let n = 0; n < 3; n += 1) petitions.push(await createPublished(creator));
      // The order in which groups lock petitions.
      const [, held, last] = petitions.toSorted((one, other) => (one.id < other.id ? -1 : 1));
      const requests = petitions.map(({ id: petitionId }) => ({
        id: newId(),
        petitionId,
        userId: creator.id,
        isAnonymous: false,
        comment: null,
        displayLocation: null,
        signerName: null,
        updates: false,
        consentVersion: null,
        privacyVersion: null,
        block: null,
        hasCode: false,
        place: null,
        source: null,
        shareId: null,
        ...originOf(service.ctx.keys, { petitionId, ip: '192.0.2.1', userAgent: undefined }),
      }));
      const done = await transaction(main(), async (tx) => {
        await tx`select from petitions where id = ${held!.id} for no key update`;
        const group = insertGroup(main(), requests, {
          requireVerified: false,
          domainBlocks: [],
        });
        group.catch(() => {});
        await eventually(async () => (await waitingForLocks(tx)) === 1);
        assert.equal((await signer.api.post(pathOf(last))).status, 201);
        return () => group;
      });
      await done();
      assert.deepEqual(await countsInEvents(last, 2), [1, 2]);
    });
  });

  it('appear on the public profile only if they are public', async () => {
    const person = await signUpProven(service, 'Open Signer');
    const sign = async (petitionFields: object, input: object = {}) => {
      const { id } = await createPublished(creator, petitionFields);
      const { access_code } = (await creator.api.get(`/v1/petitions/${id}`)).body.data;
      const { status } = await person.api.post(`/v1/petitions/${id}/signatures`, {
        ...input,
        access_code: access_code ?? '',
      });
      assert.equal(status, 201);
    };
    await sign({ title: 'The first in the open' }, { comment: 'Me too' });
    await sign({ title: 'The second in the open' });
    await sign({}, { is_anonymous: true });
    await sign({ visibility: 'private' });
    await sign({ visibility: 'unlisted' });
    await sign({ signaturePrivacy: 'count_only' });
    await person.api.patch('/v1/users/me', { show_signatures: true });
    const path = `/v1/users/${person.slug}/signatures`;
    const { body } = await service.api.get(path);
    assert.deepEqual(
      body.data.map((one: { petition: { title: string } }) => one.petition.title),
      ['The second in the open', 'The first in the open'],
    );
    const first = await service.api.get(`${path}?limit=1`);
    const next = await service.api.get(
      `${path}?limit=1&cursor=${first.body.pagination.next_cursor}`,
    );
    assert.equal(next.body.data[0].comment, 'Me too');
    assert.equal(next.body.pagination.has_more, false);
    assert.equal((await service.api.get('/v1/users/no-such/signatures')).status, 404);
  });

  it('count 500 concurrent signers exactly, and reach each milestone once', async () => {
    const petition = await createPublished(creator, { signatureGoal: 250 });
    const path = `/v1/petitions/${petition.id}/signatures`;
    const tokens = await createTokens(service, 500);
    const answers = await Promise.all(
      [...tokens, ...tokens.slice(0, 50)].map((token) => service.api.as(token).post(path)),
    );
    const signed = answers.filter(({ status }) => status === 201).map(({ body }) => body.data);
    assert.equal(answers.filter(({ status }) => status === 409).length, 50);
    assert.deepEqual(
      signed.map((one) => one.signature_count).toSorted((a, b) => a - b),
      Array.from({ length: 500 }, (_, index) => index + 1),
    );
    const milestones = signed.filter((one) => one.milestone_reached);
    assert.deepEqual(
      milestones.map((one) => one.signature_count).toSorted((a, b) => a - b),
      [100, 250, 500],
    );
    const [row] = await service.ctx.pools.main`
      select p.signature_count, (select count(*)::int from signatures s
        where s.petition_id = p.id) as rows,
        (select array_agg(type order by position) from events e
          where e.petition_id = p.id and type like 'signature.%') as events
      from petitions p where id = ${petition.id}`;
    assert.equal(row!.signature_count, 500);
    assert.equal(row!.rows, 500);
    assert.equal(row!.events.length, 503);
  });

  it('do not reach a milestone twice', async () => {
    const petition = await createPublished(creator, { signatureGoal: 2 });
    const path = `/v1/petitions/${petition.id}/signatures`;
    await creator.api.post(path);
    assert.equal((await signer.api.post(path)).body.data.milestone_reached, true);
    await signer.api.delete(`${path}/me`);
    const again = await signer.api.post(path);
    assert.equal(again.body.data.signature_count, 2);
    assert.equal(again.body.data.milestone_reached, false);
  });

  it('store the version of the signed text', async () => {
    const petition = await createPublished(creator);
    const path = `/v1/petitions/${petition.id}/signatures`;
    await signer.api.post(path);
    await creator.api.patch(`/v1/petitions/${petition.id}`, { title: 'Keep the path open always' });
    await creator.api.post(path);
    const rows = await service.ctx.pools.main`
      select version from signatures where petition_id = ${petition.id} order by id`;
    assert.deepEqual(
      rows.map((row) => row.version),
      [1, 2],
    );
  });
});

describe('signature policy and limits', () => {
  it('requires a verified address if the policy is `verified`', async () => {
    await using service = await startService({ env: { SIGNATURE_POLICY: 'verified' } });
    const creator = await signUp(service);
    const petition = await createPublished(creator);
    const { status, body } = await creator.api.post(`/v1/petitions/${petition.id}/signatures`);
    assert.equal(status, 403);
    assert.equal(body.code, 'email_not_verified');
  });

  it('allows ten signatures an hour per address, not counting rejected requests', async () => {
    await using service = await startService({
      env: { RATE_LIMITS: 'on', TRUST_PROXY: '127.0.0.1' },
    });
    const creator = await signUp(service);
    const petition = await createPublished(creator);
    const path = `/v1/petitions/${petition.id}/signatures`;
    const tokens = await createTokens(service, 11);
    const from = (ip: string) => service.api.with({ 'x-forwarded-for': ip });
    // All addresses of one IPv6 connection count as one.
    const ipv6 = (n: number) => `2001:db8:1:2::${n.toString(16)}`;
    for (const [n, token] of tokens.slice(0, 10).entries()) {
      const other = await createPublished(creator);
      const signed = await from(ipv6(n)).as(token).post(`/v1/petitions/${other.id}/signatures`);
      assert.equal(signed.status, 201);
    }
    assert.equal((await from(ipv6(99)).as(tokens[10]!).post(path)).status, 429);
    for (const token of tokens.slice(0, 10)) {
      assert.equal((await from('192.0.2.1').as(token).post(path)).status, 201);
      assert.equal((await from('192.0.2.2').as(token).post(path)).status, 409);
    }
    await Promise.all(
      Array.from({ length: 30 }, () => from('192.0.2.3').as(tokens[0]!).post(path)),
    );
    const limited = await from('192.0.2.1').as(tokens[10]!).post(path);
    assert.equal(limited.status, 429);
    assert.ok(Number(limited.headers.get('retry-after')) > 3000);
    assert.equal((await from('192.0.2.3').as(tokens[10]!).post(path)).status, 201);
  });
});
