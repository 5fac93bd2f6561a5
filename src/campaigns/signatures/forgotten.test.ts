import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import {
  createPublished,
  logInAsAdmin,
  signUp,
  verifyAddress,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { assertCounts, invalidateBy } from '../../../test/support/signing.ts';
import { assertSums, untilSumsSettled } from '../../../test/support/sums.ts';
import { assertVerified } from '../../../test/support/verify.ts';
import { transaction } from '../../platform/db.ts';
import { rebuildOverallSums, rebuildSums } from '../../reach/analytics/rebuilding.ts';

describe('signature.forgotten', () => {
  let service: Service;
  let creator: Person;
  let admin: Person;
  before(async () => {
    service = await startService({ worker: true });
    creator = await signUp(service, 'Creator');
    admin = await logInAsAdmin(service);
  });
  after(async () => {
    await untilSumsSettled(service);
    await assertSums(service);
    await assertVerified(service.databaseUrl);
    await service[Symbol.asyncDispose]();
  });

  const pathOf = ({ id }: { id: string }) => `/v1/petitions/${id}/signatures`;
  const sign = async ({ api }: Person, petition: { id: string }) => {
    const { status, body } = await api.post(pathOf(petition));
    assert.equal(status, 201, JSON.stringify(body));
    return body.data as { id: string; state: string; signature_count: number };
  };
  const erase = async ({ api, password }: Person) =>
    assert.equal((await api.delete('/v1/users/me', { password })).status, 204);
  const invalidate = (petition: { id: string }) =>
    invalidateBy(admin, petition, { from: '2020-01-01T00:00:00Z' });
  const eventsOf = async ({ id }: { id: string }) => {
    const rows = await service.ctx.db`
      select type, actor_type, actor_id, data from events
      where petition_id = ${id} and type in ('signature.removed', 'signature.forgotten')
      order by transaction, position`;
    return rows.map((row) => [row.type, row.actor_type, row.actor_id, row.data.signature_id]);
  };
  const forgotten = ({ id }: { id: string }) => ['signature.forgotten', 'system', null, id];

  it('is stored for each signature of an erased account, and changes no count', async () => {
    const petitions = [await createPublished(creator), await createPublished(creator)];
    const [signer, other] = [await signUp(service, 'Signer'), await signUp(service, 'Other')];
    await sign(other, petitions[0]);
    const signatures = [await sign(signer, petitions[0]), await sign(signer, petitions[1])];
    await erase(signer);
    for (const [n, petition] of petitions.entries()) {
      assert.deepEqual(await eventsOf(petition), [forgotten(signatures[n]!)]);
      await assertCounts(service, petition.id);
    }
    const [row] = await service.ctx.db`
      select data from events where type = 'signature.forgotten' and petition_id = ${petitions[0].id}`;
    assert.deepEqual(row!.data, { signature_id: signatures[0]!.id });
    const { body } = await service.api.get(`/v1/petitions/${petitions[0].id}`);
    assert.equal(body.data.signature_count, 2);
  });

  it('is no public event', async () => {
    const owner = await signUp(service, 'Owner');
    const petition = await createPublished(owner);
    const signer = await signUp(service, 'Signer');
    await sign(signer, petition);
    await erase(signer);
    const types = async (): Promise<string[]> =>
      (await owner.api.get('/v1/events')).body.data.map(({ type }: { type: string }) => type);
    // The log ends before the oldest running transaction.
    await eventually(async () => (await types()).includes('signature.created'));
    await untilSumsSettled(service);
    assert.deepEqual(await types(), [
      'petition.created',
      'petition.published',
      'signature.created',
    ]);
    const input = { url: 'https://example.org/', events: ['signature.forgotten'] };
    assert.equal((await owner.api.post('/v1/webhooks', input)).status, 422);
  });

  it('is stored when an invalid signature is withdrawn', async () => {
    const petition = await createPublished(creator);
    const signer = await signUp(service, 'Signer');
    const first = await sign(signer, petition);
    await invalidate(petition);
    assert.equal((await signer.api.delete(`${pathOf(petition)}/me`)).status, 204);
    assert.deepEqual(await eventsOf(petition), [forgotten(first)]);
    const again = await sign(signer, petition);
    assert.equal(again.state, 'invalid');
    const reason = { reason: 'A test.' };
    const removed = await admin.api.delete(`/v1/admin/signatures/${again.id}`, reason);
    assert.equal(removed.status, 204);
    assert.deepEqual(await eventsOf(petition), [forgotten(first), forgotten(again)]);
    await assertCounts(service, petition.id);
  });

  it('is stored when a held signature is withdrawn', async () => {
    const petition = await createPublished(creator);
    const signer = await signUp(service, 'Signer');
    const block = { kind: 'domain', value: 'example.org', action: 'hold', reason: 'A test.' };
    const path = '/v1/admin/signing-blocks';
    const added = await admin.api.post(path, { ...block, petition_id: petition.id });
    assert.equal(added.status, 201, JSON.stringify(added.body));
    const held = await sign(signer, petition);
    assert.equal(held.state, 'held');
    assert.equal((await signer.api.delete(`${pathOf(petition)}/me`)).status, 204);
    assert.deepEqual(await eventsOf(petition), [forgotten(held)]);
    assert.equal((await admin.api.delete(`${path}/${added.body.data.id}`)).status, 204);
  });

  it('is stored when an invalid signature is replaced, and only then', async () => {
    const [counted, invalid] = [await createPublished(creator), await createPublished(creator)];
    const stranger = await signUp(service, 'Stranger');
    const owner = await signUp(service, 'Owner');
    const email = stranger.email.replace('@', '+mine@');
    await service.ctx.db`
      update users set email = ${email}, mailbox = (
        select mailbox from users where id = ${stranger.id})
      where id = ${owner.id}`;
    await verifyAddress(service, { email });
    const taken = [await sign(stranger, counted), await sign(stranger, invalid)];
    await invalidate(invalid);
    await sign(owner, counted);
    assert.deepEqual(await eventsOf(counted), [
      ['signature.removed', 'system', null, taken[0]!.id],
    ]);
    assert.equal((await sign(owner, invalid)).state, 'invalid');
    assert.deepEqual(await eventsOf(invalid), [forgotten(taken[1]!)]);
    await assertCounts(service, invalid.id);
  });

  it('does not hide an earlier event from sums that were rebuilt', async () => {
    const petition = await createPublished(creator);
    const signer = await signUp(service, 'Signer');
    await sign(signer, petition);
    await erase(signer);
    const { main } = service.ctx.pools;
    await transaction(main, (tx) => rebuildSums(tx, [petition.id], service.ctx.now()));
    await transaction(main, rebuildOverallSums);
    const [row] = await main`
      select r.position = e.position as is_of_signature
      from rebuilt_sums r join events e on e.petition_id = r.petition_id
      where r.petition_id = ${petition.id} and e.type = 'signature.created'`;
    assert.equal(row!.is_of_signature, true);
  });
});
