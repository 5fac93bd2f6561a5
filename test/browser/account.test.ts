import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, BrowserContext } from 'playwright-core';
import { readMail } from '../support/mail.ts';
import { eventually } from '../support/eventually.ts';
import { addDecisionMaker, recordOf } from '../support/decision-makers.ts';
import { authorizePath, registerClient } from '../support/oauth.ts';
import { createPublished, signUp, type Person, verifyAddress } from '../support/people.ts';
import { freePort } from '../support/process.ts';
import { startService, type Service } from '../support/service.ts';
import { needsChromium, openChromium, openSite } from './chromium.ts';

describe('accounts in a browser', needsChromium, () => {
  let service: Service;
  let browser: Browser;
  let baseURL: string;
  let creator: Person;
  before(async () => {
    const port = await freePort();
    baseURL = `http://127.0.0.1:${port}`;
    service = await startService({ port, worker: true });
    browser = await openChromium();
    creator = await signUp(service, 'Creator');
  });
  after(async () => {
    await browser.close();
    await service[Symbol.asyncDispose]();
  });

  const contexts = [
    { how: 'with scripts', javaScriptEnabled: true },
    { how: 'without scripts', javaScriptEnabled: false },
  ];

  /** Opens the authorization page of another application, logs in, and allows it. */
  const authorize = async (context: BrowserContext) => {
    await using site = await openSite('<!doctype html><title>River Watch</title><h1>Welcome</h1>');
    const client = await registerClient(creator, { redirect_uris: [`${site.origin}/back`] });
    const person = await signUp(service, 'Developer');
    const page = await context.newPage();
    await page.goto(authorizePath(client));
    await page.locator('[name=email]').fill(person.email);
    await page.locator('[name=password]').fill(person.password);
    await page.locator('main button').click();
    await page.getByText('Sign petitions and withdraw signatures in your name').waitFor();
    await page.locator('button[value=allow]').click();
    await page.getByRole('heading', { name: 'Welcome' }).waitFor();
    assert.match(page.url(), /\/back\?code=/);
    await page.goto('/applications');
    await page.getByRole('heading', { name: 'River Watch' }).waitFor();
  };

  /** Delivers a petition. Returns its decision maker, and the path of the link in the mail. */
  const deliver = async () => {
    const petition = await createPublished(creator, { title: 'Light the river path' });
    const maker = await addDecisionMaker(creator, petition);
    await verifyAddress(service, creator);
    await creator.api.post(`${maker.path}/deliver`);
    let path: string | undefined;
    await eventually(async () => {
      const mail = (await service.mails()).map(readMail).find(({ to }) => to === maker.email);
      path = /\/respond\/[\w-]+/.exec(mail?.text ?? '')?.[0];
      return path !== undefined;
    }, 15_000);
    return { maker, path: path! };
  };

  /** Responds to a petition by the link in the mail, and reads the response there. */
  const respond = async (context: BrowserContext) => {
    const { path } = await deliver();
    const page = await context.newPage();
    await page.goto(path);
    await page.getByLabel('Your response').fill('The council will light it.');
    await page.getByLabel('In favour').check();
    await page.getByRole('button', { name: 'Preview your response' }).click();
    await page.getByRole('button', { name: 'Send the response' }).click();
    await page.getByRole('heading', { name: 'Thank you' }).waitFor();
    await page.goto(path);
    await page.getByText('The council will light it.').waitFor();
  };

  /** Creates an account, opens its settings, and erases it. */
  const leave = async (context: BrowserContext) => {
    const page = await context.newPage();
    await page.goto('/organizations');
    await page.getByRole('link', { name: 'Log in' }).click();
    await page.getByRole('link', { name: 'Create an account' }).click();
    const email = `leaver-${Math.random()}@example.org`;
    await page.locator('[name=display_name]').fill('Leaver');
    await page.locator('main [name=email]').fill(email);
    await page.locator('main [name=password]').fill('correct horse');
    await page.locator('main button').click();
    await page.getByText(email).waitFor();
    await page.locator('[name=code]').fill(await codeFor(email));
    await page.locator('main button').click();
    await page.getByRole('heading', { name: 'Organizations' }).waitFor();
    await page.goto('/settings');
    await page.getByRole('link', { name: 'Go on to erasing' }).click();
    await page.locator('main [name=password]').fill('correct horse');
    await page.locator('main button.danger').click();
    await page.getByRole('heading', { name: 'Your account is erased' }).waitFor();
    await page.goto('/settings');
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    const { status } = await service.api.post('/v1/auth/login', {
      email,
      password: 'correct horse',
    });
    assert.equal(status, 401);
  };

  /** The code of the mail that signs this address in. */
  const codeFor = async (email: string): Promise<string> => {
    const find = async () => (await service.mails()).map(readMail).find(({ to }) => to === email);
    await eventually(async () => (await find()) !== undefined, 15_000);
    return /^(\d{6})/.exec((await find())!.subject)![1]!;
  };

  for (const { how, javaScriptEnabled } of contexts) {
    it(`authorize an application, ${how}`, async () => {
      await using context = await browser.newContext({ baseURL, javaScriptEnabled });
      await authorize(context);
    });

    it(`respond as a decision maker, ${how}`, async () => {
      await using context = await browser.newContext({ baseURL, javaScriptEnabled });
      await respond(context);
    });

    it(`register and erase the account, ${how}`, async () => {
      await using context = await browser.newContext({ baseURL, javaScriptEnabled });
      await leave(context);
    });
  }

  it('mark a delivery as opened once its page was visible for 2 seconds', async () => {
    const { maker, path } = await deliver();
    await using context = await browser.newContext({ baseURL });
    const page = await context.newPage();
    await page.clock.install({ time: 0 });
    // Later than any start of the page takes: the clock cannot go back.
    await page.clock.pauseAt(60_000);
    const reports: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') reports.push(new URL(request.url()).pathname);
    });
    await page.goto(path);
    await page.clock.runFor(1900);
    assert.deepEqual(reports, []);
    await page.clock.runFor(200);
    await eventually(async () => (await recordOf(creator, maker)).state === 'opened', 5000);
    assert.deepEqual(reports, [`${path}/opened`]);
  });

  it('change the language by the button only, not by the list', async () => {
    await using context = await browser.newContext({ baseURL });
    const page = await context.newPage();
    await page.goto('/organizations');
    const form = page.locator('footer form');
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.method()));
    await form.getByLabel('Language').selectOption('de');
    await page.goto('/petitions');
    assert.ok(!sent.includes('POST'));
    await form.getByLabel('Language').selectOption('de');
    await form.getByRole('button', { name: 'Save' }).click();
    await page.locator('html[lang=de]').waitFor();
    assert.match(page.url(), /\/petitions$/);
  });

  it('suggest petitions for keyboard users', async () => {
    const petition = await createPublished(creator, { title: 'Zebra crossings everywhere' });
    await using context = await browser.newContext({ baseURL });
    const page = await context.newPage();
    await page.goto('/organizations');
    const field = page.getByRole('combobox', { name: 'Search petitions' });
    await eventually(async () => {
      await field.fill('');
      await field.pressSequentially('zebra cr');
      return page
        .getByRole('option')
        .first()
        .waitFor({ timeout: 1000 })
        .then(
          () => true,
          () => false,
        );
    }, 20_000);
    await field.press('ArrowDown');
    assert.equal(await page.locator('[aria-selected=true]').textContent(), petition.title);
    await field.press('Escape');
    assert.equal(await page.locator('#suggestions [role=option]').count(), 0);
    await field.press('o');
    await page.locator('#suggestions [role=option]').first().waitFor();
    await field.press('ArrowDown');
    await field.press('Enter');
    await page.waitForURL(`**/p/${petition.slug}`);
  });
});
