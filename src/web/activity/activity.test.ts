import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { logInBrowser } from '../../../test/support/browser.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { codeFor, registerClient } from '../../../test/support/oauth.ts';
import { createPublished, signUp } from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

describe('pages of the viewer’s activity', () => {
  let service: Service;
  before(async () => {
    service = await startService({ worker: true });
  });
  after(() => service[Symbol.asyncDispose]());

  const logIn = async (name = 'Ada') => {
    const person = await signUp(service, name);
    return { person, browser: await logInBrowser(service, person) };
  };

  it('list notifications, mark them as read, and redirect to their subjects', async () => {
    const { person, browser } = await logIn();
    assert.match((await browser.open('/notifications')).body, /Nothing yet/);
    const petition = await createPublished(person, { title: 'A <b>bold</b> petition' });
    const other = await signUp(service, 'Other');
    await other.api.post(`/v1/petitions/${petition.id}/comments`, { body: 'I agree.' });
    const unread = async () => (await person.api.get('/v1/notifications/unread-count')).body.data;
    await eventually(async () => (await unread()).unread_count === 1, 15_000);
    const page = await browser.open('/notifications');
    assert.match(page.body, /A new comment on “A &lt;b&gt;bold&lt;\/b&gt; petition”/);
    assert.match(page.body, /class="unread"/);
    const link = /href="(\/notifications\/[0-9a-f-]{36})"/.exec(page.body)![1]!;
    const headers = { cookie: browser.cookies };
    const followed = await service.api.get(link, { headers });
    assert.equal(followed.headers.get('location'), `/p/${petition.slug}`);
    assert.equal((await unread()).unread_count, 0);
    const stranger = await logIn('Stranger');
    assert.equal((await stranger.browser.open(link)).status, 404);
    assert.match((await browser.open('/notifications?unread')).body, /There is nothing unread/);
  });

  it('show notifications in the language of the viewer', async () => {
    const { person, browser } = await logIn();
    const petition = await createPublished(person, { title: 'Une pétition' });
    const other = await signUp(service, 'Other');
    await other.api.post(`/v1/petitions/${petition.id}/comments`, { body: 'I agree.' });
    await eventually(
      async () => (await browser.open('/notifications')).body.includes('class="unread"'),
      15_000,
    );
    const headers = { cookie: browser.cookies, 'accept-language': 'fr' };
    const { body } = await service.api.get('/notifications', { headers });
    assert.match(body, /Un nouveau commentaire sur «\u202fUne pétition\u202f»/);
    const page = await browser.open('/notifications');
    const done = await browser.submit(page, { all: 'yes' }, 'mark-all');
    assert.match(done.body, /role="status">Marked as read.*You have read all notifications/s);
  });

  it('list signatures, anonymous ones too, and withdraw them', async () => {
    const { person, browser } = await logIn();
    const creator = await signUp(service, 'Creator');
    const petition = await createPublished(creator, { title: 'Signed without a name' });
    await person.api.post(`/v1/petitions/${petition.id}/signatures`, { is_anonymous: true });
    const page = await browser.open('/signatures');
    assert.match(page.body, /Signed without a name.*without your name/s);
    const done = await browser.submit(page, {}, '/signatures/withdraw');
    assert.match(done.body, /role="status">Your signature is withdrawn/);
    assert.match(done.body, /You have signed nothing yet/);
    assert.equal(
      (await creator.api.get(`/v1/petitions/${petition.id}`)).body.data.signature_count,
      0,
    );
    assert.equal((await browser.submit(page, {}, '/signatures/withdraw')).status, 404);
    const odd = await browser.submit(page, { petition_id: 'odd' }, '/signatures/withdraw');
    assert.equal(odd.status, 404);
  });

  it('list own signatures by page', async () => {
    const { person, browser } = await logIn();
    const creator = await signUp(service, 'Creator');
    for (let n = 0; n < 21; n++) {
      const { id } = await createPublished(creator, { title: `To be signed, number ${n}.` });
      await person.api.post(`/v1/petitions/${id}/signatures`);
    }
    const first = await browser.open('/signatures');
    const next = /rel="next nofollow" href="([^"]+)"/.exec(first.body)![1]!;
    const second = await browser.open(next);
    assert.match(second.body, /number 0\./);
    assert.doesNotMatch(second.body, /number 20\.|rel="next nofollow"/);
  });

  it('show what applications may do, and withdraw their access', async () => {
    const { person, browser } = await logIn();
    const client = await registerClient(await signUp(service), { name: 'River <Watch>' });
    await codeFor(person, client);
    const page = await browser.open('/applications');
    assert.match(page.body, /River &lt;Watch&gt;.*Sign petitions and withdraw signatures/s);
    const done = await browser.submit(page, {}, '/applications/withdraw');
    assert.match(done.body, /No application may act for you/);
    assert.equal((await browser.submit(page, {}, '/applications/withdraw')).status, 404);
  });
});
