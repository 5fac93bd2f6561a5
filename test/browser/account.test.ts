import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, BrowserContext } from 'playwright-core';
import { readMail } from '../support/mail.ts';
import { eventually } from '../support/eventually.ts';
import { addMaker } from '../support/decision-makers.ts';
import { authorizePath, registerClient } from '../support/oauth.ts';
import { founded, published, signUp, type Person } from '../support/people.ts';
import { freePort } from '../support/process.ts';
import { startService, type Service } from '../support/service.ts';
import { needsChromium, openChromium, openSite } from './chromium.ts';
import { assertUsable, logInAt } from './looks.ts';

describe('people in a browser', needsChromium, () => {
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

  /** Goes where an application of somebody else's sends them, logs in there, and allows it. */
  const authorise = async (context: BrowserContext) => {
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
    return { page, client };
  };

  /** Answers the petition by the link of the mail, and reads the answer there again. */
  const answer = async (context: BrowserContext, use: typeof assertUsable) => {
    const petition = await published(creator, { title: 'Light the river path' });
    const maker = await addMaker(creator, petition);
    await creator.api.post(`${maker.path}/deliver`);
    let path: string | undefined;
    await eventually(async () => {
      const mail = (await service.mails()).map(readMail).find(({ to }) => to === maker.email);
      path = /\/respond\/[\w-]+/.exec(mail?.text ?? '')?.[0];
      return path !== undefined;
    }, 15_000);
    const page = await context.newPage();
    await use(page, path!);
    await page.goto(path!);
    await page.getByLabel('Your response').fill('The council will light it.');
    await page.getByLabel('Supportive').check();
    await page.locator('main form button').click();
    await page.getByRole('heading', { name: 'Thank you' }).waitFor();
    await page.goto(path!);
    await page.getByText('The council will light it.').waitFor();
  };
  /** Opens an account, looks at what there is of it, and erases it. */
  const leave = async (context: BrowserContext) => {
    const page = await context.newPage();
    await page.goto('/organizations');
    await page.getByRole('link', { name: 'Log in' }).click();
    await page.getByRole('link', { name: 'Open an account' }).click();
    const email = `leaver-${Math.random()}@example.org`;
    await page.locator('[name=display_name]').fill('Leaver');
    await page.locator('main [name=email]').fill(email);
    await page.locator('main [name=password]').fill('correct horse');
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

  for (const { how, javaScriptEnabled } of contexts) {
    it(`authorise an application, ${how}`, async () => {
      await using context = await browser.newContext({ baseURL, javaScriptEnabled });
      const { page, client } = await authorise(context);
      if (javaScriptEnabled) await assertUsable(page, authorizePath(client));
    });

    it(`answer as a decision maker, ${how}`, async () => {
      await using context = await browser.newContext({ baseURL, javaScriptEnabled });
      await answer(context, javaScriptEnabled ? assertUsable : async () => undefined);
    });

    it(`leave and erase, ${how}`, async () => {
      await using context = await browser.newContext({ baseURL, javaScriptEnabled });
      await leave(context);
    });
  }

  it('come in by pages that everybody can use', async () => {
    await using context = await browser.newContext({ baseURL });
    const page = await context.newPage();
    for (const path of [
      '/register',
      '/forgot-password',
      '/reset-password?token=x',
      '/verify-email?token=x',
      '/goodbye',
      '/nowhere',
    ]) {
      await assertUsable(page, path);
    }
  });

  it('have pages of their own that everybody can use', async () => {
    await using context = await browser.newContext({ baseURL });
    const page = await context.newPage();
    const petition = await published(creator, { title: 'Own pages' });
    await creator.api.post(`/v1/petitions/${petition.id}/signatures`);
    await logInAt(page, creator);
    for (const path of ['/settings', '/settings/erase', '/notifications', '/signatures']) {
      await assertUsable(page, path);
    }
  });

  it('find petitions, people and organizations, in Arabic too', async () => {
    const organization = await founded(creator, { name: 'Friends of the river' });
    const petition = await published(creator, { title: 'Ferries at night' });
    await using context = await browser.newContext({ baseURL, locale: 'ar' });
    const page = await context.newPage();
    await eventually(async () => {
      await page.goto('/petitions?q=ferries');
      return (await page.locator(`a[href="/p/${petition.slug}"]`).count()) === 1;
    }, 15_000);
    assert.equal(await page.locator('html').getAttribute('dir'), 'rtl');
    for (const path of [
      '/petitions',
      '/petitions?q=nothing+of+the+kind',
      `/u/${creator.slug}`,
      `/u/${creator.slug}/signatures`,
      `/o/${organization.slug}`,
      '/organizations',
      '/settings',
    ]) {
      await assertUsable(page, path);
    }
  });

  it('are suggested petitions while they type, by keyboard alone', async () => {
    const petition = await published(creator, { title: 'Zebra crossings everywhere' });
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
