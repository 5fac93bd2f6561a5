import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { logInBrowser, type Browser } from '../../../test/support/browser.ts';
import {
  createOrganization,
  addMember,
  signUp,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

describe('organizations on the dashboard', () => {
  let service: Service;
  let owner: Person;
  let browser: Browser;
  before(async () => {
    service = await startService();
    owner = await signUp(service, 'Owner');
    browser = await logInBrowser(service, owner);
  });
  after(() => service[Symbol.asyncDispose]());

  const placeOf = ({ slug }: { slug: string }) => `/dashboard/organizations/${slug}`;

  it('creates, changes and deletes an organization', async () => {
    const form = await browser.open('/dashboard/organizations/new');
    assert.equal((await browser.submit(form, { name: 'F' })).status, 422);
    await browser.submit(form, { name: 'Friends of the River', website: 'https://river.example' });
    assert.equal((await browser.submit(form, { name: 'friends of the river' })).status, 409);
    const at = placeOf({ slug: 'friends-of-the-river' });
    const edited = await browser.submit(
      await browser.open(`${at}/edit`),
      { description: 'We <love> it.', website: '' },
      `${at}/edit`,
    );
    assert.match(edited.body, /We &lt;love&gt; it\./);
    const { data } = (await service.api.get('/v1/organizations/friends-of-the-river')).body;
    assert.equal(data.website, null);
    const page = await browser.open(at);
    assert.match(page.body, /1 of 5 members/);
    assert.equal((await browser.submit(page, {})).status, 422);
    assert.match(
      (await browser.submit(page, { sure: 'on' })).body,
      /The organization is deleted\./,
    );
  });

  it('warns that a change ends the verification', async () => {
    const organization = await createOrganization(owner);
    const at = `${placeOf(organization)}/edit`;
    const hint = /no longer verified/;
    assert.doesNotMatch((await browser.open(at)).body, hint);
    await service.ctx.db`update organizations set verified = true where id = ${organization.id}`;
    const page = await browser.open(at);
    assert.match(page.body, hint);
    const same = await browser.submit(page, { description: 'As before' }, at);
    assert.match(same.body, hint);
    const other = await browser.submit(same, { name: `Another ${organization.name}` }, at);
    assert.doesNotMatch(other.body, hint);
  });

  it('is not found by strangers, and shows members what they may do', async () => {
    const organization = await createOrganization(owner);
    const at = placeOf(organization);
    const person = await signUp(service, 'Member');
    const other = await logInBrowser(service, person);
    assert.equal((await other.open(at)).status, 404);
    await addMember(owner, organization, person);
    assert.equal((await other.open(at)).status, 200);
    const members = await other.open(`${at}/members`);
    assert.doesNotMatch(members.body, /name="person"/);
    assert.doesNotMatch((await other.open(`${at}/edit`)).body, /name="website"/);
    const [, leave] = /action="([^"]+\/remove)"/.exec(members.body)!;
    assert.match((await other.submit(members, {}, leave)).body, /You have left/);
    assert.equal((await other.open(at)).status, 404);
  });

  it('adds members by their profile address, changes roles and transfers ownership', async () => {
    const organization = await createOrganization(owner);
    const at = `${placeOf(organization)}/members`;
    const person = await signUp(service, 'Newcomer');
    const refused = await browser.submit(
      await browser.open(at),
      { person: 'http://petitions.test/u/nobody-at-all' },
      at,
    );
    assert.equal(refused.status, 422);
    assert.match(refused.body, /Nobody has this profile address\./);
    const asked = performance.now();
    const long = { person: `${'a'.repeat(200_000)}//` };
    assert.equal((await browser.submit(await browser.open(at), long, at)).status, 422);
    assert.ok(performance.now() - asked < 5000);
    const address = `http://petitions.test/u/${person.slug}`;
    const page = await browser.submit(await browser.open(at), { person: address }, at);
    assert.match(page.body, /Newcomer/);
    const [, admin] = /action="([^"]+\/admin)"/.exec(page.body)!;
    const promoted = await browser.submit(page, {}, admin);
    const [, hand] = /action="([^"]+\/owner)"/.exec(promoted.body)!;
    assert.match((await browser.submit(promoted, {}, hand)).body, /has a new owner/);
    const { data } = (
      await owner.api.get(`/v1/organizations/${organization.id}/members?role=owner`)
    ).body;
    assert.equal(data[0].user.id, person.id);
  });

  it('explains that the member limit is reached', async () => {
    const organization = await createOrganization(owner);
    for (let n = 0; n < 4; n += 1) await addMember(owner, organization, await signUp(service));
    const at = `${placeOf(organization)}/members`;
    const { slug: person } = await signUp(service);
    const page = await browser.submit(await browser.open(at), { person }, at);
    assert.equal(page.status, 402);
    assert.match(page.body, /role="alert"/);
  });
});
