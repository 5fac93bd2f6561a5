import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Answer } from '../../../test/support/client.ts';
import {
  draft,
  founded,
  joined,
  manyIds,
  published,
  signUp,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

/** What must hold whoever does what at once, in two processes on one database. */
describe('one owner, and no member too many', () => {
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
  /** The same person's calls to the other process. */
  const elsewhere = ({ accessToken }: Person) => beside.api.as(accessToken);
  const transferBy = (api: Person['api'], to: Membership) =>
    api.post(`${pathOf(to)}/transfer-ownership`);
  const statuses = (answers: Answer[]) => answers.map(({ status }) => status);

  /** Who has which role, with the counts of the record held against the rows. */
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

  it('fills the last place once, whichever process is asked', async () => {
    const organization = await founded(founder);
    const others = await manyIds(service, 5);
    for (const id of others.slice(0, 3)) await joined(founder, organization, { id });
    const path = `/v1/organizations/${organization.id}/members`;
    const [one, other] = others.slice(3);
    for (let round = 0; round < 50; round += 1) {
      const answers = await Promise.all([
        founder.api.post(path, { user_id: one, role: 'member' }),
        elsewhere(founder).post(path, { user_id: other, role: 'member' }),
      ]);
      assert.deepEqual(statuses(answers).toSorted(), [201, 402]);
      assert.equal(Object.keys(await rolesIn(organization)).length, 5);
      const added = answers.find(({ status }) => status === 201)!.body.data;
      assert.equal((await founder.api.delete(pathOf(added))).status, 204);
    }
  });

  it('adds somebody once', async () => {
    const organization = await founded(founder);
    const path = `/v1/organizations/${organization.id}/members`;
    const input = { user_id: first.id, role: 'member' };
    for (let round = 0; round < 10; round += 1) {
      const answers = await Promise.all([
        founder.api.post(path, input),
        elsewhere(founder).post(path, input),
      ]);
      assert.deepEqual(statuses(answers).toSorted(), [201, 409]);
      const added = answers.find(({ status }) => status === 201)!.body.data;
      await founder.api.delete(pathOf(added));
    }
  });

  it('passes to one of two to whom it is handed at once', async () => {
    for (let round = 0; round < 10; round += 1) {
      const organization = await founded(founder);
      const toFirst = await joined(founder, organization, first, 'admin');
      const toSecond = await joined(founder, organization, second, 'admin');
      const answers = await Promise.all([
        transferBy(founder.api, toFirst),
        transferBy(elsewhere(founder), toSecond),
      ]);
      assert.deepEqual(statuses(answers).toSorted(), [200, 403]);
      const heir = answers[0]!.status === 200 ? first : second;
      assert.deepEqual(await ownersIn(organization), [heir.id]);
    }
  });

  it('passes to nobody who leaves at that moment', async () => {
    for (let round = 0; round < 10; round += 1) {
      const organization = await founded(founder);
      const toFirst = await joined(founder, organization, first, 'admin');
      const [transfer, leave] = await Promise.all([
        transferBy(founder.api, toFirst),
        elsewhere(first).delete(pathOf(toFirst)),
      ]);
      const passed = transfer.status === 200;
      assert.deepEqual(statuses([transfer, leave]), passed ? [200, 403] : [404, 204]);
      assert.deepEqual(await ownersIn(organization), [passed ? first.id : founder.id]);
    }
  });

  it('passes to nobody who is erased at that moment', async () => {
    for (let round = 0; round < 5; round += 1) {
      const heir = await signUp(service, 'Heir');
      const organization = await founded(founder);
      const toHeir = await joined(founder, organization, heir, 'admin');
      const [transfer, erased] = await Promise.all([
        transferBy(elsewhere(founder), toHeir),
        erase(heir),
      ]);
      assert.ok([200, 404].includes(transfer.status), `${transfer.status}`);
      assert.equal(erased.status, 204);
      // Handed over and given back by the erasing, or never handed over.
      assert.deepEqual(await rolesIn(organization), { [founder.id]: 'owner' });
    }
  });

  it('passes once where the owner is erased while handing it over', async () => {
    for (let round = 0; round < 5; round += 1) {
      const owner = await signUp(service, 'Owner');
      const organization = await founded(owner);
      await joined(owner, organization, second, 'admin');
      const toFirst = await joined(owner, organization, first, 'admin');
      const [transfer, erased] = await Promise.all([
        transferBy(elsewhere(owner), toFirst),
        erase(owner),
      ]);
      assert.equal(erased.status, 204);
      assert.ok([200, 401, 403].includes(transfer.status), `${transfer.status}`);
      // By the transfer to the first; by the erasing to the second, an admin for longer.
      const [heir, other] = transfer.status === 200 ? [first, second] : [second, first];
      assert.deepEqual(await rolesIn(organization), { [heir.id]: 'owner', [other.id]: 'admin' });
    }
  });

  it('goes, when its owner is erased, to the admin, else the member, who was there first', async () => {
    const owner = await signUp(service, 'Owner');
    const withAdmins = await founded(owner);
    await joined(owner, withAdmins, { id: (await manyIds(service, 1))[0]! });
    await joined(owner, withAdmins, first, 'admin');
    await joined(owner, withAdmins, second, 'admin');
    const withMembers = await founded(owner);
    await joined(owner, withMembers, second);
    await joined(owner, withMembers, first);
    const alone = await founded(owner);
    const theirs = await founded(founder);
    await joined(founder, theirs, owner, 'admin');
    // Of somebody who has left since.
    const left = await joined(owner, alone, first);
    const petition = await published(first, { orgId: alone.id });
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

  it('has an owner, though all are erased but one, at once', async () => {
    const people = await Promise.all(['A', 'B', 'C'].map((name) => signUp(service, name)));
    const organizations = [];
    for (const owner of people) {
      const organization = await founded(owner);
      organizations.push(organization);
      for (const person of [...people.filter((one) => one !== owner), founder]) {
        await joined(owner, organization, person);
      }
      // They count in other organizations than they are in.
      await published(owner, { orgId: organization.id });
    }
    const answers = await Promise.all(people.map((person) => erase(person)));
    assert.deepEqual(statuses(answers), [204, 204, 204]);
    for (const organization of organizations) {
      assert.deepEqual(await rolesIn(organization), { [founder.id]: 'owner' });
      const { data } = (await service.api.get(`/v1/organizations/${organization.id}`)).body;
      assert.equal(data.petition_count, 0);
    }
  });

  it('leaves no organization without an owner, founded while its founder is erased', async () => {
    for (let round = 0; round < 5; round += 1) {
      const person = await signUp(service, 'Hasty');
      const api = elsewhere(person);
      const answers = await Promise.all([
        ...Array.from({ length: 6 }, (_, n) =>
          api.post('/v1/organizations', { name: `Hasty ${round} ${n}` }),
        ),
        erase(person),
      ]);
      assert.ok(
        answers.every(({ status }) => [201, 204, 401].includes(status)),
        `${statuses(answers)}`,
      );
    }
    const ownerless = await service.ctx.db`
      select from organizations o
      where not exists (select from memberships where org_id = o.id and role = 'owner')`;
    assert.equal(ownerless.length, 0);
  });

  it('keeps exact counts where petitions are published while it goes, or their creators', async () => {
    const kept = await founded(founder);
    for (let round = 0; round < 5; round += 1) {
      const creator = await signUp(service, 'Creator');
      const going = await founded(founder);
      const drafts = [];
      for (const organization of [kept, going]) {
        const membership = await joined(founder, organization, creator);
        for (let n = 0; n < 3; n += 1) {
          drafts.push(await draft(creator, { orgId: organization.id }));
        }
        if (organization === kept) await founder.api.delete(pathOf(membership));
      }
      const answers = await Promise.all([
        ...drafts.map(({ id }) => elsewhere(creator).post(`/v1/petitions/${id}/publish`)),
        founder.api.delete(`/v1/organizations/${going.id}`),
        ...(round % 2 === 0 ? [erase(creator)] : []),
      ]);
      assert.ok(
        answers.every(({ status }) => status < 500),
        `${statuses(answers)}`,
      );
      const [counted] = await service.ctx.db`
        select o.petition_count, (select count(*)::integer from petitions p
          where p.org_id = o.id and p.listed) as listed
        from organizations o where o.id = ${kept.id}`;
      assert.equal(counted!.petition_count, counted!.listed);
      assert.equal((await service.api.get(`/v1/organizations/${going.id}`)).status, 404);
    }
  });
});
