import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Answer } from '../../../test/support/client.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { waitingForLocks } from '../../../test/support/locks.ts';
import {
  createDraft,
  createOrganization,
  addMember,
  createUserIds,
  createPublished,
  signUp,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { newId } from '../../platform/ids.ts';

/** Invariants under concurrent calls to two processes with one database. */
describe('ownership and member limits under concurrency', () => {
  let service: Service;
  let beside: Service;
  let founder: Person;
  let first: Person;
  let second: Person;
  before(async () => {
    service = await startService();
    beside = await startService({ beside: service });
    founder = await signUp(service, 'Founder');
    first = await signUp(service, 'First');
    second = await signUp(service, 'Second');
  });
  after(async () => {
    await beside[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  });

  interface Membership {
    id: string;
    org_id: string;
  }
  const pathOf = ({ id, org_id }: Membership) => `/v1/organizations/${org_id}/members/${id}`;
  /** Returns the person's client of the other process. */
  const elsewhere = ({ accessToken }: Person) => beside.api.as(accessToken);
  const transferBy = (api: Person['api'], to: Membership) =>
    api.post(`${pathOf(to)}/transfer-ownership`);
  const statuses = (answers: Answer[]) => answers.map(({ status }) => status);
  const inOrder = (answers: Answer[]) => statuses(answers).toSorted((a, b) => a - b);

  /** Returns the members by role, and asserts that the stored counts equal the rows. */
  const rolesIn = async ({ id }: { id: string }) => {
    const rows = await service.ctx.db`
      select user_id, role from memberships where org_id = ${id} order by id`;
    const [organization] = await service.ctx.db`
      select member_count from organizations where id = ${id}`;
    assert.equal(organization?.member_count ?? 0, rows.length);
    return Object.fromEntries(rows.map(({ user_id, role }) => [user_id, role]));
  };
  const ownersIn = async (organization: { id: string }) =>
    Object.entries(await rolesIn(organization)).flatMap(([id, role]) =>
      role === 'owner' ? [id] : [],
    );
  const erase = ({ api, password }: Person) => api.delete('/v1/users/me', { password });

  it('fills the last place once, over both processes', async () => {
    const organization = await createOrganization(founder);
    const others = await createUserIds(service, 5);
    for (const id of others.slice(0, 3)) await addMember(founder, organization, { id });
    const path = `/v1/organizations/${organization.id}/members`;
    const [one, other] = others.slice(3);
    for (let round = 0; round < 50; round += 1) {
      const answers = await Promise.all([
        founder.api.post(path, { user_id: one, role: 'member' }),
        elsewhere(founder).post(path, { user_id: other, role: 'member' }),
      ]);
      assert.deepEqual(inOrder(answers), [201, 402]);
      assert.equal(Object.keys(await rolesIn(organization)).length, 5);
      const added = answers.find(({ status }) => status === 201)!.body.data;
      assert.equal((await founder.api.delete(pathOf(added))).status, 204);
    }
  });

  it('adds a member once', async () => {
    const organization = await createOrganization(founder);
    const path = `/v1/organizations/${organization.id}/members`;
    const input = { user_id: first.id, role: 'member' };
    for (let round = 0; round < 10; round += 1) {
      const answers = await Promise.all([
        founder.api.post(path, input),
        elsewhere(founder).post(path, input),
      ]);
      assert.deepEqual(inOrder(answers), [201, 409]);
      const added = answers.find(({ status }) => status === 201)!.body.data;
      await founder.api.delete(pathOf(added));
    }
  });

  /** Locks the organization, starts the calls one after the other, and releases it when all wait. */
  const queued = async (
    { id }: { id: string },
    ...calls: (() => Promise<Answer>)[]
  ): Promise<number[]> => {
    const answers: Promise<Answer>[] = [];
    await service.ctx.pools.main.begin(async (tx) => {
      await tx`select from organizations where id = ${id} for update`;
      for (const call of calls) {
        answers.push(call());
        await waitForLocks(answers.length);
      }
    });
    return statuses(await Promise.all(answers));
  };
  const waitForLocks = (count: number) =>
    eventually(async () => (await waitingForLocks(service.ctx.db)) === count, 15_000);

  it('passes ownership to the first of two concurrent transfers', async () => {
    const organization = await createOrganization(founder);
    const toFirst = await addMember(founder, organization, first, 'admin');
    const toSecond = await addMember(founder, organization, second, 'admin');
    const answers = await queued(
      organization,
      () => transferBy(founder.api, toFirst),
      () => transferBy(elsewhere(founder), toSecond),
    );
    assert.deepEqual(answers, [200, 403]);
    assert.deepEqual(await ownersIn(organization), [first.id]);
  });

  it('does not pass ownership to a member who leaves at that moment', async () => {
    const organization = await createOrganization(founder);
    const transfer = () => transferBy(founder.api, toFirst);
    const leave = () => elsewhere(first).delete(pathOf(toFirst));
    let toFirst = await addMember(founder, organization, first, 'admin');
    assert.deepEqual(await queued(organization, leave, transfer), [204, 404]);
    assert.deepEqual(await rolesIn(organization), { [founder.id]: 'owner' });
    toFirst = await addMember(founder, organization, first, 'admin');
    assert.deepEqual(await queued(organization, transfer, leave), [200, 403]);
    assert.deepEqual(await ownersIn(organization), [first.id]);
  });

  it('does not pass ownership to an account that is erased at that moment', async () => {
    for (const erasedFirst of [true, false]) {
      const heir = await signUp(service, 'Heir');
      const organization = await createOrganization(founder);
      const toHeir = await addMember(founder, organization, heir, 'admin');
      const calls = [() => erase(heir), () => transferBy(elsewhere(founder), toHeir)];
      const answers = await queued(organization, ...(erasedFirst ? calls : calls.toReversed()));
      assert.deepEqual(answers, erasedFirst ? [204, 404] : [200, 204]);
      // Not transferred, or passed back by the erasure.
      assert.deepEqual(await rolesIn(organization), { [founder.id]: 'owner' });
    }
  });

  it('passes ownership once if the owner is erased during the transfer', async () => {
    for (const erasedFirst of [true, false]) {
      const owner = await signUp(service, 'Owner');
      const organization = await createOrganization(owner);
      await addMember(owner, organization, second, 'admin');
      const toFirst = await addMember(owner, organization, first, 'admin');
      const calls = [() => erase(owner), () => transferBy(elsewhere(owner), toFirst)];
      const answers = await queued(organization, ...(erasedFirst ? calls : calls.toReversed()));
      assert.deepEqual(answers, erasedFirst ? [204, 403] : [200, 204]);
      // The erasure passes it to the second, the longest-serving admin; the transfer to the first.
      const [heir, other] = erasedFirst ? [second, first] : [first, second];
      assert.deepEqual(await rolesIn(organization), { [heir.id]: 'owner', [other.id]: 'admin' });
    }
  });

  it('passes ownership of an erased owner to the oldest admin, or else the oldest member', async () => {
    const owner = await signUp(service, 'Owner');
    const withAdmins = await createOrganization(owner);
    await addMember(owner, withAdmins, { id: (await createUserIds(service, 1))[0]! });
    await addMember(owner, withAdmins, first, 'admin');
    await addMember(owner, withAdmins, second, 'admin');
    const withMembers = await createOrganization(owner);
    await addMember(owner, withMembers, second);
    await addMember(owner, withMembers, first);
    const alone = await createOrganization(owner);
    const theirs = await createOrganization(founder);
    await addMember(founder, theirs, owner, 'admin');
    // A petition of a former member.
    const left = await addMember(owner, alone, first);
    const petition = await createPublished(first, { orgId: alone.id });
    await first.api.delete(pathOf(left));

    const { body } = await owner.api.get('/v1/users/me/export');
    assert.deepEqual(
      body.memberships.map((one: { slug: string; role: string }) => [one.slug, one.role]),
      [
        [withAdmins.slug, 'owner'],
        [withMembers.slug, 'owner'],
        [alone.slug, 'owner'],
        [theirs.slug, 'admin'],
      ],
    );
    assert.equal((await erase(owner)).status, 204);
    assert.deepEqual(await ownersIn(withAdmins), [first.id]);
    assert.deepEqual(await rolesIn(withMembers), { [second.id]: 'owner', [first.id]: 'member' });
    assert.equal((await service.api.get(`/v1/organizations/${alone.id}`)).status, 404);
    assert.deepEqual(await rolesIn(theirs), { [founder.id]: 'owner' });
    const read = await service.api.get(`/v1/petitions/${petition.id}`);
    assert.equal(read.body.data.org_id, null);
  });

  it('creates no organization while the account of its founder is erased', async () => {
    const person = await signUp(service, 'Hasty');
    const id = newId();
    let erasing: Promise<Answer> | undefined;
    // The insert of a new organization, not yet committed when the erasure reads memberships.
    await service.ctx.pools.main.begin(async (tx) => {
      await tx`insert into organizations (id, name, slug) values (${id}, 'Hasty', 'hasty')`;
      await tx`
        insert into memberships (id, org_id, user_id, role)
        values (${newId()}, ${id}, ${person.id}, 'owner')`;
      erasing = erase(person);
      await waitForLocks(1);
    });
    assert.equal((await erasing)!.status, 204);
    assert.equal((await service.api.get('/v1/organizations/hasty')).status, 404);
  });

  it('can be deleted, like its members, while they publish', async () => {
    const creator = await signUp(service, 'Creator');
    const organization = await createOrganization(founder);
    await addMember(founder, organization, creator);
    const publishing = (petition: { id: string }) => () =>
      elsewhere(creator).post(`/v1/petitions/${petition.id}/publish`);

    const going = await createOrganization(founder);
    await addMember(founder, going, creator);
    const staying = await createDraft(creator, { orgId: going.id });
    const deletion = () => founder.api.delete(`/v1/organizations/${going.id}`);
    assert.deepEqual(await queued(going, deletion, publishing(staying)), [204, 200]);
    const read = await service.api.get(`/v1/petitions/${staying.id}`);
    assert.deepEqual([read.body.data.status, read.body.data.org_id], ['active', null]);

    const open = await createPublished(creator, { orgId: organization.id });
    await second.api.post(`/v1/petitions/${open.id}/signatures`);
    const unpublished = await createDraft(creator, { orgId: organization.id });
    const erasing = () => erase(creator);
    // The draft went with its creator.
    assert.deepEqual(await queued(organization, erasing, publishing(unpublished)), [204, 404]);
    const { data } = (await service.api.get(`/v1/organizations/${organization.id}`)).body;
    assert.deepEqual([data.petition_count, data.member_count], [1, 1]);

    // It is deleted with its last member, while a former member publishes.
    const last = await signUp(service, 'Last');
    const ending = await createOrganization(last);
    const left = await addMember(last, ending, first);
    const theirs = await createDraft(first, { orgId: ending.id });
    await first.api.delete(pathOf(left));
    const publish = () => elsewhere(first).post(`/v1/petitions/${theirs.id}/publish`);
    assert.deepEqual(await queued(ending, () => erase(last), publish), [204, 200]);
    assert.equal((await service.api.get(`/v1/organizations/${ending.id}`)).status, 404);
  });

  it('erases accounts concurrently that share several organizations', async () => {
    const [one, other] = [await signUp(service, 'One'), await signUp(service, 'Other')];
    const organizations = [await createOrganization(founder), await createOrganization(founder)];
    for (const organization of organizations) {
      await addMember(founder, organization, other);
      const membership = await addMember(founder, organization, one);
      // In the second organization, one of them has only petitions.
      if (organization === organizations[1]) {
        await createPublished(one, { orgId: organization.id });
        await one.api.delete(pathOf(membership));
      }
    }
    const answers = await queued(
      organizations[0],
      () => erase(other),
      () => erase(one),
    );
    assert.deepEqual(answers, [204, 204]);
    for (const organization of organizations) {
      assert.deepEqual(await rolesIn(organization), { [founder.id]: 'owner' });
      const { data } = (await service.api.get(`/v1/organizations/${organization.id}`)).body;
      assert.equal(data.petition_count, 0);
    }
  });
});
