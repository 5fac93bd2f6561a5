import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Browser, logInBrowser } from '../../test/support/browser.ts';
import {
  createPublished,
  petitionInput,
  signUp,
  verifyAddress,
} from '../../test/support/people.ts';
import { startService, type Service } from '../../test/support/service.ts';

describe('cookies of a site with https', () => {
  let service: Service;
  before(async () => {
    service = await startService({ env: { BASE_URL: 'https://petitions.test' } });
  });
  after(() => service[Symbol.asyncDispose]());

  const open = (path: string, cookie: string) =>
    service.api.send('GET', path, undefined, { headers: { cookie } });
  const newBrowser = () => new Browser(service.api, { origin: 'https://petitions.test' });
  const upgradeWas = (days: number) => service.ctx.pools.main`
    update migrations set applied_at = now() - ${days} * interval '1 day' where name like '0132%'`;

  const writeDraft = async (title: string) => {
    const browser = newBrowser();
    const start = await browser.open('/start');
    await browser.submit(start, { ...petitionInput, title, go: 'stay' });
    return /__Host-drafts=([^;]+)/.exec(browser.cookies)![1]!;
  };

  it('cannot be set by other hosts', async () => {
    const [drafts] = (await service.api.get('/start')).headers.getSetCookie();
    assert.match(
      drafts!,
      /^__Host-drafts=[\w-]+; Max-Age=604800; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    const petition = await createPublished(await signUp(service, 'Ada'));
    const browser = newBrowser();
    const at = `/p/${petition.slug}`;
    await browser.submit(await browser.open(at), { body: 'Typed' }, `${at}/comments`);
    assert.match(browser.cookies, /__Host-kept_form=/);
    assert.match((await service.api.get('/privacy')).body, /__Host-drafts/);
  });

  it('have drafts by their former name for 7 days after the upgrade, and get the new name', async () => {
    const token = await writeDraft('A bridge from before');
    await upgradeWas(6);
    const page = await open('/start', `drafts=${token}`);
    assert.match(page.body, /A bridge from before/);
    const cookies = page.headers.getSetCookie();
    assert.ok(
      cookies.some((text) => text.startsWith(`__Host-drafts=${token}; Max-Age=604800; Path=/;`)),
    );
    assert.ok(cookies.some((text) => text.startsWith('drafts=; Max-Age=0; Path=/start;')));
    await upgradeWas(8);
    const later = await open('/start', `drafts=${token}`);
    assert.doesNotMatch(later.body, /A bridge from before/);
    assert.ok(!later.headers.getSetCookie().some((text) => text.includes(token)));
  });

  it('have the new name rather than the former one', async () => {
    await upgradeWas(1);
    const [own, planted] = [await writeDraft('My own'), await writeDraft('Planted')];
    const page = await open('/start', `drafts=${planted}; __Host-drafts=${own}`);
    assert.match(page.body, /My own/);
    assert.doesNotMatch(page.body, /Planted/);
  });

  it('have kept forms by their former name', async () => {
    await upgradeWas(1);
    const person = await signUp(service, 'Ben');
    await verifyAddress(service, person);
    const petition = await createPublished(person);
    const browser = newBrowser();
    const at = `/p/${petition.slug}`;
    await browser.submit(await browser.open(at), { body: 'From before' }, `${at}/comments`);
    const token = /__Host-kept_form=([^;]+)/.exec(browser.cookies)![1]!;
    const other = await logInBrowser(service, person);
    const page = await open('/continue', `${other.cookies}; kept_form=${token}`);
    assert.match(page.body, /From before/);
    const names = page.headers.getSetCookie().map((text) => text.split('=', 1)[0]);
    assert.deepEqual(names, ['kept_form', '__Host-kept_form']);
  });
});
