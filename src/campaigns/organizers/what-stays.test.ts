import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addDecisionMaker } from '../../../test/support/decision-makers.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { waitingForLocks } from '../../../test/support/locks.ts';
import {
  addOrganizer,
  createOrganized,
  creatorOf,
  eraseAccount,
} from '../../../test/support/organizers.ts';
import {
  addMember,
  createOrganization,
  createPublished,
  logInAsAdmin,
  signUp,
  signUpProven,
  verifyAddress,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { linkToken } from './links.ts';

/** Found by an attack on the first version. */
describe('what stays with whom when a petition changes hands', () => {
  let service: Service;
  let admin: Person;
  before(async () => {
    service = await startService();
    admin = await logInAsAdmin(service);
  });
  after(() => service[Symbol.asyncDispose]());

  /** Gives the petition to its first organizer, or erases its creator. */
  const ways = {
    async 'handing over'({ creator, people: [first], path }: Organized) {
      await creator.api.put(`${path}/hand-over`, { organizer_id: first!.organizerId });
      const { status } = await first!.api.post(`${path}/hand-over/accept`);
      assert.equal(status, 200);
    },
    async 'erasing the creator'({ creator }: Organized) {
      assert.equal(await eraseAccount(service, creator), 204);
    },
  };
  type Organized = Awaited<ReturnType<typeof createOrganized>>;

  for (const [way, pass] of Object.entries(ways)) {
    it(`ends pending deliveries and invitations: ${way}`, async () => {
      const organized = await createOrganized(service, 'editor');
      const { creator, petition, people, path } = organized;
      const maker = await addDecisionMaker(creator, petition);
      await creator.api.post(`${maker.path}/deliver`, { message: 'Words of the former one' });
      const input = { email: 'later@example.org', role: 'editor' };
      const invited = await creator.api.post(`${path}/organizers`, input);
      await pass(organized);
      assert.equal(await creatorOf(service, petition.id), people[0]!.id);
      const [link] = await service.ctx.db`
        select l.message, l.failed_at is not null as has_failed from decision_maker_links l
        join decision_makers m on m.id = l.decision_maker_id where m.petition_id = ${petition.id}`;
      assert.deepEqual({ ...link }, { message: null, has_failed: true });
      const second = await signUp(service, 'Second Account');
      const token = linkToken(service.ctx, invited.body.data.id);
      const { status } = await second.api.post(`/v1/organizer-invitations/${token}`);
      assert.equal(status, 404);
    });

    it(`keeps whose updates are whose: ${way}`, async () => {
      const organized = await createOrganized(service, 'editor');
      const { creator, petition, people, path } = organized;
      const update = { title: 'By the former one', body: 'My own words' };
      await creator.api.post(`${path}/updates`, update);
      await creator.api.post(`${path}/updates`, update);
      // As before the column existed.
      await service.ctx.db`
        update updates set author_id = null where id = (
          select id from updates where petition_id = ${petition.id} order by id limit 1)`;
      await pass(organized);
      const { body } = await people[0]!.api.get('/v1/users/me/export');
      assert.deepEqual(body.updates, []);
    });
  }

  for (const act of ['taking back', 'removing'] as const) {
    it(`${act} and accepting do not both succeed`, async () => {
      const { creator, petition, people, path } = await createOrganized(service, 'editor');
      const [editor] = people;
      const id = editor!.organizerId;
      await creator.api.put(`${path}/hand-over`, { organizer_id: id });
      const below = act === 'taking back' ? 'hand-over' : `organizers/${id}`;
      const calls: Promise<{ status: number }>[] = [];
      const wait = (count: number) =>
        eventually(async () => (await waitingForLocks(service.ctx.db)) >= count);
      await service.ctx.pools.main.begin(async (tx) => {
        await tx`select from petitions where id = ${petition.id} for update`;
        await tx`select from petition_organizers where id = ${id} for update`;
        calls.push(creator.api.delete(`${path}/${below}`));
        await wait(1);
        calls.push(editor!.api.post(`${path}/hand-over/accept`));
        await wait(2);
      });
      const statuses = (await Promise.all(calls)).map(({ status }) => status);
      assert.deepEqual(statuses, [204, 404]);
      assert.equal(await creatorOf(service, petition.id), creator.id);
    });
  }

  it('is not passed to somebody outside of its organization', async () => {
    const owner = await signUp(service, 'Owner');
    const creator = await signUp(service, 'Member');
    const [outsider, member] = [await signUp(service, 'Outsider'), await signUp(service, 'Other')];
    const organization = await createOrganization(owner);
    await addMember(owner, organization, creator);
    await addMember(owner, organization, member);
    const { id } = await createPublished(creator, { orgId: organization.id });
    const organizer_id = await addOrganizer(service, id, outsider, 'editor');
    await addOrganizer(service, id, member, 'author');
    await creator.api.put(`/v1/petitions/${id}/hand-over`, { organizer_id });
    const refused = await outsider.api.post(`/v1/petitions/${id}/hand-over/accept`);
    assert.equal(refused.status, 403);
    await eraseAccount(service, creator);
    assert.equal(await creatorOf(service, id), member.id);
  });

  it('does not come back with a creator whom moderators suspended', async () => {
    const { creator, petition, people, path } = await createOrganized(service, 'editor');
    const [editor] = people;
    await creator.api.put(`${path}/hand-over`, { organizer_id: editor!.organizerId });
    const suspend = (id: string, content: string) =>
      admin.api.post(`/v1/admin/users/${id}/suspend`, { reason: 'Spam', content });
    const restore = (id: string) => admin.api.post(`/v1/admin/users/${id}/unsuspend`);
    await suspend(creator.id, 'hide');
    await editor!.api.post(`${path}/hand-over/accept`);
    await restore(creator.id);
    await suspend(editor!.id, 'keep');
    await restore(editor!.id);
    const status = await service.ctx.db.value`
      select status from petitions where id = ${petition.id}`;
    assert.equal(status, 'under_review');
  });

  it('forgets the address of an invitation with its account', async () => {
    const creator = await signUp(service, 'Inviting');
    await verifyAddress(service, creator);
    const invited = await signUpProven(service, 'Invited');
    const other = await signUp(service, 'Other');
    const input = { email: invited.email, role: 'author' };
    const ids: string[] = [];
    for (let n = 0; n < 2; n++) {
      const { id } = await createPublished(creator);
      const { body } = await creator.api.post(`/v1/petitions/${id}/organizers`, input);
      ids.push(body.data.id);
    }
    await other.api.post(`/v1/organizer-invitations/${linkToken(service.ctx, ids[0]!)}`);
    assert.equal(await eraseAccount(service, invited), 204);
    const rows = await service.ctx.db`
      select email, user_id from petition_organizers where id = any(${ids}::uuid[])`;
    assert.deepEqual(
      rows.map((row) => ({ ...row })),
      [{ email: null, user_id: other.id }],
    );
  });

  it('tells the author of an update why moderators deleted it', async () => {
    const { petition, people, path } = await createOrganized(service, 'editor');
    const [editor] = people;
    const update = { title: 'By an editor', body: 'Bad words' };
    const { body } = await editor!.api.post(`${path}/updates`, update);
    await admin.api.delete(`/v1/updates/${body.data.id}`, { reason: 'It insults people.' });
    const about = await service.ctx.db.value`
      select user_id from moderation_decisions where petition_id = ${petition.id}`;
    assert.equal(about, editor!.id);
  });
});
