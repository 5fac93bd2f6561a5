import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { formOf, logInBrowser, type Browser } from './support/browser.ts';
import type { Answer } from './support/client.ts';
import {
  createDraft,
  createOrganization,
  createPublished,
  signUpProven,
  type Person,
} from './support/people.ts';
import { startService, type Service } from './support/service.ts';
import { signByMany } from './support/signing.ts';

/** The part of a page about one field, with what is stored now below it. */
const partOf = ({ body }: Answer, id: string): string =>
  new RegExp(`<div class="stored" id="${id}-stored">.*?</div>`, 's').exec(String(body))?.[0] ?? '';
const storedIds = ({ body }: Answer): string[] =>
  [...String(body).matchAll(/class="stored" id="([\w-]+)-stored"/g)].map(([, id]) => id!);

const somebody = /role="alert"[^>]*><h2>[^<]*<\/h2>\s*<p>Somebody changed this meanwhile\./;

describe('a form of what somebody changed meanwhile', () => {
  let service: Service;
  let creator: Person;
  let browser: Browser;
  before(async () => {
    service = await startService();
    creator = await signUpProven(service, 'Creator');
    browser = await logInBrowser({ api: service.api.with({ accept: 'text/html' }) }, creator);
  });
  after(() => service[Symbol.asyncDispose]());

  const read = async (path: string) => (await creator.api.get(path)).body.data;
  const editOf = ({ id }: { id: string }) => `/dashboard/petitions/${id}/edit`;
  const inLanguage = (page: Answer, language: string) => {
    const [foot] = /<footer.*<\/footer>/s.exec(String(page.body))!;
    return browser.submit({ ...page, body: foot }, { language }, '/language');
  };

  it('shows both texts of a petition, and replaces the stored one when it is sent again', async () => {
    const petition = await createPublished(creator, { tags: ['lamps'] });
    const path = `/v1/petitions/${petition.id}`;
    const edit = editOf(petition);
    const page = await browser.open(edit);
    const theirs = 'We ask for <lamps>.\n\nAnd for a bench at every stop along the river path.';
    await creator.api.patch(path, { description: theirs, visibility: 'unlisted', tags: [] });
    const mine = {
      title: 'Light the river path',
      description: 'We ask the council to light the path along the river.\r\nAll night long.',
    };
    const refused = await browser.submit(page, mine, edit);
    assert.equal(refused.status, 412);
    assert.match(refused.body, somebody);
    assert.deepEqual(storedIds(refused), ['title', 'description', 'tags', 'visibility']);
    assert.match(partOf(refused, 'description'), /We ask for &lt;lamps&gt;\.\n\nAnd for a bench/);
    assert.match(partOf(refused, 'title'), new RegExp(petition.title));
    assert.match(partOf(refused, 'tags'), /Nothing/);
    assert.match(partOf(refused, 'visibility'), /<p class="plain-text">[^<]*link/i);
    const { fields } = formOf(refused, edit);
    assert.equal(fields.title, mine.title);
    assert.equal(fields.tags, 'lamps');
    assert.equal((await read(path)).description, theirs);
    const saved = await browser.submit(refused, { visibility: 'unlisted' }, edit);
    assert.equal(saved.status, 200);
    assert.match(saved.body, /role="status"/);
    const stored = await read(path);
    assert.equal(stored.title, mine.title);
    assert.match(stored.description, /All night long\.$/);
    assert.deepEqual([stored.visibility, stored.tags], ['unlisted', ['lamps']]);
  });

  it('shows it again while others go on, and overwrites nothing unseen', async () => {
    const petition = await createPublished(creator);
    const path = `/v1/petitions/${petition.id}`;
    const edit = editOf(petition);
    const page = await browser.open(edit);
    await creator.api.patch(path, { title: 'The first title of others' });
    const invalid = await browser.submit(page, { title: 'no' }, edit);
    assert.equal(invalid.status, 422);
    assert.deepEqual(storedIds(invalid), []);
    const first = await browser.submit(invalid, { title: 'My own title' }, edit);
    assert.equal(first.status, 412);
    assert.match(partOf(first, 'title'), /The first title of others/);
    await creator.api.patch(path, { title: 'The second title of others' });
    const second = await browser.submit(first, {}, edit);
    assert.equal(second.status, 412);
    assert.match(partOf(second, 'title'), /The second title of others/);
    assert.equal((await browser.submit(second, {}, edit)).status, 200);
    assert.equal((await read(path)).title, 'My own title');
  });

  it('takes what others changed beside it: signatures, comments, the picture', async () => {
    const petition = await createPublished(creator);
    const path = `/v1/petitions/${petition.id}`;
    const page = await browser.open(editOf(petition));
    await signByMany(service, petition, 1);
    await creator.api.post(`${path}/comments`, { body: 'We walk there every night.' });
    const imageUrl = 'https://example.org/river.jpg';
    await creator.api.patch(path, { imageUrl, imageAlt: 'The river', language: 'en' });
    const saved = await browser.submit(page, { title: 'Light the path' }, editOf(petition));
    assert.equal(saved.status, 200);
    const { title, image_url } = await read(path);
    assert.deepEqual([title, image_url], ['Light the path', imageUrl]);
  });

  it('is saved once where it is sent twice', async () => {
    for (const create of [createDraft, createPublished]) {
      const petition = await create(creator);
      const edit = editOf(petition);
      const page = await browser.open(edit);
      const send = () => browser.submit(page, { title: `By ${create.name}` }, edit);
      const answers = [...(await Promise.all([send(), send(), send()])), await send()];
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200, 200, 200],
      );
    }
  });

  it('is one of a draft that was published meanwhile', async () => {
    const draft = await createDraft(creator);
    const page = await browser.open(editOf(draft));
    await creator.api.post(`/v1/petitions/${draft.id}/publish`);
    const refused = await browser.submit(page, { title: 'Light the path' }, editOf(draft));
    assert.equal(refused.status, 412);
    assert.equal((await browser.submit(refused, {}, editOf(draft))).status, 200);
  });

  it('is one of an update', async () => {
    const petition = await createPublished(creator);
    const news = { title: 'On the agenda', body: 'On the third of May.' };
    const { body } = await creator.api.post(`/v1/petitions/${petition.id}/updates`, news);
    const path = `/v1/updates/${body.data.id}`;
    const at = `/dashboard/petitions/${petition.id}/updates/${body.data.id}`;
    const page = await browser.open(at);
    await creator.api.patch(path, { body: 'On the fourth of May.' });
    const refused = await browser.submit(page, { body: 'On the fifth of May.' }, at);
    assert.equal(refused.status, 412);
    assert.deepEqual(storedIds(refused), ['body']);
    assert.match(partOf(refused, 'body'), /On the fourth of May\./);
    assert.equal((await read(path)).body, 'On the fourth of May.');
    assert.equal((await browser.submit(refused, {}, at)).status, 200);
    assert.equal((await read(path)).body, 'On the fifth of May.');
  });

  it('is one of a profile', async () => {
    const page = await browser.open('/settings');
    await creator.api.patch('/v1/users/me', { bio: 'Likes rivers.', show_signatures: true });
    await creator.api.patch('/v1/users/me', { sign_in_alerts: false });
    const refused = await browser.submit(page, { bio: 'Likes lamps.' }, '/settings');
    assert.equal(refused.status, 412);
    assert.match(refused.body, somebody);
    assert.deepEqual(storedIds(refused), ['bio', 'show_signatures']);
    assert.match(partOf(refused, 'bio'), /Likes rivers\./);
    assert.match(partOf(refused, 'show_signatures'), />Ticked</);
    const saved = await browser.submit(refused, { show_signatures: 'on' }, '/settings');
    assert.equal(saved.status, 200);
    const { bio, show_signatures } = await read('/v1/users/me');
    assert.deepEqual({ bio, show_signatures }, { bio: 'Likes lamps.', show_signatures: true });
    await creator.api.patch('/v1/users/me', { sign_in_alerts: true });
    assert.equal((await browser.submit(saved, { bio: '' }, '/settings')).status, 200);
  });

  it('is one of an organization, also in Arabic and after that in French', async () => {
    const organization = await createOrganization(creator, { description: 'We walk.' });
    const path = `/v1/organizations/${organization.id}`;
    const at = `/dashboard/organizations/${organization.slug}/edit`;
    const page = await browser.open(at);
    await creator.api.patch(path, { description: null });
    const refused = await browser.submit(page, { description: 'We walk at night.' }, at);
    assert.equal(refused.status, 412);
    assert.match(partOf(refused, 'description'), /Nothing/);
    await creator.api.patch(path, { description: 'We run.' });
    const arabic = await inLanguage(refused, 'ar');
    assert.equal(arabic.status, 412);
    assert.match(arabic.body, /<html lang="ar" dir="rtl"/);
    assert.match(arabic.body, /غيّر شخص ما هذه البيانات/);
    assert.match(partOf(arabic, 'description'), /المحفوظ الآن.*dir="auto">We run\.</s);
    assert.equal(formOf(arabic, at).fields.description, 'We walk at night.');
    const french = await inLanguage(arabic, 'fr');
    assert.equal(french.status, 412);
    assert.equal((await browser.submit(french, {}, at)).status, 200);
    assert.equal((await read(path)).description, 'We walk at night.');
    await inLanguage(await browser.open(at), 'en');
  });
});
