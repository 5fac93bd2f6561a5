import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  createPublished,
  createTokens,
  logInAsAdmin,
  signUp,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { signByMany } from '../../../test/support/signing.ts';
import type { AdminPetition } from './schema.ts';

describe('the queue of changed texts', () => {
  let service: Service;
  let creator: Person;
  let moderator: Person;
  before(async () => {
    service = await startService();
    creator = await signUp(service, 'Creator');
    moderator = await signUp(service, 'Moderator');
    const admin = await logInAsAdmin(service);
    await admin.api.patch(`/v1/admin/users/${moderator.id}`, { role: 'moderator' });
  });
  after(() => service[Symbol.asyncDispose]());

  const change = async ({ id }: { id: string }, title: string) => {
    const { status } = await creator.api.patch(`/v1/petitions/${id}`, { title });
    assert.equal(status, 200);
  };
  const createChanged = async (title: string) => {
    const petition = await createPublished(creator);
    await signByMany(service, petition, 100);
    await change(petition, title);
    return petition;
  };
  /** The whole queue, read by pages of `limit`. */
  const queue = async (limit = 20): Promise<AdminPetition[]> => {
    const seen: AdminPetition[] = [];
    let cursor = '';
    do {
      const path = `/v1/admin/petitions?status=changed&limit=${limit}${cursor}`;
      const { status, body } = await moderator.api.get(path);
      assert.equal(status, 200);
      seen.push(...body.data);
      cursor = body.pagination.has_more ? `&cursor=${body.pagination.next_cursor}` : '';
    } while (cursor);
    return seen;
  };
  const isQueued = async ({ id }: { id: string }) => (await queue()).some((one) => one.id === id);
  const act = (person: Person, { id }: { id: string }, name: string, input?: object) =>
    person.api.post(`/v1/admin/petitions/${id}/${name}`, input);
  const actionsOn = async ({ id }: { id: string }) =>
    service.ctx.db.column<string>`select action from audit_log where target_id = ${id} order by id`;

  it('has the oldest change first, until it is approved', async () => {
    const petitions = [
      await createPublished(creator),
      await createChanged('The second one of all'),
    ];
    await signByMany(service, petitions[0], 100);
    await change(petitions[0], 'The first one, changed later');
    const [later, earlier] = petitions.map(({ id }) => id);
    for (const limit of [1, 20]) {
      const items = await queue(limit);
      assert.deepEqual(
        items.map(({ id }) => id),
        [earlier, later],
      );
      assert.equal(items[0]!.text_change!.signatures_before, 100);
    }
    assert.equal((await creator.api.get('/v1/admin/petitions?status=changed')).status, 403);
    assert.equal((await act(creator, petitions[0], 'approve')).status, 403);

    const approved = await act(moderator, petitions[0], 'approve');
    assert.equal(approved.status, 200);
    assert.equal(approved.body.data.status, 'active');
    // The line stays.
    assert.equal(approved.body.data.text_change.version, 2);
    assert.equal(await isQueued(petitions[0]), false);
    assert.equal(await isQueued(petitions[1]), true);
    const again = await act(moderator, petitions[0], 'approve');
    assert.deepEqual([again.status, again.body.code], [409, 'invalid_state']);
    assert.deepEqual(await actionsOn(petitions[0]), ['petition.approve_change']);

    await change(petitions[0], 'The first one, changed once more');
    assert.equal(await isQueued(petitions[0]), true);
    for (const petition of petitions) await act(moderator, petition, 'approve');
    assert.deepEqual(await queue(), []);
  });

  it('leaves open reports alone, and does not raise how many it takes to hide the petition', async () => {
    const petition = await createChanged('Light the river path');
    const report = (token: string) =>
      service.api.as(token).post('/v1/reports', {
        target_type: 'petition',
        target_id: petition.id,
        reason: 'spam',
      });
    const tokens = await createTokens(service, 5);
    for (const token of tokens.slice(1)) await report(token);
    await act(moderator, petition, 'approve');
    const open = await service.ctx.db`
      select from reports where target_id = ${petition.id} and status = 'open'`;
    assert.equal(open.length, 4);
    await report(tokens[0]!);
    const { body } = await creator.api.get(`/v1/petitions/${petition.id}`);
    assert.equal(body.data.status, 'under_review');
  });

  it('is left by the approval of a petition under review', async () => {
    const petition = await createChanged('Light the river path');
    await service.ctx.db`update petitions set status = 'under_review' where id = ${petition.id}`;
    assert.equal(await isQueued(petition), true);
    assert.equal((await act(moderator, petition, 'approve')).status, 200);
    assert.equal(await isQueued(petition), false);
    assert.deepEqual(await actionsOn(petition), ['petition.approve']);
  });

  it('has closed petitions, but neither drafts nor removed ones', async () => {
    const petition = await createChanged('Light the river path');
    await service.ctx.db`update petitions set status = 'draft' where id = ${petition.id}`;
    assert.equal(await isQueued(petition), false);
    assert.equal((await act(moderator, petition, 'approve')).status, 409);
    await service.ctx.db`update petitions set status = 'active' where id = ${petition.id}`;
    await creator.api.post(`/v1/petitions/${petition.id}/close`);
    assert.equal(await isQueued(petition), true);
    await creator.api.delete(`/v1/petitions/${petition.id}`);
    assert.equal(await isQueued(petition), false);
    assert.equal((await act(moderator, petition, 'approve')).status, 404);
  });

  it('is not entered by what a moderator replaces, and not left either', async () => {
    const redaction = { title: 'The lamps must stay', reason: 'It names a private person.' };
    const petition = await createPublished(creator);
    await signByMany(service, petition, 100);
    assert.equal((await act(moderator, petition, 'redact', redaction)).status, 200);
    assert.equal(await isQueued(petition), false);
    await change(petition, 'The lamps must stay here');
    assert.equal(await isQueued(petition), true);
    await act(moderator, petition, 'redact', { ...redaction, title: 'The lamps must stay on' });
    assert.equal(await isQueued(petition), true);
  });

  it('keeps a change that comes while another one is approved', async () => {
    const petition = await createChanged('Light the river path');
    const [approved] = await Promise.all([
      act(moderator, petition, 'approve'),
      change(petition, 'Light another path altogether'),
    ]);
    const { version } = await service.ctx.db.one<{ version: number }>`
      select version from petitions where id = ${petition.id}`;
    assert.equal(version, 3);
    assert.ok([200, 409].includes(approved.status));
    const [line] = await service.ctx.db`
      select details from audit_log where target_id = ${petition.id}`;
    assert.equal(await isQueued(petition), line?.details.version !== 3);
  });
});
