import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import {
  createPublished,
  logInAsAdmin,
  signUp,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { addJob } from '../../platform/jobs.ts';
import { hasWithdrawn } from './signatures.ts';

const dayMs = 86_400_000;

describe('withdrawals', () => {
  let service: Service;
  let creator: Person;
  before(async () => {
    service = await startService({ worker: true });
    creator = await signUp(service, 'Creator');
  });
  after(() => service[Symbol.asyncDispose]());

  const pathOf = ({ id }: { id: string }) => `/v1/petitions/${id}/signatures`;
  const sign = async ({ api }: Person, petition: { id: string }) => {
    const { status, body } = await api.post(pathOf(petition));
    assert.equal(status, 201);
    return body.data as { id: string };
  };
  const withdraw = async ({ api }: Person, petition: { id: string }) =>
    assert.equal((await api.delete(`${pathOf(petition)}/me`)).status, 204);
  const isKnown = (petition: { id: string }, { id }: Person) =>
    hasWithdrawn(service.ctx.db, petition.id, id);

  it('are stored with the person, and are in their export', async () => {
    const petition = await createPublished(creator);
    const [signer, other] = [await signUp(service, 'Signer'), await signUp(service, 'Other')];
    await sign(signer, petition);
    await sign(other, petition);
    assert.equal(await isKnown(petition, signer), false);
    await withdraw(signer, petition);
    assert.equal(await isKnown(petition, signer), true);
    assert.equal(await isKnown(petition, other), false);
    const { body } = await signer.api.get('/v1/users/me/export');
    const [{ withdrawn_at, ...withdrawal }, ...more] = body.signature_withdrawals;
    assert.deepEqual(withdrawal, { petition_id: petition.id, petition_title: petition.title });
    assert.ok(Date.parse(withdrawn_at) > Date.now() - 60_000);
    assert.deepEqual(more, []);
  });

  it('can be repeated', async () => {
    const petition = await createPublished(creator);
    const signer = await signUp(service, 'Signer');
    for (let n = 0; n < 2; n += 1) {
      await sign(signer, petition);
      await withdraw(signer, petition);
    }
    assert.equal(await isKnown(petition, signer), true);
  });

  it('are not what an administrator removes', async () => {
    const petition = await createPublished(creator);
    const signer = await signUp(service, 'Signer');
    await sign(signer, petition);
    await withdraw(signer, petition);
    const { id } = await sign(signer, petition);
    const admin = await logInAsAdmin(service);
    const path = `/v1/admin/signatures/${id}`;
    assert.equal((await admin.api.delete(path, { reason: 'Forged.' })).status, 204);
    assert.equal(await isKnown(petition, signer), false);
  });

  it('go with the account', async () => {
    const petition = await createPublished(creator);
    const signer = await signUp(service, 'Signer');
    await sign(signer, petition);
    await withdraw(signer, petition);
    const { password } = signer;
    assert.equal((await signer.api.delete('/v1/users/me', { password })).status, 204);
    assert.equal(await isKnown(petition, signer), false);
  });

  it('are forgotten after 90 days', async () => {
    const signer = await signUp(service, 'Signer');
    const [older, newer] = [await createPublished(creator), await createPublished(creator)];
    const { db } = service.ctx;
    for (const [petition, days] of [
      [older, 91],
      [newer, 89],
    ] as const) {
      await sign(signer, petition);
      await withdraw(signer, petition);
      await db`
        update signature_withdrawals set withdrawn_at = ${new Date(Date.now() - days * dayMs)}
        where petition_id = ${petition.id}`;
    }
    await addJob(db, 'forget-withdrawals', {});
    await eventually(async () => !(await isKnown(older, signer)));
    assert.equal(await isKnown(newer, signer), true);
  });
});
