import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Browser, formOf, logInBrowser } from '../../../test/support/browser.ts';
import {
  createPublished,
  petitionInput,
  signUp,
  verifyAddress,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

describe('a form that is sent without a login', () => {
  let service: Service;
  let person: Person;
  before(async () => {
    service = await startService();
    person = await signUp(service, 'Ada');
    await verifyAddress(service, person);
  });
  after(() => service[Symbol.asyncDispose]());

  const logIn = async (browser: Browser, page: Awaited<ReturnType<Browser['open']>>) =>
    browser.submit(page, { email: person.email, password: person.password }, '/login');

  it('comes back with a comment after the login, and is sent then', async () => {
    const { slug } = await createPublished(person);
    const browser = new Browser(service.api);
    const petition = await browser.open(`/p/${slug}`);
    const body = 'Nothing of <this> is lost.';
    const login = await browser.submit(petition, { body }, `/p/${slug}/comments`);
    assert.match(login.body, /name="next" value="\/continue"/);
    const back = await logIn(browser, login);
    assert.equal(back.status, 200);
    assert.match(back.body, /role="status">You are logged in\. What you typed is still here/);
    assert.equal(formOf(back, `/p/${slug}/comments`).fields['body'], body);
    const sent = await browser.submit(back, {}, `/p/${slug}/comments`);
    assert.match(sent.body, /Nothing of &lt;this&gt; is lost\./);
  });

  it('comes back with a draft where the session ended while it was written', async () => {
    const browser = await logInBrowser(service, person);
    const page = await browser.submit(await browser.open('/start'), {
      ...petitionInput,
      go: 'stay',
    });
    // In another tab.
    await browser.submit(await browser.open('/settings'), {}, '/logout');
    const login = await browser.submit(page, { title: 'A bridge for Zürich' });
    const back = await logIn(browser, login);
    assert.equal(formOf(back).fields['title'], 'A bridge for Zürich');
  });

  it('comes back to the browser that sent it only', async () => {
    const { slug } = await createPublished(person);
    const browser = new Browser(service.api);
    const petition = await browser.open(`/p/${slug}`);
    await browser.submit(petition, { body: 'Mine alone' }, `/p/${slug}/comments`);
    const other = await logInBrowser(service, person);
    assert.doesNotMatch((await other.open('/continue')).body, /Mine alone/);
  });

  /** Sends a comment without a login, and logs in: the page has the comment. */
  const keepComment = async (body: string) => {
    const { slug } = await createPublished(person);
    const browser = new Browser(service.api);
    const at = `/p/${slug}/comments`;
    const login = await browser.submit(await browser.open(`/p/${slug}`), { body }, at);
    return { browser, at, body, back: await logIn(browser, login) };
  };
  const countRows = () =>
    service.ctx.pools.main.value<number>`select count(*)::int from kept_forms`;

  it('is deleted when it is sent', async () => {
    const { browser, at, body, back } = await keepComment('Sent and gone');
    const cookieHeader = browser.cookies;
    const refused = await browser.submit(back, { body: '' }, at);
    assert.equal(refused.status, 422);
    assert.equal(formOf(await browser.open('/continue'), at).fields['body'], body);
    const kept = await countRows();
    await browser.submit(back, {}, at);
    assert.equal(await countRows(), kept - 1);
    assert.doesNotMatch(browser.cookies, /kept_form/);
    const again = await service.api.send('GET', '/continue', undefined, {
      headers: { cookie: cookieHeader },
    });
    assert.equal(again.headers.get('location'), '/');
  });

  it('stays when another form is sent', async () => {
    const { browser, at, body } = await keepComment('Waits for its own form');
    const { slug } = await createPublished(person);
    const other = await browser.open(`/p/${slug}`);
    await browser.submit(other, { body: 'Another comment' }, `/p/${slug}/comments`);
    assert.equal(formOf(await browser.open('/continue'), at).fields['body'], body);
  });

  it('is deleted when the browser is logged out', async () => {
    const { browser } = await keepComment('Typed before logging out');
    const kept = await countRows();
    await browser.submit(await browser.open('/settings'), {}, '/logout');
    assert.equal(await countRows(), kept - 1);
    assert.doesNotMatch(browser.cookies, /kept_form/);
  });

  it('is deleted with the account', async () => {
    const eve = await signUp(service, 'Eve');
    const { slug } = await createPublished(person);
    const browser = new Browser(service.api);
    const page = await browser.open(`/p/${slug}`);
    const login = await browser.submit(page, { body: 'Gone' }, `/p/${slug}/comments`);
    const { email, password } = eve;
    await browser.submit(login, { email, password }, '/login');
    const kept = await countRows();
    await browser.submit(await browser.open('/settings/erase'), { password }, '/settings/erase');
    assert.equal(await countRows(), kept - 1);
    assert.doesNotMatch(browser.cookies, /kept_form/);
  });

  it('is shown to the account that opened it first, and no other', async () => {
    const { browser, at, body } = await keepComment('Opened by Ada');
    const [kept] = /kept_form=[^;]+/.exec(browser.cookies)!;
    const other = await logInBrowser(service, await signUp(service, 'Ben'));
    const open = (cookies: string) =>
      service.api.send('GET', '/continue', undefined, {
        headers: { cookie: `${cookies}; ${kept}` },
      });
    const refused = await open(other.cookies);
    assert.equal(refused.status, 303);
    assert.equal(refused.headers.get('location'), '/');
    assert.equal(formOf(await browser.open('/continue'), at).fields['body'], body);
  });
});
