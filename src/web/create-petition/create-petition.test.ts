import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Browser, formOf } from '../../../test/support/browser.ts';
import {
  createOrganization,
  petitionInput,
  createPublished,
  signUp,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { indexChanges } from '../../reach/search/indexing.ts';

describe('creating a petition', () => {
  let service: Service;
  let creator: Person;
  let browser: Browser;
  before(async () => {
    service = await startService();
    creator = await signUp(service, 'Creator');
    browser = new Browser(service.api);
    const { email, password } = creator;
    await browser.submit(await browser.open('/login'), { email, password }, '/login');
  });
  after(() => service[Symbol.asyncDispose]());

  const drafts = async () => (await creator.api.get('/v1/petitions?status=draft')).body.data;

  it('requires a login', async () => {
    const page = await new Browser(service.api).open('/start');
    assert.match(page.body, /name="password"/);
  });

  it('rejects a text that is too short with 422, and keeps the input', async () => {
    const earlier = (await drafts()).length;
    const page = await browser.submit(await browser.open('/start'), {
      title: 'Light the path',
      description: 'Too <short>',
    });
    assert.equal(page.status, 422);
    assert.match(page.body, /Too &lt;short&gt;/);
    assert.match(page.body, /id="description"[^>]*aria-invalid="true"/);
    assert.equal((await drafts()).length, earlier);
  });

  it('leads through the steps to a published petition', async () => {
    const organization = await createOrganization(creator);
    const details = await browser.submit(await browser.open('/start'), {
      ...petitionInput,
      go: 'next',
    });
    assert.match(details.body, /name="categoryId"/);
    const action = formOf(details).action;
    const wrong = await browser.submit(details, { tags: 'a,b,c,d,e,f,g,h,i,j,k', go: 'next' });
    assert.equal(wrong.status, 422);
    const people = await browser.submit(details, {
      tags: 'river, light، night',
      signatureGoal: '1,000',
      locationCity: 'Leeds',
      locationCountry: 'GB',
      signaturePrivacy: 'creator_only',
      orgId: organization.id,
      go: 'next',
    });
    const id = action.split('/')[2]!;
    const at = `/start/${id}`;
    const added = await browser.submit(
      people,
      { name: 'Grace', email: 'grace@example.org' },
      `${at}/people`,
    );
    assert.match(added.body, /The decision maker is added\./);
    const preview = await browser.open(`${at}/preview`);
    for (const text of ['Keep the river path open', 'Grace', 'night', 'Leeds']) {
      assert.match(preview.body, new RegExp(text));
    }
    const done = await browser.submit(preview, {});
    assert.match(done.body, /Your petition is published\./);
    const { data } = (await creator.api.get(`/v1/petitions/${id}`)).body;
    assert.equal(data.status, 'active');
    assert.deepEqual(data.tags, ['river', 'light', 'night']);
    assert.equal(data.signature_goal, 1000);
    assert.equal(data.org_id, organization.id);
    assert.equal(data.signature_privacy, 'creator_only');
    // The steps of a published petition redirect to the dashboard.
    assert.match((await browser.open(at)).body, /What to do next/);
  });

  it('answers a save by draft.js with the path of the draft', async () => {
    const { fields } = formOf(await browser.open('/start'));
    const send = (path: string, values: object) =>
      service.api.send('POST', path, new URLSearchParams({ ...fields, ...values }).toString(), {
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          cookie: browser.cookies,
          origin: 'http://petitions.test',
        },
      });
    const earlier = (await drafts()).length;
    const first = await send('/start', { ...petitionInput, go: 'autosave' });
    assert.equal(first.status, 200);
    const place = first.headers.get('content-location')!;
    assert.match(place, /^\/start\/[0-9a-f-]{36}$/);
    const second = await send(place, { ...petitionInput, title: 'Another title', go: 'autosave' });
    assert.equal(second.headers.get('content-location'), place);
    assert.equal((await drafts()).length, earlier + 1);
    assert.match((await browser.open(place)).body, /value="Another title"/);
  });

  it('lists similar petitions of others', async () => {
    const other = await signUp(service);
    await createPublished(other, { title: 'Plant lime trees in the old harbour' });
    while (await indexChanges(service.ctx));
    const page = await browser.submit(await browser.open('/start'), {
      ...petitionInput,
      title: 'Lime trees for the old harbour',
      go: 'next',
    });
    assert.match(page.body, /There are similar petitions/);
    assert.match(page.body, /Plant lime trees in the old harbour/);
  });

  it('does not change privacy and organization after publishing', async () => {
    const { id } = await createPublished(creator);
    const organization = await createOrganization(creator);
    for (const change of [{ signaturePrivacy: 'count_only' }, { orgId: organization.id }]) {
      const { status, body } = await creator.api.patch(`/v1/petitions/${id}`, change);
      assert.equal(status, 422);
      assert.equal(body.errors[0].field, Object.keys(change)[0]);
    }
    const place = { locationCity: 'Leeds', locationCountry: 'gb' };
    const { body } = await creator.api.patch(`/v1/petitions/${id}`, place);
    assert.equal(body.data.location_country, 'GB');
  });

  it('creates drafts for an organization only for its members', async () => {
    const stranger = await signUp(service);
    const organization = await createOrganization(stranger);
    const { body } = await creator.api.post('/v1/petitions', petitionInput);
    const path = `/v1/petitions/${body.data.id}`;
    assert.equal((await creator.api.patch(path, { orgId: organization.id })).status, 403);
    assert.equal((await creator.api.patch(path, { orgId: body.data.id })).status, 422);
  });
});
