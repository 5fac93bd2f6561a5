import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { codeOf } from '../../identity/mail-challenges/secrets.ts';
import { deleteOldDrafts } from '../../campaigns/anonymous-drafts/queries.ts';
import { newId } from '../../platform/ids.ts';
import { indexChanges } from '../../reach/search/indexing.ts';
import { Browser, formOf, logInBrowser } from '../../../test/support/browser.ts';
import type { Answer } from '../../../test/support/client.ts';
import {
  createOrganization,
  createPublished,
  logIn,
  petitionInput,
  signUp,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

describe('creating a petition', () => {
  let service: Service;
  let creator: Person;
  let browser: Browser;
  before(async () => {
    service = await startService();
    creator = await signUp(service, 'Creator');
    browser = await logInBrowser(service, creator);
  });
  after(() => service[Symbol.asyncDispose]());

  const drafts = async (person = creator) =>
    (await person.api.get('/v1/petitions?status=draft')).body.data;
  const idIn = (page: Answer): string => formOf(page).action.split('/')[2]!;

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
    const mended = await browser.submit(page, { ...petitionInput, go: 'next' });
    assert.match(mended.body, /name="categoryId"/);
  });

  it('leads through three pages to a published petition', async () => {
    const organization = await createOrganization(creator);
    const details = await browser.submit(await browser.open('/start'), {
      ...petitionInput,
      go: 'next',
    });
    const wrong = await browser.submit(details, { tags: 'a,b,c,d,e,f,g,h,i,j,k', go: 'next' });
    assert.equal(wrong.status, 422);
    const preview = await browser.submit(details, {
      tags: 'river, light، night',
      signatureGoal: '1,000',
      locationCity: 'Leeds',
      locationCountry: 'GB',
      signaturePrivacy: 'creator_only',
      orgId: organization.id,
      name: 'Grace',
      title: 'Mayor',
      email: 'grace@example.org',
      go: 'next',
    });
    for (const text of ['Keep the river path open', 'Grace', 'Mayor', 'night', 'Leeds']) {
      assert.match(preview.body, new RegExp(text));
    }
    const id = idIn(details);
    const published = await browser.submit(preview, {});
    assert.match(published.body, /Your petition is published/);
    const { data } = (await creator.api.get(`/v1/petitions/${id}`)).body;
    assert.equal(data.status, 'active');
    assert.deepEqual(data.tags, ['river', 'light', 'night']);
    assert.equal(data.signature_goal, 1000);
    assert.equal(data.org_id, organization.id);
    assert.equal(data.signature_privacy, 'creator_only');
    assert.equal(data.decision_makers[0].name, 'Grace');
    const signed = await browser.submit(published, {}, `/p/${data.slug}/sign`);
    assert.match(signed.body, /id="share"/);
    assert.match(signed.body, new RegExp(`href="/dashboard/petitions/${id}"`));
    // The steps of a published petition redirect to the dashboard.
    assert.match((await browser.open(`/start/${id}`)).body, /What to do next/);
  });

  it('makes one draft of a form that is sent twice at once, whatever was typed meanwhile', async () => {
    for (const opened of [browser, new Browser(service.api)]) {
      const page = await opened.open('/start');
      const id = idIn(page);
      const titles = ['Light the path', 'Light the path now', 'Light the river path'];
      const answers = await Promise.all(
        titles.map((title) => opened.submit(page, { ...petitionInput, title, go: 'next' })),
      );
      for (const answer of answers) assert.equal(answer.status, 200);
      const shown = await opened.open(`/start/${id}`);
      assert.ok(titles.includes(formOf(shown).fields['title']!));
    }
    const titles = (await drafts()).map(({ title }: { title: string }) => title);
    assert.equal(titles.filter((title: string) => title.startsWith('Light the')).length, 1);
  });

  it('answers a save by draft.js with the path of the draft', async () => {
    const page = await browser.open('/start');
    const { fields, action } = formOf(page);
    const send = (values: object) =>
      service.api.send('POST', action, new URLSearchParams({ ...fields, ...values }).toString(), {
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          cookie: browser.cookies,
          origin: 'http://petitions.test',
        },
      });
    const earlier = (await drafts()).length;
    const first = await send({ ...petitionInput, go: 'autosave' });
    assert.equal(first.status, 200);
    assert.equal(first.headers.get('content-location'), action);
    await send({ ...petitionInput, title: 'Another title', go: 'autosave' });
    assert.equal((await drafts()).length, earlier + 1);
    assert.match((await browser.open(action)).body, /value="Another title"/);
  });

  it('keeps a decision maker who was sent twice once, and removes one with everything else typed', async () => {
    const details = await browser.submit(await browser.open('/start'), {
      ...petitionInput,
      go: 'next',
    });
    const maker = { name: 'Grace', title: 'Mayor', email: 'grace@example.org' };
    const twice = await Promise.all(
      ['maker', 'next'].map((go) => browser.submit(details, { ...maker, go })),
    );
    for (const { status } of twice) assert.equal(status, 200);
    const at = `/start/${idIn(details)}/details`;
    const page = await browser.open(at);
    const [, removal] = /value="(remove [\da-f-]{36})"/.exec(page.body)!;
    const removed = await browser.submit(page, { tags: 'river', go: removal! });
    assert.doesNotMatch(removed.body, /Grace/);
    assert.match(removed.body, /name="tags"[^>]*value="river"/);
  });

  it('stores a picture with the rest of the page, without a script', async () => {
    const details = await browser.submit(await browser.open('/start'), {
      ...petitionInput,
      go: 'next',
    });
    const pixel = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    const file = new File([pixel], 'path.png', { type: 'image/png' });
    const preview = await browser.submit(details, { file, imageAlt: 'The path', go: 'next' });
    assert.match(preview.body, /data-without-script|notice/);
    const text = new File(['no picture'], 'path.png', { type: 'image/png' });
    const refused = await browser.submit(details, { file: text, tags: 'kept', go: 'next' });
    assert.equal(refused.status, 422);
    assert.match(refused.body, /name="tags"[^>]*value="kept"/);
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

describe('a petition without an account', () => {
  let service: Service;
  before(async () => (service = await startService()));
  after(() => service[Symbol.asyncDispose]());

  /** Writes a draft as a stranger; returns its preview. */
  const write = async (browser: Browser, more: Record<string, string> = {}) => {
    const details = await browser.submit(await browser.open('/start'), {
      ...petitionInput,
      go: 'next',
    });
    const id = formOf(details).action.split('/')[2]!;
    const preview = await browser.submit(details, { ...more, go: 'next' });
    return { id, preview, at: `/start/${id}` };
  };
  const challengeIn = (page: Answer) => /name="challenge" value="([^"]+)"/.exec(page.body)![1]!;
  const petitionOf = async (id: string) => (await service.api.get(`/v1/petitions/${id}`)).body.data;

  it('is published with a mailed code, which opens the account', async () => {
    const browser = new Browser(service.api);
    const maker = { name: 'Grace', title: '', email: 'grace@example.org' };
    const { id, preview, at } = await write(browser, { ...maker, tags: 'river' });
    assert.match(preview.body, /Grace/);
    assert.equal((await service.api.get(`/v1/petitions/${id}`)).status, 404);
    const who = { display_name: 'Ada', email: 'ada@example.org' };
    const waiting = await browser.submit(preview, who, `${at}/account`);
    const wrong = await browser.submit(waiting, { code: '000000' }, `${at}/code`);
    assert.equal(wrong.status, 422);
    const code = codeOf(service.ctx, challengeIn(waiting));
    const done = await browser.submit(waiting, { code }, `${at}/code`);
    assert.match(done.body, /Your petition is published/);
    const petition = await petitionOf(id);
    assert.equal(petition.creator.display_name, 'Ada');
    assert.deepEqual(petition.tags, ['river']);
    assert.equal(petition.decision_makers[0].name, 'Grace');
    assert.equal(
      (await service.ctx.pools.main`select from anonymous_drafts where id = ${id}`).length,
      0,
    );
  });

  it('is published with the password of an account, on the same page', async () => {
    const person = await signUp(service, 'Ben');
    const browser = new Browser(service.api);
    const { id, preview, at } = await write(browser);
    const { email, password } = person;
    const wrong = await browser.submit(preview, { email, password: 'another one' }, `${at}/login`);
    assert.equal(wrong.status, 401);
    assert.match(wrong.body, /Keep the river path open/);
    const done = await browser.submit(wrong, { email, password }, `${at}/login`);
    assert.match(done.body, /Your petition is published/);
    assert.equal((await petitionOf(id)).creator.id, person.id);
  });

  it('becomes the account’s that logs in elsewhere on the site', async () => {
    const person = await signUp(service, 'Cleo');
    const browser = new Browser(service.api);
    const { id, at } = await write(browser);
    const { email, password } = person;
    await browser.submit(await browser.open('/login'), { email, password }, '/login');
    const preview = await browser.open(`${at}/preview`);
    await browser.submit(preview, {});
    assert.equal((await petitionOf(id)).creator.id, person.id);
  });

  it('is shown to nobody who uses the browser after its account', async () => {
    const person = await signUp(service, 'Finn');
    const browser = new Browser(service.api);
    const { at } = await write(browser);
    const { email, password } = person;
    await browser.submit(await browser.open('/login'), { email, password }, '/login');
    await browser.submit(await browser.open(at), { go: 'stay' });
    await browser.submit(await browser.open('/settings'), {}, '/logout');
    assert.doesNotMatch((await browser.open('/start')).body, new RegExp(at));
    const next = await signUp(service, 'Gil');
    const login = await browser.open('/login');
    await browser.submit(login, { email: next.email, password: next.password }, '/login');
    assert.doesNotMatch((await browser.open('/start')).body, new RegExp(at));
    assert.doesNotMatch((await browser.open(at)).body, /Keep the river path open/);
  });

  it('is its browser’s alone', async () => {
    const browser = new Browser(service.api);
    const { id, at } = await write(browser);
    assert.match((await browser.open('/start')).body, new RegExp(at));
    const other = new Browser(service.api);
    await other.open('/start');
    for (const step of ['/details', '/preview']) {
      assert.equal((await other.open(at + step)).status, 404);
    }
    const taken = await other.send(at, { ...petitionInput, title: 'Mine now', go: 'next' });
    assert.equal(taken.status, 404);
    assert.match((await browser.open(at)).body, /Keep the river path open/);
    await other.send(`${at}/delete`, {});
    assert.equal((await browser.open(`${at}/details`)).status, 200);
    const account = await logIn(service, await signUp(service));
    assert.equal((await (await logInBrowser(service, account)).open(at)).status, 200);
    assert.equal((await account.api.get(`/v1/petitions/${id}`)).status, 404);
  });

  it('is deleted by its browser, from the page of a new one', async () => {
    const browser = new Browser(service.api);
    const { at } = await write(browser);
    const page = await browser.submit(await browser.open('/start'), {}, `${at}/delete`);
    assert.doesNotMatch(page.body, new RegExp(at));
    assert.equal((await browser.open(`${at}/details`)).status, 404);
  });

  it('asks to log in for a draft of an account, and keeps what was typed', async () => {
    const person = await signUp(service, 'Dora');
    const browser = await logInBrowser(service, person);
    const page = await browser.submit(await browser.open('/start'), {
      ...petitionInput,
      go: 'stay',
    });
    const at = formOf(page).action;
    const stranger = new Browser(service.api);
    const login = await stranger.send(at, { ...petitionInput, title: 'Typed late', go: 'next' });
    const { email, password } = person;
    const back = await stranger.submit(login, { email, password }, '/login');
    assert.equal(formOf(back).fields['title'], 'Typed late');
  });

  it('is kept for 7 days, and 10 times a day for a network', async () => {
    const id = newId();
    const { main } = service.ctx.pools;
    await main`
      insert into anonymous_drafts (id, token_hash, content, created_at)
      values (${id}, '', '', now() - interval '8 days')`;
    await deleteOldDrafts(service.ctx.db);
    assert.equal((await main`select from anonymous_drafts where id = ${id}`).length, 0);
    await using limited = await startService({ env: { RATE_LIMITS: 'on' } });
    const browser = new Browser(limited.api);
    const writeAnother = async () => {
      const page = await browser.open('/start');
      const [, action] = /action="([^"]+)" data-draft/.exec(page.body)!;
      return browser.submit(page, { ...petitionInput, go: 'stay' }, action);
    };
    for (let n = 0; n < 10; n += 1) assert.equal((await writeAnother()).status, 200);
    const eleventh = await writeAnother();
    assert.equal(eleventh.status, 429);
    assert.match(eleventh.body, /Keep the river path open/);
  });
});
