import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addDecisionMaker, deliver } from '../../../test/support/decision-makers.ts';
import {
  createOrganization,
  createPublished,
  logInAsAdmin,
  signUp,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

describe('who has answered', () => {
  let service: Service;
  let creator: Person;
  let moderator: Person;
  let admin: Person;
  before(async () => {
    service = await startService({ worker: true });
    creator = await signUp(service, 'Creator');
    moderator = await signUp(service, 'Moderator');
    admin = await logInAsAdmin(service);
    await admin.api.patch(`/v1/admin/users/${moderator.id}`, { role: 'moderator' });
  });
  after(() => service[Symbol.asyncDispose]());

  /** A published response of somebody with this address. */
  const answered = async (email: string) => {
    const petition = await createPublished(creator);
    const maker = await addDecisionMaker(creator, petition, { email });
    const { token } = await deliver(service, creator, maker);
    const { status, body } = await service.api.post(`/respond/${token}`, { body: 'We will.' });
    assert.equal(status, 201);
    await creator.api.post(`/v1/responses/${body.data.id}/publish`);
    return { petition, maker };
  };
  const responseTo = async ({ id }: { id: string }) =>
    (await service.api.get(`/v1/petitions/${id}/responses`)).body.data[0];
  const pageOf = async ({ slug }: { slug: string }) =>
    (await service.api.get(`/p/${slug}`, { headers: { accept: 'text/html' } })).body;

  it('is shown by the domain of the address, as not checked', async () => {
    const { petition } = await answered('mayor@council.example');
    const { answered_from, vouched_by, decision_maker } = await responseTo(petition);
    assert.deepEqual(
      [answered_from, vouched_by, decision_maker.verified],
      ['council.example', null, false],
    );
    assert.match(await pageOf(petition), /Answered from @council\.example; identity not checked/);
  });

  it('is verified by a moderator, on record, who can take it back', async () => {
    const { petition, maker } = await answered('mayor@town.example');
    const path = `/v1/admin/decision-makers/${maker.id}/verify`;
    const input = { reason: 'Confirmed by phone.' };
    assert.equal((await creator.api.post(path, input)).status, 403);
    assert.equal((await moderator.api.post(path, input)).body.data.verified, true);
    assert.equal((await responseTo(petition)).decision_maker.verified, true);
    const read = await service.api.get(`/v1/petitions/${petition.id}`);
    assert.equal(read.body.data.decision_makers[0].verified, true);
    const own = await creator.api.get(`/v1/petitions/${petition.id}/decision-makers`);
    assert.deepEqual([own.body.data[0].verified, own.body.data[0].sending], [true, false]);
    assert.equal((await moderator.api.post(path)).body.data.verified, true, 'without a reason');
    assert.match(await pageOf(petition), /moderators have checked who this is/);
    const { body } = await moderator.api.get(`/v1/admin/petitions/${petition.id}/decision-makers`);
    assert.deepEqual(
      body.data.map((one: Record<string, unknown>) => [one.id, one.mail_domain, one.verified]),
      [[maker.id, 'town.example', true]],
    );
    assert.equal((await moderator.api.delete(path, { reason: 'It was a hoax.' })).status, 200);
    assert.equal((await responseTo(petition)).decision_maker.verified, false);
    const lines = (await admin.api.get(`/v1/admin/audit-logs?target_id=${maker.id}`)).body.data;
    assert.deepEqual(
      lines.map(({ action }: { action: string }) => action),
      ['decision_maker.unverify', 'decision_maker.verify', 'decision_maker.verify'],
    );
  });

  it('is vouched for by the verified organization at that domain, and by no other', async () => {
    const website = 'https://www.rivers.example/about';
    const organization = await createOrganization(creator, { website });
    const { petition } = await answered('anna@rivers.example');
    assert.equal((await responseTo(petition)).vouched_by, null);
    const path = `/v1/admin/organizations/${organization.id}`;
    assert.equal((await admin.api.patch(path, { verified: true })).status, 200);
    assert.equal((await responseTo(petition)).vouched_by.id, organization.id);
    const { petition: other } = await answered('anna@evil-rivers.example');
    assert.equal((await responseTo(other)).vouched_by, null);
  });

  it('keeps the domain when the creator, and so the address, is erased', async () => {
    const leaver = await signUp(service, 'Leaver');
    const petition = await createPublished(leaver);
    await creator.api.post(`/v1/petitions/${petition.id}/signatures`);
    const maker = await addDecisionMaker(leaver, petition, { email: 'x@county.example' });
    const { token } = await deliver(service, leaver, maker);
    const { body } = await service.api.post(`/respond/${token}`, { body: 'Yes.' });
    await leaver.api.post(`/v1/responses/${body.data.id}/publish`);
    await leaver.api.delete('/v1/users/me', { password: leaver.password });
    assert.equal((await responseTo(petition)).answered_from, 'county.example');
  });
});
