import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  createDraft,
  createOrganization,
  addMember,
  logInAsAdmin,
  createPublished,
  signUp,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import type { Caller } from '../../platform/http/route.ts';
import { organizationCover, organizationLogo } from './organizations.ts';

describe('organizations', () => {
  let service: Service;
  let administrator: Person;
  let owner: Person;
  let admin: Person;
  let member: Person;
  let stranger: Person;
  before(async () => {
    service = await startService();
    administrator = await logInAsAdmin(service);
    owner = await signUp(service, 'Owner');
    admin = await signUp(service, 'Admin');
    member = await signUp(service, 'Member');
    stranger = await signUp(service, 'Stranger');
  });
  after(() => service[Symbol.asyncDispose]());

  const pathOf = ({ id }: { id: string }) => `/v1/organizations/${id}`;
  /** Returns an organization with one member of each role. */
  const staffed = async () => {
    const organization = await createOrganization(owner);
    await addMember(owner, organization, admin, 'admin');
    await addMember(owner, organization, member);
    return organization;
  };
  const read = async (organization: { id: string }) =>
    (await service.api.get(pathOf(organization))).body.data;
  const administer = (organization: { id: string }, body: object, person = administrator) =>
    person.api.patch(`/v1/admin/organizations/${organization.id}`, body);

  it('shows an organization as it was founded, by id and by slug', async () => {
    const created = await owner.api.post('/v1/organizations', {
      name: '  Où est   Zoë? ',
      description: '<b>Bold</b>',
      logo_url: 'https://zoe.example/logo.png',
      website: 'https://zoe.example',
    });
    assert.equal(created.status, 201);
    const { id, created_at, ...shown } = created.body.data;
    assert.deepEqual(shown, {
      name: 'Où est Zoë?',
      slug: 'ou-est-zoe',
      description: '<b>Bold</b>',
      description_html: '<p>&lt;b&gt;Bold&lt;/b&gt;</p>\n',
      logo_url: 'https://zoe.example/logo.png',
      cover_url: null,
      website: 'https://zoe.example',
      verified: false,
      tier: 'free',
      member_count: 1,
      petition_count: 0,
    });
    assert.ok(Date.parse(created_at));
    assert.equal(
      created.headers.get('location'),
      'http://petitions.test/v1/organizations/ou-est-zoe',
    );
    for (const ref of [id, id.toUpperCase(), 'ou-est-zoe']) {
      const { status, body } = await service.api.get(`/v1/organizations/${ref}`);
      assert.equal(status, 200);
      assert.deepEqual(body.data, created.body.data);
    }
    const { headers } = await service.api.get(`/v1/organizations/${id}`);
    const again = await service.api.get(`/v1/organizations/${id}`, {
      headers: { 'if-none-match': headers.get('etag')! },
    });
    assert.equal(again.status, 304);
  });

  it('accepts a name once, in any case and spacing', async () => {
    await createOrganization(owner, { name: 'The One and Only' });
    const other = await createOrganization(stranger);
    for (const taken of ['The One and Only', 'THE one  and only ']) {
      const founding = await stranger.api.post('/v1/organizations', { name: taken });
      const renaming = await stranger.api.patch(pathOf(other), { name: taken });
      for (const { status, body } of [founding, renaming]) {
        assert.equal(status, 409);
        assert.equal(body.code, 'name_in_use');
      }
    }
    // Colliding slugs are allowed for different names.
    assert.match(
      (await createOrganization(stranger, { name: 'The One, and Only!' })).slug,
      /^the-one-and-only-/,
    );
    assert.match((await createOrganization(stranger, { name: 'Me' })).slug, /^me-/);
    for (const name of ['', 'x', ' x ', '   ', 'x'.repeat(101), null, 7, 'nu\0ll']) {
      const refused = await stranger.api.post('/v1/organizations', { name });
      assert.equal(refused.status, 422, JSON.stringify(name));
      assert.equal(refused.body.errors[0].field, 'name');
    }
    await createOrganization(stranger, { name: '😀'.repeat(100) });
  });

  it('gives a name to one of several concurrent requests', async () => {
    const input = { name: 'Wanted by many' };
    const answers = await Promise.all(
      [owner, admin, member, stranger].map(({ api }) => api.post('/v1/organizations', input)),
    );
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    assert.deepEqual(statuses, [201, 409, 409, 409]);
  });

  it('creates one organization per Idempotency-Key', async () => {
    const input = { name: 'Founded once' };
    const options = { headers: { 'idempotency-key': 'founding' } };
    const first = await owner.api.post('/v1/organizations', input, options);
    assert.equal(first.status, 201);
    const second = await owner.api.post('/v1/organizations', input, options);
    assert.deepEqual(second.body.data, first.body.data);
  });

  it('lists the newest first, page by page; the verified ones alone on request', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) ids.unshift((await createOrganization(owner)).id);
    const verified = [ids[1]!, ids[3]!];
    for (const id of verified) await administer({ id }, { verified: true });

    const walk = async (query: string) => {
      const seen: string[] = [];
      let cursor = '';
      do {
        const { status, body } = await service.api.get(
          `/v1/organizations?limit=2${query}${cursor}`,
        );
        assert.equal(status, 200);
        seen.push(...body.data.map(({ id }: { id: string }) => id));
        cursor = body.pagination.next_cursor ? `&cursor=${body.pagination.next_cursor}` : '';
      } while (cursor);
      return seen;
    };
    const all = await walk('');
    assert.deepEqual(all.slice(0, 5), ids);
    assert.equal(new Set(all).size, all.length);
    assert.deepEqual(await walk('&verified_only=true'), verified);
    assert.deepEqual(await walk('&verified_only=false'), all);
    assert.equal((await service.api.get('/v1/organizations?verified_only=maybe')).status, 422);
  });

  it('is changed by its owner and admins; null clears, the slug stays', async () => {
    const organization = await staffed();
    const path = pathOf(organization);
    const changes = {
      name: 'Renamed by an admin',
      description: 'Who we are',
      logo_url: 'https://a.example/logo.png',
      cover_url: 'https://a.example/cover.png',
      website: 'https://a.example',
    };
    const protectedOnes = { slug: 'mine', tier: 'enterprise', verified: true, member_count: 99 };
    const changed = await admin.api.patch(path, { ...changes, ...protectedOnes });
    assert.equal(changed.status, 200);
    assert.deepEqual(changed.body.data, {
      ...organization,
      ...changes,
      description_html: '<p>Who we are</p>\n',
      member_count: 3,
    });
    assert.deepEqual(await read(organization), changed.body.data);

    const same = await owner.api.patch(path, {});
    assert.deepEqual(same.body.data, changed.body.data);
    const nothing = { description: null, logo_url: null, cover_url: null, website: null };
    const cleared = await owner.api.patch(path, nothing);
    assert.deepEqual(cleared.body.data, {
      ...changed.body.data,
      ...nothing,
      description_html: null,
    });

    for (const [bad, field] of [
      [{ name: null }, 'name'],
      [{ description: 'x'.repeat(1001) }, 'description'],
      [{ website: 'javascript:alert(1)' }, 'website'],
      [{ cover_url: 7 }, 'cover_url'],
    ] as const) {
      const refused = await owner.api.patch(path, bad);
      assert.equal(refused.status, 422);
      assert.equal(refused.body.errors[0].field, field);
    }
    for (const person of [member, stranger, administrator]) {
      assert.equal((await person.api.patch(path, { description: 'Mine' })).status, 403);
    }
    assert.equal((await service.api.patch(path, { description: 'Mine' })).status, 401);
    assert.equal((await owner.api.patch('/v1/organizations/no-such', {})).status, 404);
  });

  it('is verified under its name and website, and by no other', async () => {
    const organization = await createOrganization(owner, { website: 'https://a.example' });
    const verify = () => administer(organization, { verified: true });
    const changed = async (changes: object) =>
      (await owner.api.patch(pathOf(organization), changes)).body.data.verified;
    await verify();
    const { name, website } = organization;
    assert.equal(await changed({ name, website, description: 'Who we are' }), true);
    assert.equal(await changed({ logo_url: 'https://a.example/logo.png' }), true);
    for (const other of [
      { name: 'Ministry of Health' },
      { website: 'https://b.example' },
      { website: null },
    ]) {
      await verify();
      assert.equal(await changed(other), false, JSON.stringify(other));
    }
    assert.equal((await read(organization)).verified, false);
  });

  it('is administered by administrators of the service, with a record in the audit log', async () => {
    const organization = await staffed();
    const settled = await administer(organization, {
      tier: 'pro',
      verified: true,
      subscription_status: 'past_due',
      current_period_end: '2027-01-31T00:00:00+02:00',
    });
    assert.equal(settled.status, 200);
    assert.equal(settled.body.data.tier, 'pro');
    assert.equal(settled.body.data.verified, true);
    const subscription = `${pathOf(organization)}/subscription`;
    for (const person of [owner, admin, member, administrator]) {
      const { status, body } = await person.api.get(subscription);
      assert.equal(status, 200);
      assert.deepEqual(body.data, {
        tier: 'pro',
        status: 'past_due',
        member_limit: 50,
        member_count: 3,
        current_period_end: '2027-01-30T22:00:00.000Z',
      });
    }
    assert.equal((await stranger.api.get(subscription)).status, 403);
    assert.equal((await service.api.get(subscription)).status, 401);

    const rest = { tier: 'enterprise', current_period_end: null };
    assert.equal((await administer(organization, rest)).status, 200);
    const { data } = (await owner.api.get(subscription)).body;
    assert.deepEqual([data.member_limit, data.current_period_end], [null, null]);

    for (const end of [
      '0000-01-01T00:00:00Z',
      '2026-12-31T23:59:60Z',
      '2026-02-30T00:00:00Z',
      '1',
    ]) {
      const refused = await administer(organization, { current_period_end: end });
      assert.equal(refused.status, 422, end);
    }
    assert.equal((await administer(organization, { tier: 'gold' })).status, 422);
    assert.equal((await administer(organization, { tier: 'pro' }, owner)).status, 403);

    const actor = (await administrator.api.get('/v1/me')).body.data.id;
    const acts = await service.ctx.db`
      select actor_id, action, details from audit_log where target_id = ${organization.id}
      order by id`;
    assert.deepEqual(
      acts.map((act) => [act.actor_id, act.action, act.details]),
      [
        [
          actor,
          'organization.update',
          {
            tier: 'pro',
            verified: true,
            subscription_status: 'past_due',
            current_period_end: '2027-01-31T00:00:00+02:00',
          },
        ],
        [actor, 'organization.update', rest],
      ],
    );
  });

  it('is deleted by its owner only; its petitions stay without it', async () => {
    const organization = await staffed();
    const petition = await createPublished(member, { orgId: organization.id });
    const unpublished = await createDraft(admin, { orgId: organization.id });
    assert.equal(
      (await service.api.get(`/v1/petitions/${petition.id}`)).body.data.org_id,
      organization.id,
    );
    for (const person of [admin, member, stranger, administrator]) {
      assert.equal((await person.api.delete(pathOf(organization))).status, 403);
    }
    assert.equal((await service.api.delete(pathOf(organization))).status, 401);
    assert.equal((await owner.api.delete(pathOf(organization))).status, 204);

    assert.equal((await service.api.get(pathOf(organization))).status, 404);
    assert.equal((await owner.api.delete(pathOf(organization))).status, 404);
    assert.equal((await service.api.get(`/v1/petitions/${petition.id}`)).body.data.org_id, null);
    const mine = await admin.api.get(`/v1/petitions/${unpublished.id}`);
    assert.equal(mine.body.data.org_id, null);
    // The name is available again.
    await createOrganization(stranger, { name: organization.name });
  });

  it('accepts petitions of its members only', async () => {
    const organization = await staffed();
    for (const person of [owner, admin, member]) {
      const petition = await createDraft(person, { orgId: organization.id });
      assert.equal(petition.org_id, organization.id);
    }
    const input = { title: 'Of an organization', description: 'x'.repeat(50) };
    for (const person of [stranger, administrator]) {
      const refused = await person.api.post('/v1/petitions', { ...input, orgId: organization.id });
      assert.equal(refused.status, 403);
    }
    const unknown = await owner.api.post('/v1/petitions', { ...input, orgId: owner.id });
    assert.equal(unknown.status, 422);
    assert.equal(unknown.body.errors[0].field, 'orgId');
    const bySlug = await owner.api.post('/v1/petitions', { ...input, orgId: organization.slug });
    assert.equal(bySlug.status, 422);
  });

  it('lists and counts its public petitions', async () => {
    const organization = await staffed();
    const path = `${pathOf(organization)}/petitions`;
    const titlesOn = async (query = '') => {
      const { status, body } = await service.api.get(`${path}${query}`);
      assert.equal(status, 200);
      return body.data.map(({ title }: { title: string }) => title);
    };
    const counted = async () => (await read(organization)).petition_count;
    assert.deepEqual(await titlesOn(), []);

    const make = (title: string, more = {}) =>
      createPublished(member, { title, orgId: organization.id, ...more });
    const first = await make('First of three');
    const second = await make('Second of three');
    await make('Third of three');
    await make('Unlisted one', { visibility: 'unlisted' });
    await createDraft(member, { orgId: organization.id });
    await createPublished(member, { title: 'Of no organization' });
    const all = ['Third of three', 'Second of three', 'First of three'];
    assert.deepEqual(await titlesOn(), all);
    assert.equal(await counted(), 3);

    const page = await service.api.get(`/v1/organizations/${organization.slug}/petitions?limit=2`);
    assert.deepEqual(
      page.body.data.map(({ title }: { title: string }) => title),
      all.slice(0, 2),
    );
    assert.deepEqual(await titlesOn(`?cursor=${page.body.pagination.next_cursor}`), all.slice(2));
    const { status } = await service.api.get(path, {
      headers: { 'if-none-match': (await service.api.get(path)).headers.get('etag')! },
    });
    assert.equal(status, 304);

    await member.api.post(`/v1/petitions/${second.id}/close`);
    assert.equal(await counted(), 3);
    await member.api.patch(`/v1/petitions/${first.id}`, { visibility: 'private' });
    assert.equal(await counted(), 2);
    await member.api.patch(`/v1/petitions/${first.id}`, { visibility: 'public' });
    await member.api.delete(`/v1/petitions/${second.id}`);
    assert.equal(await counted(), 2);
    assert.deepEqual(await titlesOn(), ['Third of three', 'First of three']);

    // Unknown query parameters have no effect.
    assert.equal((await titlesOn('?categoryId=1&sort=none&creatorId=x&orgId=x')).length, 2);
    assert.equal((await service.api.get('/v1/organizations/no-such/petitions')).status, 404);
  });

  it("opens creator_only signatures to the organization's owner and admins", async () => {
    const organization = await staffed();
    const more = { orgId: organization.id, signaturePrivacy: 'creator_only' };
    const petition = await createPublished(member, more);
    await stranger.api.post(`/v1/petitions/${petition.id}/signatures`);
    const colleague = await signUp(service, 'Colleague');
    await addMember(owner, organization, colleague);
    const status = async (id: string, person?: Person) =>
      (await (person?.api ?? service.api).get(`/v1/petitions/${id}/signatures`)).status;
    for (const person of [member, owner, admin, administrator]) {
      assert.equal(await status(petition.id, person), 200);
    }
    for (const person of [undefined, stranger, colleague]) {
      assert.equal(await status(petition.id, person), 403);
    }
    const elsewhere = await createPublished(member, { signaturePrivacy: 'creator_only' });
    assert.equal(await status(elsewhere.id, owner), 403);
    const counted = await createPublished(member, { ...more, signaturePrivacy: 'count_only' });
    assert.equal(await status(counted.id, owner), 403);
  });

  it('lets its owner and admins upload pictures', async () => {
    const organization = await staffed();
    const { ctx } = service;
    const as = ({ id: userId }: Person) => ({ userId, role: 'user' }) as Caller;
    for (const [holder, column] of [
      [organizationLogo, 'logo_url'],
      [organizationCover, 'cover_url'],
    ] as const) {
      for (const person of [owner, admin]) {
        const id = await holder.recordFor(ctx, as(person), organization.id);
        assert.equal(id, organization.id);
      }
      for (const person of [member, stranger]) {
        const asked = holder.recordFor(ctx, as(person), organization.id);
        await assert.rejects(asked, { status: 403 });
      }
      const unknown = holder.recordFor(ctx, as(owner), owner.id);
      await assert.rejects(unknown, ({ status, errors }) => {
        assert.deepEqual([status, errors[0].field], [422, 'entity_id']);
        return true;
      });
      assert.equal(await holder.recordFor(ctx, as(owner), undefined), undefined);
      const url = `https://pictures.example/${column}.webp`;
      await ctx.pools.main.begin((tx) =>
        holder.setImage(tx, organization.id, { url, alt: null, userId: null }),
      );
      assert.equal((await read(organization))[column], url);
      // The organization can be deleted meanwhile.
      await ctx.pools.main.begin((tx) =>
        holder.setImage(tx, owner.id, { url, alt: null, userId: null }),
      );
    }
  });
});
