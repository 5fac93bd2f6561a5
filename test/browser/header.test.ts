import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { languages } from '../../src/platform/pages/language.ts';
import { signUp, type Person } from '../support/people.ts';
import { freePort } from '../support/process.ts';
import { startService, type Service } from '../support/service.ts';
import { needsChromium, openChromium } from './chromium.ts';
import { logInAt } from './looks.ts';

describe('the header on a phone', needsChromium, () => {
  let service: Service;
  let browser: Browser;
  let person: Person;
  before(async () => {
    service = await startService({ port: await freePort() });
    browser = await openChromium();
    person = await signUp(service, 'Konstantinos Papadopoulos-Weatherington');
    // A wide number.
    await service.ctx.db`
      insert into notification_inboxes (user_id, unread, total) values (${person.id}, 1234, 1234)
      on conflict (user_id) do update set unread = 1234, total = 1234`;
  });
  after(async () => {
    await browser.close();
    await service[Symbol.asyncDispose]();
  });

  const phone = { width: 360, height: 740 };

  it('has one row of at most 64 px in every language', async () => {
    const heights: Record<string, number> = {};
    for (const locale of languages) {
      const options = { baseURL: service.origin, locale, viewport: phone };
      await using context = await browser.newContext(options);
      const page = await context.newPage();
      await page.goto('/');
      heights[`${locale}, visitor`] = await heightOf(page);
      await logInAt(page, person);
      await page.goto('/');
      heights[`${locale}, logged in`] = await heightOf(page);
    }
    assert.deepEqual(
      Object.entries(heights).filter(([, height]) => height > 64),
      [],
    );
  });

  it('works by keyboard without JavaScript', async () => {
    const options = { baseURL: service.origin, viewport: phone, javaScriptEnabled: false };
    await using context = await browser.newContext(options);
    const page = await context.newPage();
    const follow = async (link: string) => {
      await page.locator('header summary').focus();
      await page.keyboard.press('Enter');
      await page.locator('header').getByRole('link', { name: link }).focus();
      await page.keyboard.press('Enter');
    };
    await page.goto('/');
    await page.locator('header').getByRole('link', { name: 'Search' }).click();
    await page.waitForURL('**/petitions');
    await page.locator('header').getByRole('searchbox', { name: 'Search petitions' }).fill('river');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/petitions?q=river');
    await follow('Browse');
    await page.waitForURL('**/petitions');
    await logInAt(page, person);
    await follow('Start a petition');
    await page.waitForURL('**/start');
    await page.getByRole('link', { name: 'Notifications 1,234 unread' }).click();
    await page.waitForURL('**/notifications');
  });
});

/** The height of the header, in CSS pixels. */
const heightOf = (page: Page) =>
  page.evaluate<number>(`document.querySelector('header.site').getBoundingClientRect().height`);
