import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  createOrganization,
  addMember,
  logInAsAdmin,
  createUserIds,
  signUp,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

describe('members of organizations', () => {
  let service: Service;
  let administrator: Person;
  let owner: Person;
  let admin: Person;
  let admin2: Person;
  let member: Person;
  let member2: Person;
  let stranger: Person;
  before(async () => {
    service = await startService();
    administrator = await logInAsAdmin(service);
    const names = ['Owner', 'Admin', 'Admin 2', 'Member', 'Member 2', 'Stranger'];
    [owner, admin, admin2, member, member2, stranger] = (await Promise.all(
      names.map((name) => signUp(service, name)),
    )) as [Person, Person, Person, Person, Person, Person];
  });
  after(() => service[Symbol.asyncDispose]());

  const membersOf = ({ id }: { id: string }) => `/v1/organizations/${id}/members`;
  interface Membership {
    id: string;
    org_id: string;
    role: string;
    user: { id: string };
  }
  const pathOf = ({ id, org_id }: Membership) => `/v1/organizations/${org_id}/members/${id}`;
  const roleOf = async ({ id, org_id }: Membership) => {
    const { body } = await administrator.api.get(`/v1/organizations/${org_id}/members`);
    return body.data.find((one: Membership) => one.id === id)?.role;
  };

  /** Returns a full organization: its owner, two admins and two members. */
  const full = async () => {
    const organization = await createOrganization(owner);
    return {
      organization,
      ofAdmin: await addMember(owner, organization, admin, 'admin'),
      ofAdmin2: await addMember(owner, organization, admin2, 'admin'),
      ofMember: await addMember(owner, organization, member),
      ofMember2: await addMember(owner, organization, member2),
      ofOwner: (await owner.api.get(`${membersOf(organization)}?role=owner`)).body
        .data[0] as Membership,
    };
  };

  it('are listed to members and administrators, newest first and by role', async () => {
    const { organization, ofAdmin, ofAdmin2, ofMember, ofMember2, ofOwner } = await full();
    const { created_at, ...shown } = ofMember;
    const profile = (await service.api.get(`/v1/users/${member.slug}`)).body.data;
    assert.ok(Date.parse(created_at));
    assert.deepEqual(shown, {
      id: ofMember.id,
      org_id: organization.id,
      user: profile,
      role: 'member',
    });
    const all = [ofMember2, ofMember, ofAdmin2, ofAdmin, ofOwner];
    for (const person of [owner, admin, member, administrator]) {
      const { status, body } = await person.api.get(membersOf(organization));
      assert.equal(status, 200);
      assert.deepEqual(body.data, all);
    }
    const bySlug = `/v1/organizations/${organization.slug}/members`;
    const admins = await member.api.get(`${bySlug}?role=admin`);
    assert.deepEqual(admins.body.data, [ofAdmin2, ofAdmin]);
    const seen = [];
    let cursor = '';
    do {
      const { body } = await member.api.get(`${bySlug}?limit=2${cursor}`);
      seen.push(...body.data);
      cursor = body.pagination.next_cursor ? `&cursor=${body.pagination.next_cursor}` : '';
    } while (cursor);
    assert.deepEqual(seen, all);

    assert.equal((await stranger.api.get(bySlug)).status, 403);
    assert.equal((await service.api.get(bySlug)).status, 401);
    assert.equal((await member.api.get(`${bySlug}?role=guest`)).status, 422);
    assert.equal((await member.api.get('/v1/organizations/no-such/members')).status, 404);
    const { data } = (await service.api.get(`/v1/organizations/${organization.id}`)).body;
    assert.equal(data.member_count, 5);
  });

  it('are added by the owner and admins, once each, with an event', async () => {
    const organization = await createOrganization(owner);
    const path = membersOf(organization);
    const added = await addMember(owner, organization, admin, 'admin');
    await addMember(admin, organization, admin2, 'admin');
    await addMember(admin, organization, member);
    for (const person of [member, stranger, administrator]) {
      const refused = await person.api.post(path, { user_id: member2.id, role: 'member' });
      assert.equal(refused.status, 403);
    }
    for (const person of [owner, member]) {
      const twice = await admin.api.post(path, { user_id: person.id, role: 'admin' });
      assert.equal(twice.status, 409);
      assert.equal(twice.body.code, 'already_member');
    }
    const [suspended] = await createUserIds(service, 1);
    await service.ctx.db`update users set suspended_at = now() where id = ${suspended!}`;
    for (const user_id of [organization.id, suspended]) {
      const refused = await owner.api.post(path, { user_id, role: 'member' });
      assert.equal(refused.status, 422);
      assert.equal(refused.body.errors[0].field, 'user_id');
    }
    const owned = await owner.api.post(path, { user_id: member2.id, role: 'owner' });
    assert.equal(owned.status, 422);
    assert.equal(owned.body.errors[0].field, 'role');

    const events = await service.ctx.db`
      select actor_type, actor_id, petition_id, data from events
      where type = 'organization.member_added' and data ->> 'org_id' = ${organization.id}
      order by position`;
    assert.equal(events.length, 3);
    assert.deepEqual(events[0], {
      actor_type: 'user',
      actor_id: owner.id,
      petition_id: null,
      data: { org_id: organization.id, user_id: admin.id },
    });
    assert.equal(added.user.id, admin.id);
  });

  it('are limited by the tier', async () => {
    const { organization, ofMember } = await full();
    const path = membersOf(organization);
    const add = async (user_id: string) => owner.api.post(path, { user_id, role: 'member' });
    const over = await add(stranger.id);
    assert.equal(over.status, 402);
    assert.equal(over.body.code, 'member_limit_reached');
    assert.match(over.body.type, /payment-required$/);
    assert.equal((await add(member.id)).body.code, 'already_member');

    await owner.api.delete(pathOf(ofMember));
    assert.equal((await add(stranger.id)).status, 201);
    assert.equal((await add(member.id)).status, 402);

    const tier = (name: string) =>
      administrator.api.patch(`/v1/admin/organizations/${organization.id}`, { tier: name });
    await tier('pro');
    const [fiftieth, next, ...others] = await createUserIds(service, 46);
    await service.ctx.db`
      insert into memberships (id, org_id, user_id, role)
      select gen_random_uuid(), ${organization.id}, id, 'member'
      from unnest(${others}::uuid[]) as added (id)`;
    assert.equal((await add(fiftieth!)).status, 201);
    assert.equal((await add(next!)).status, 402);
    await tier('enterprise');
    assert.equal((await add(next!)).status, 201);
    // A lower tier removes no members.
    await tier('free');
    const { data } = (await service.api.get(`/v1/organizations/${organization.id}`)).body;
    assert.equal(data.member_count, 51);
    assert.equal((await add(member.id)).status, 402);
  });

  it('have their roles changed by those who manage them', async () => {
    const { ofAdmin, ofAdmin2, ofMember, ofOwner } = await full();
    const change = async (person: Person, membership: Membership, role: string) => {
      const { status, body } = await person.api.patch(pathOf(membership), { role });
      if (status === 200) assert.deepEqual(body.data, { ...membership, role });
      return status;
    };
    assert.equal(await change(admin, ofMember, 'admin'), 200);
    assert.equal(await change(admin, ofMember, 'member'), 403, 'an admin now');
    assert.equal(await change(owner, ofMember, 'member'), 200);
    for (const role of ['admin', 'member']) {
      assert.equal(await change(member, ofMember, role), 403);
      assert.equal(await change(member, ofAdmin, role), 403);
      assert.equal(await change(admin, ofAdmin2, role), 403);
      for (const person of [owner, admin, member, stranger, administrator]) {
        assert.equal(await change(person, ofOwner, role), 403);
      }
    }
    assert.equal(await change(stranger, ofMember, 'admin'), 403);
    assert.equal(await change(administrator, ofMember, 'admin'), 403);
    assert.equal(await change(owner, ofMember, 'owner'), 422);
    assert.equal(await change(admin, ofAdmin, 'member'), 200, 'admins may step down');
    assert.equal(await change(admin, ofAdmin, 'admin'), 403, 'and not up again');
    assert.equal(await roleOf(ofAdmin), 'member');
    assert.equal(await roleOf(ofOwner), 'owner');

    const elsewhere = await createOrganization(owner);
    const wrong = `${membersOf(elsewhere)}/${ofMember.id}`;
    for (const method of ['PATCH', 'DELETE'] as const) {
      const body = method === 'PATCH' ? { role: 'admin' } : undefined;
      assert.equal((await owner.api.send(method, wrong, body)).status, 404);
    }
    assert.equal((await owner.api.post(`${wrong}/transfer-ownership`)).status, 404);
  });

  it('are removed by those who manage them, and can leave', async () => {
    const { organization, ofAdmin, ofAdmin2, ofMember, ofMember2, ofOwner } = await full();
    const remove = async (person: Person, membership: Membership) =>
      (await person.api.delete(pathOf(membership))).status;
    assert.equal(await remove(member, ofMember2), 403);
    assert.equal(await remove(member, ofAdmin), 403);
    assert.equal(await remove(admin, ofAdmin2), 403);
    assert.equal(await remove(stranger, ofMember), 403);
    assert.equal(await remove(administrator, ofMember), 403);
    for (const person of [owner, admin, member, administrator]) {
      assert.equal(await remove(person, ofOwner), 403);
    }
    assert.equal(await remove(admin, ofMember), 204);
    assert.equal(await remove(admin, ofMember), 404);
    assert.equal(await remove(member2, ofMember2), 204, 'a member leaves');
    assert.equal(await remove(admin2, ofAdmin2), 204, 'an admin leaves');
    assert.equal(await remove(owner, ofAdmin), 204);
    assert.equal((await admin.api.get(membersOf(organization))).status, 403);
    const { body } = await owner.api.get(membersOf(organization));
    assert.deepEqual(body.data, [ofOwner]);
  });

  it('get the ownership from the owner as admins only', async () => {
    const { organization, ofAdmin, ofMember, ofOwner } = await full();
    const transfer = async (person: Person, membership: Membership) =>
      person.api.post(`${pathOf(membership)}/transfer-ownership`);
    for (const person of [admin, admin2, member, stranger, administrator]) {
      assert.equal((await transfer(person, ofAdmin)).status, 403);
    }
    for (const membership of [ofMember, ofOwner]) {
      const refused = await transfer(owner, membership);
      assert.equal(refused.status, 409);
      assert.equal(refused.body.code, 'invalid_state');
    }
    const passed = await transfer(owner, ofAdmin);
    assert.equal(passed.status, 200);
    assert.deepEqual(passed.body.data, { ...ofAdmin, role: 'owner' });
    assert.equal(await roleOf(ofOwner), 'admin');
    assert.equal((await transfer(owner, ofAdmin)).status, 403, 'the owner no longer');
    assert.equal((await owner.api.delete(`/v1/organizations/${organization.id}`)).status, 403);
    assert.equal((await owner.api.delete(pathOf(ofOwner))).status, 204, 'may leave now');
    assert.equal((await admin.api.delete(pathOf(ofAdmin))).status, 403);
  });
});
