import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { createPublished, signUp, type Person } from '../support/people.ts';
import { freePort } from '../support/process.ts';
import { startService, type Service } from '../support/service.ts';
import { needsChromium, openAlone, openChromium } from './chromium.ts';
import { faultsOf } from './looks.ts';

describe('proof of work in a browser', needsChromium, () => {
  let service: Service;
  let browser: Browser;
  let creator: Person;
  let count = 0;
  before(async () => {
    service = await startService({ port: await freePort(), env: { CAPTCHA: 'altcha' } });
    browser = await openChromium();
    creator = await signUp(service, 'Creator');
  });
  after(async () => {
    await browser.close();
    await service[Symbol.asyncDispose]();
  });

  const open = (path: string, options?: BrowserContextOptions) =>
    openAlone(browser, `${service.origin}${path}`, options);
  const fillIn = async (page: Page): Promise<string> => {
    const email = `visitor-${++count}@example.org`;
    await page.getByLabel('Your name').fill('Grace Hopper');
    await page.getByLabel('Email address').fill(email);
    return email;
  };
  const press = (page: Page) => page.getByRole('button', { name: 'Sign', exact: true }).click();
  const usedUp = async () =>
    (await service.ctx.db`select count(*)::int as n from used_challenges`)[0]!.n as number;

  it('is computed while a visitor fills in the form, and again for the next form', async () => {
    const petition = await createPublished(creator);
    const usedBefore = await usedUp();
    await using visitor = await open(`/p/${petition.slug}`);
    const { page } = visitor;
    assert.equal(await page.getByRole('status').filter({ hasText: 'robots' }).count(), 0);
    const email = await fillIn(page);
    await page.getByText('The check against robots is done.').waitFor();
    await press(page);
    await page.getByText(`We have sent an email to ${email}`).waitFor();
    await page.goBack();
    const next = await fillIn(page);
    await press(page);
    await page.getByText(`We have sent an email to ${next}`).waitFor();
    assert.equal(await usedUp(), usedBefore + 2);
    assert.deepEqual(visitor.errors, []);
  });

  it('delays an early submit, and submits once', async () => {
    const petition = await createPublished(creator);
    const usedBefore = await usedUp();
    await using visitor = await open(`/p/${petition.slug}`);
    const { page } = visitor;
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/v1/captcha/challenge', async (route) => {
      await released;
      await route.continue();
    });
    const email = await fillIn(page);
    await page.getByText('A short check against robots is running').waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('Your signature will be sent as soon as').waitFor();
    await press(page);
    release();
    await page.getByText(`We have sent an email to ${email}`).waitFor();
    assert.equal(await usedUp(), usedBefore + 1);
    const [row] = await service.ctx.db`
      select count(*)::int as n from pending_signatures where email = ${email}`;
    assert.equal(row!.n, 1);
  });

  it('submits without it if it fails, and without JavaScript', async () => {
    const petition = await createPublished(creator);
    const usedBefore = await usedUp();
    await using visitor = await open(`/p/${petition.slug}`);
    await visitor.page.route('**/v1/captcha/challenge', (route) => route.abort());
    const email = await fillIn(visitor.page);
    await press(visitor.page);
    await visitor.page.getByText(`We have sent an email to ${email}`).waitFor();
    await using plain = await open(`/p/${petition.slug}`, { javaScriptEnabled: false });
    const other = await fillIn(plain.page);
    await press(plain.page);
    await plain.page.getByText(`We have sent an email to ${other}`).waitFor();
    assert.equal(await usedUp(), usedBefore);
  });

  for (const [locale, name] of [
    ['en', 'Your name'],
    ['ar', 'اسمك'],
  ] as const) {
    it(`keeps the page accessible (${locale})`, async () => {
      const petition = await createPublished(creator);
      const viewport = { width: 320, height: 640 };
      await using visitor = await open(`/p/${petition.slug}`, { locale, viewport });
      const { page } = visitor;
      await page.getByLabel(name).focus();
      await page.locator('[data-captcha]:not(:empty)').waitFor();
      assert.deepEqual(await faultsOf(page), []);
    });
  }
});
