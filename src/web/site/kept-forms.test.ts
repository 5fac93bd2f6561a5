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
});
