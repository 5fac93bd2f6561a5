import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import {
  createDraft,
  createPublished,
  logInAsAdmin,
  petitionInput,
  signUp,
  verifyAddress,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

describe('text that a moderator replaces', () => {
  let service: Service;
  let creator: Person;
  let moderator: Person;
  before(async () => {
    service = await startService({ worker: true });
    creator = await signUp(service, 'Creator');
    await verifyAddress(service, creator);
    moderator = await signUp(service, 'Moderator');
    const admin = await logInAsAdmin(service);
    await admin.api.patch(`/v1/admin/users/${moderator.id}`, { role: 'moderator' });
  });
  after(() => service[Symbol.asyncDispose]());

  const redact = (person: Person, { id }: { id: string }, input: object) =>
    person.api.post(`/v1/admin/petitions/${id}/redact`, input);
  const versionsOf = async ({ id }: { id: string }) =>
    (await service.api.get(`/v1/petitions/${id}/versions`)).body.data;
  const hashOf = (title: string, description: string) =>
    createHash('sha256').update(`${title}\n${description}`).digest('base64url');
  const reason = 'It names a private person.';
  const secret = 'John Doe of 5 Mill Lane must go';

  it('leaves the versions, whose hashes stay, with the reason', async () => {
    const petition = await createPublished(creator);
    const { title: first, description } = petitionInput;
    for (const title of [secret, `${secret} now`]) {
      await creator.api.patch(`/v1/petitions/${petition.id}`, { title });
    }
    const report = { target_type: 'petition', target_id: petition.id, reason: 'harassment' };
    const { id: reportId } = (await moderator.api.post('/v1/reports', report)).body.data;
    const reported = async () =>
      (await moderator.api.get('/v1/admin/reports?limit=100')).body.data.find(
        ({ id }: { id: string }) => id === reportId,
      ).snapshot;
    assert.equal((await reported()).title, `${secret} now`);
    const title = 'The lamps must stay';
    const { status, body } = await redact(moderator, petition, { title, reason });
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.data.title, title);
    assert.equal(await reported(), null);
    const versions = await versionsOf(petition);
    assert.deepEqual(
      versions.map((one: Record<string, unknown>) => [
        one.version,
        one.title,
        one.description,
        one.redaction_reason,
        one.text_hash,
      ]),
      [
        [4, title, description, null, hashOf(title, description)],
        [3, null, description, reason, hashOf(`${secret} now`, description)],
        [2, null, description, reason, hashOf(secret, description)],
        [1, null, description, reason, hashOf(first, description)],
      ],
    );
    const stored = await service.ctx.db`
      select v::text as row from petition_versions v where petition_id = ${petition.id}`;
    assert.ok(!JSON.stringify(stored).includes('Mill Lane'));
    const admin = await logInAsAdmin(service);
    const [line] = (await admin.api.get(`/v1/admin/audit-logs?target_id=${petition.id}`)).body.data;
    assert.deepEqual([line.action, line.details.reason], ['petition.redact', reason]);
    await eventually(async () =>
      (await service.mails()).some(
        (mail) => mail.includes(`To: ${creator.email}`) && mail.includes(reason),
      ),
    );
  });

  it('has no history on a draft', async () => {
    const draft = await createDraft(creator, { title: secret });
    assert.equal(
      (await redact(moderator, draft, { title: 'The lamps must stay', reason })).status,
      200,
    );
    const { body } = await creator.api.get(`/v1/petitions/${draft.id}/versions`);
    assert.deepEqual(
      body.data.map(({ title }: { title: string }) => title),
      ['The lamps must stay'],
    );
  });

  it('is replaced by moderators only, with a text and a reason', async () => {
    const petition = await createPublished(creator);
    assert.equal((await redact(creator, petition, { title: 'Mine now', reason })).status, 403);
    assert.equal((await redact(moderator, petition, { reason })).status, 422);
    assert.equal((await redact(moderator, petition, { title: 'Without reason' })).status, 422);
  });

  it('loses the reason with the account that it is about', async () => {
    const leaver = await signUp(service, 'Leaver');
    const petition = await createPublished(leaver);
    await creator.api.post(`/v1/petitions/${petition.id}/signatures`);
    await redact(moderator, petition, { title: 'The lamps must stay', reason });
    await leaver.api.delete('/v1/users/me', { password: leaver.password });
    const versions = await versionsOf(petition);
    assert.ok(versions.every((one: { redaction_reason: null }) => one.redaction_reason === null));
  });
});
