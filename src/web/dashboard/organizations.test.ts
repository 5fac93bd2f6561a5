import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { formOf, logInBrowser, type Browser } from '../../../test/support/browser.ts';
import type { Answer } from '../../../test/support/client.ts';
import {
  createDraft,
  createOrganization,
  addMember,
  petitionInput,
  createPublished,
  signUp,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

describe('petitions of an organization on dashboards', () => {
  let service: Service;
  const names = ['owner', 'admin', 'author', 'member', 'stranger'] as const;
  type Name = (typeof names)[number];
  const people = {} as Record<Name, Person & { browser: Browser }>;
  // oxlint-disable-next-line typescript/no-explicit-any
  let organization: any;
  let orgId: string;
  before(async () => {
    service = await startService();
    for (const name of names) {
      const person = await signUp(service, `The ${name}`);
      people[name] = { ...person, browser: await logInBrowser(service, person) };
    }
    const { owner, admin, author, member } = people;
    organization = await createOrganization(owner, { name: 'Friends of the <River>' });
    orgId = organization.id;
    await addMember(owner, organization, admin, 'admin');
    await addMember(owner, organization, author);
    await addMember(owner, organization, member);
  });
  after(() => service[Symbol.asyncDispose]());

  const shows = (page: Answer, text: string) => {
    assert.equal(page.status, 200, page.body);
    assert.ok(page.body.includes(text), text);
  };
  const hides = (page: Answer, text: string) => {
    assert.equal(page.status, 200, page.body);
    assert.ok(!page.body.includes(text), text);
  };
  /** Signs up a person with a browser, and adds them to an organization. */
  const join = async (role: 'admin' | 'member', to: { id: string } = organization) => {
    const person = await signUp(service, 'A newcomer');
    const membership = await addMember(people.owner, to, person, role);
    const browser = await logInBrowser(service, person);
    return {
      ...person,
      browser,
      membership: `/v1/organizations/${to.id}/members/${membership.id}`,
    };
  };

  /** Pages of a petition, each with an API call that needs the same permission. */
  const pages: [page: string, call: (api: Person['api'], at: string) => Promise<Answer>][] = [
    ['/figures', (api, at) => api.get(`${at}/analytics`)],
    ['/signatures.csv', (api, at) => api.get(`${at}/signatures/export?format=csv`)],
    ['/edit', (api, at) => api.patch(at, { title: petitionInput.title })],
    ['/updates', (api, at) => api.post(`${at}/updates`, { title: 'News', body: 'New.' })],
    ['/decision-makers', (api, at) => api.get(`${at}/decision-makers`)],
    ['/promotion', (api, at) => api.get(`${at}/promotions`)],
  ];

  it('are accessible to those who have access by the API', async () => {
    const { author } = people;
    const petitions = {
      public: await createPublished(author, { orgId }),
      unlisted: await createPublished(author, { orgId, visibility: 'unlisted' }),
      private: await createPublished(author, { orgId, visibility: 'private' }),
      counted: await createPublished(author, { orgId, signaturePrivacy: 'count_only' }),
      draft: await createDraft(author, { orgId }),
      personal: await createPublished(author),
    };
    for (const [kind, { id }] of Object.entries(petitions)) {
      for (const [name, { api, browser }] of Object.entries(people)) {
        for (const [page, call] of pages) {
          const { status: answered } = await call(api, `/v1/petitions/${id}`);
          const { status } = await browser.open(`/dashboard/petitions/${id}${page}`);
          // The API answers 409 for updates of a draft; the page shows the form to its creator.
          const expected = answered < 300 || answered === 409 ? 200 : answered;
          assert.equal(status, expected, `${page} of one that is ${kind}, to the ${name}`);
        }
      }
    }
    // Fails if the API itself has changed, since the comparison above would not.
    const figuresOf = async (name: Name, { id }: { id: string }) =>
      (await people[name].browser.open(`/dashboard/petitions/${id}/figures`)).status;
    const statuses = await Promise.all(names.map((name) => figuresOf(name, petitions.public)));
    assert.deepEqual(statuses, [200, 200, 200, 403, 403]);
    assert.equal(await figuresOf('admin', petitions.draft), 404);
    assert.equal(await figuresOf('admin', petitions.personal), 403);
  });

  it('are changed by their creators only', async () => {
    const { author, admin } = people;
    const open = await createPublished(author, { orgId });
    const at = `/dashboard/petitions/${open.id}`;
    const page = await admin.browser.open(at);
    const { fields: token } = formOf(page, '/logout');
    const forms: [path: string, fields: Record<string, string>][] = [
      ['/edit', { ...petitionInput, title: 'Another title' }],
      ['/updates', { title: 'News', body: 'New.' }],
      ['/decision-makers', { name: 'Grace', email: 'grace@example.org' }],
      ['/promotion', { amount: '10', currency: 'EUR' }],
      ['/publish', {}],
      ['/close', {}],
      ['/victory', {}],
      ['/delete', { sure: 'on' }],
      ['/picture/remove', {}],
    ];
    for (const [path, fields] of forms) {
      const { status } = await admin.browser.send(at + path, { ...token, ...fields });
      assert.equal(status, 403, path);
    }
    const { data } = (await author.api.get(`/v1/petitions/${open.id}`)).body;
    assert.deepEqual([data.title, data.status], [open.title, 'active']);
    const { body } = await author.api.get(`/v1/petitions/${open.id}/updates`);
    assert.deepEqual(body.data, []);
  });

  it('link only to pages that the viewer may open', async () => {
    const { author, admin, owner } = people;
    const open = await createPublished(author, { orgId });
    const page = await admin.browser.open(`/dashboard/petitions/${open.id}`);
    for (const text of ['/figures"', 'The author</bdi></a> can change', '/signatures.csv"'])
      shows(page, text);
    for (const text of ['/edit', '/updates', '/decision-makers', '/promotion', '/finish'])
      hides(page, text);
    shows(await author.browser.open(`/dashboard/petitions/${open.id}`), '/edit"');
    const counted = await createPublished(author, { orgId, signaturePrivacy: 'count_only' });
    hides(await owner.browser.open(`/dashboard/petitions/${counted.id}`), 'signatures.csv');
    const secret = await createPublished(author, { orgId, visibility: 'private' });
    const unread = await owner.browser.open(`/dashboard/petitions/${secret.id}`);
    shows(unread, 'It is private');
    for (const text of [secret.access_code, `/p/${secret.slug}`, 'signatures.csv', '/events'])
      hides(unread, text);
  });

  it('are linked from their public page', async () => {
    const { author, admin, member } = people;
    const { id, slug } = await createPublished(author, { orgId });
    const link = `/dashboard/petitions/${id}`;
    shows(await author.browser.open(`/p/${slug}`), `"${link}"`);
    shows(await admin.browser.open(`/p/${slug}`), `"${link}/figures"`);
    hides(await member.browser.open(`/p/${slug}`), link);
  });

  it('are listed below own petitions, with organization and creator', async () => {
    const { author, admin, member } = people;
    const own = await createPublished(admin, { title: 'Mine for the river', orgId });
    await createPublished(author, { title: 'Theirs in the open', orgId });
    await createPublished(author, { title: 'Theirs <by code>', orgId, visibility: 'private' });
    await createDraft(author, { title: 'Theirs but a draft', orgId });
    const dashboard = await admin.browser.open('/dashboard');
    for (const text of [
      'Mine for the river',
      'Theirs in the open',
      'Theirs &lt;by code&gt;',
      'For <a href="/o/friends-of-the-river"><bdi>Friends of the &lt;River&gt;</bdi></a>',
      'Started by <bdi>The author</bdi>',
    ]) {
      shows(dashboard, text);
    }
    hides(dashboard, 'Theirs but a draft');
    assert.equal(
      dashboard.body.split('Mine for the river</a>').length,
      2,
      'own ones are listed once',
    );
    const others = await admin.browser.open('/dashboard/petitions');
    shows(others, 'Theirs in the open');
    hides(others, own.title);
    hides(await member.browser.open('/dashboard'), 'Theirs in the open');
    hides(await member.browser.open('/dashboard/petitions'), 'Theirs in the open');
    const at = `/dashboard/organizations/${organization.slug}/petitions`;
    const all = await admin.browser.open(at);
    for (const text of [own.title, 'Theirs in the open', 'Theirs &lt;by code&gt;'])
      shows(all, text);
    hides(all, 'Theirs but a draft');
    assert.equal((await member.browser.open(at)).status, 403);
    assert.equal((await people.stranger.browser.open(at)).status, 404);
  });

  it('are listed once each over pages, while others are published', async () => {
    const owner = await signUp(service, 'Owner of two');
    const browser = await logInBrowser(service, owner);
    const both = [await createOrganization(owner), await createOrganization(owner)];
    for (const one of both) await addMember(owner, one, people.author);
    const titleOf = (n: number) => `Petition number ${n} of these`;
    for (let n = 0; n < 42; n += 1) {
      await createPublished(people.author, { title: titleOf(n), orgId: both[n % 2]!.id });
    }
    const titlesOn = (page: Answer) =>
      [...page.body.matchAll(/>(Petition number \d+ of these)<\/a>/g)].map(([, title]) => title);
    let page = await browser.open('/dashboard/petitions');
    const found = titlesOn(page);
    await createPublished(people.author, { title: titleOf(42), orgId: both[0]!.id });
    for (let more; (more = /href="(\/dashboard\/petitions\?cursor=[^"]+)"/.exec(page.body)?.[1]);) {
      page = await browser.open(more);
      found.push(...titlesOn(page));
    }
    assert.deepEqual(
      found,
      Array.from({ length: 42 }, (_, n) => titleOf(41 - n)),
    );
    assert.equal((await browser.open('/dashboard/petitions?cursor=none')).status, 400);
  });

  it('are inaccessible at once to removed members and former admins', async () => {
    const { author, owner } = people;
    const { id } = await createPublished(author, { title: 'Soon out of reach', orgId });
    const at = `/dashboard/petitions/${id}/figures`;
    // The tier of the first organization has room for one more.
    const leaver = await join('admin');
    assert.equal((await leaver.browser.open(at)).status, 200);
    shows(await leaver.browser.open('/dashboard'), 'Soon out of reach');
    assert.equal((await owner.api.delete(leaver.membership)).status, 204);
    assert.equal((await leaver.browser.open(at)).status, 403);
    hides(await leaver.browser.open('/dashboard'), 'Soon out of reach');
    assert.equal(
      (await leaver.browser.open(`/dashboard/organizations/${organization.slug}/petitions`)).status,
      404,
    );
    const former = await join('admin');
    assert.equal((await former.browser.open(at)).status, 200);
    await owner.api.patch(former.membership, { role: 'member' });
    assert.equal((await former.browser.open(at)).status, 403);
    hides(await former.browser.open('/dashboard'), 'Soon out of reach');
    assert.equal((await owner.api.delete(former.membership)).status, 204);
  });

  it('stay with the organization when their creator leaves', async () => {
    const { owner } = people;
    const leaver = await join('member');
    const open = await createPublished(leaver, { title: 'Left behind for the river', orgId });
    const unfinished = await createDraft(leaver, { orgId });
    assert.equal((await owner.api.delete(leaver.membership)).status, 204);
    shows(await owner.browser.open('/dashboard'), 'Left behind for the river');
    assert.equal((await owner.browser.open(`/dashboard/petitions/${open.id}/figures`)).status, 200);
    // The creator can still change it; saving keeps its organization.
    const edit = `/dashboard/petitions/${open.id}/edit`;
    await leaver.browser.submit(await leaver.browser.open(edit), { tags: 'river' }, edit);
    const details = `/start/${unfinished.id}/details`;
    await leaver.browser.submit(await leaver.browser.open(details), { tags: 'river' }, details);
    for (const { id } of [open, unfinished]) {
      const { data } = (await leaver.api.get(`/v1/petitions/${id}`)).body;
      assert.deepEqual([data.org_id, data.tags], [orgId, ['river']]);
    }
    const { password } = leaver;
    await owner.api.post(`/v1/petitions/${open.id}/signatures`);
    assert.equal((await leaver.api.delete('/v1/users/me', { password })).status, 204);
    shows(await owner.browser.open('/dashboard'), 'Started by an account that was erased');
    shows(await owner.browser.open(`/dashboard/petitions/${open.id}`), 'has erased their account');
  });

  it('are started for the organization by its members', async () => {
    const { member, stranger, owner } = people;
    const at = `/start?organization=${organization.slug}`;
    const dashboard = await member.browser.open(`/dashboard/organizations/${organization.slug}`);
    shows(dashboard, `href="${at}"`);
    hides(dashboard, `/dashboard/organizations/${organization.slug}/petitions`);
    assert.equal((await stranger.browser.open(at)).status, 404);
    const form = await member.browser.open(at);
    shows(form, 'for <bdi>Friends of the &lt;River&gt;</bdi>');
    const short = await member.browser.submit(form, { title: 'No', go: 'next' });
    assert.equal(short.status, 422);
    const details = await member.browser.submit(short, { ...petitionInput, go: 'next' });
    assert.match(details.body, new RegExp(`value="${orgId}" selected`));
    const [, id] = /\/start\/([0-9a-f-]{36})/.exec(details.body)!;
    const { data } = (await member.api.get(`/v1/petitions/${id}`)).body;
    assert.equal(data.org_id, orgId);

    // A member who was removed meanwhile keeps the text.
    const leaver = await join('member');
    const late = await leaver.browser.open(at);
    assert.equal((await owner.api.delete(leaver.membership)).status, 204);
    const refused = await leaver.browser.submit(late, { ...petitionInput, go: 'next' });
    assert.equal(refused.status, 403);
    assert.ok(refused.body.includes(petitionInput.title));
    assert.equal((await leaver.browser.submit(refused, { go: 'next' })).status, 200);
  });
});
