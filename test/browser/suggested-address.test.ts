import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { languages } from '../../src/platform/pages/language.ts';
import { eventually } from '../support/eventually.ts';
import { readMail } from '../support/mail.ts';
import { freePort } from '../support/process.ts';
import { startService, type Service } from '../support/service.ts';
import { needsChromium, openChromium } from './chromium.ts';

describe('a mistyped address in a browser', needsChromium, () => {
  let service: Service;
  let browser: Browser;
  let baseURL: string;
  before(async () => {
    const port = await freePort();
    baseURL = `http://127.0.0.1:${port}`;
    service = await startService({ port, worker: true, env: { BASE_URL: baseURL } });
    browser = await openChromium();
  });
  after(async () => {
    await browser.close();
    await service[Symbol.asyncDispose]();
  });

  const isMailed = (address: string) =>
    eventually(
      async () => (await service.mails()).map(readMail).some(({ to }) => to === address),
      15_000,
    );

  const form = 'form[action="/login/mail"]';
  const field = `${form} [name=email]`;
  const button = `${form} [role=status] button`;

  for (const locale of languages) {
    it(`is replaced by a button below the field, in ${locale}`, async () => {
      const options = { baseURL, locale, viewport: { width: 320, height: 740 } };
      await using context = await browser.newContext(options);
      const page = await context.newPage();
      await page.goto('/login');
      await page.locator(field).fill(`${locale}@gmial.com`);
      assert.equal(await page.locator(button).count(), 0);
      await page.keyboard.press('Tab');
      await page.locator(button).waitFor();
      assert.equal(await page.locator(`${button} bdi`).textContent(), `${locale}@gmail.com`);
      const width = await page.evaluate('document.documentElement.scrollWidth');
      assert.equal(width, 320);
      await page.locator(button).click();
      assert.equal(await page.locator(field).inputValue(), `${locale}@gmail.com`);
      assert.equal(await page.locator(button).count(), 0);
      await page.keyboard.press('Enter');
      await page.locator('[name=code]').waitFor();
      await isMailed(`${locale}@gmail.com`);
    });
  }

  it('is sent as it is after the button was seen, and asked about where it was not', async () => {
    await using context = await browser.newContext({ baseURL, locale: 'en' });
    const page = await context.newPage();
    await page.goto('/login');
    await page.locator(field).fill('seen@gmial.com');
    await page.keyboard.press('Tab');
    await page.locator(button).waitFor();
    await page.locator(`${form} [name=_asked_email]`).waitFor({ state: 'attached' });
    await page.locator(field).press('Enter');
    await page.locator('[name=code]').waitFor();
    await isMailed('seen@gmial.com');

    await page.goto('/login');
    await page.locator(field).fill('unseen@yaho.com');
    await page.locator(field).press('Enter');
    const choice = page.locator('[name=_suggested_email]');
    await choice.check();
    await page.locator(`${form} > button`).click();
    await page.locator('[name=code]').waitFor();
    await isMailed('unseen@yahoo.com');
  });
});
