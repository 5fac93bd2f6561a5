import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { readMail } from '../support/mail.ts';
import { createPublished, signUp, type Person } from '../support/people.ts';
import { freePort } from '../support/process.ts';
import { startService, type Service } from '../support/service.ts';
import { needsChromium, openAlone, openChromium } from './chromium.ts';
import { faultsOf } from './looks.ts';

describe('places suggested in a browser', needsChromium, () => {
  let service: Service;
  let browser: Browser;
  let creator: Person;
  before(async () => {
    service = await startService({ port: await freePort(), worker: true });
    browser = await openChromium();
    creator = await signUp(service, 'Creator');
  });
  after(async () => {
    await browser.close();
    await service[Symbol.asyncDispose]();
  });

  const openPetition = async (options?: BrowserContextOptions) => {
    const petition = await createPublished(creator);
    const opened = await openAlone(browser, `${service.origin}/p/${petition.slug}`, options);
    return { petition, opened, page: opened.page, field: opened.page.locator('#display_location') };
  };
  const options = (page: Page) => page.locator('#display_location-places [role=option]');
  const selected = (page: Page) => page.locator('#display_location-places [aria-selected=true]');
  const confirm = async (page: Page, email: string) => {
    const find = async () => (await service.mails()).map(readMail).find((one) => one.to === email);
    await eventually(async () => (await find()) !== undefined);
    await page.locator('[name=code]').fill(/: (\d{6})\n/.exec((await find())!.text)![1]!);
    await page.keyboard.press('Enter');
    await page.getByText('your signature counts!').waitFor();
  };

  it('are chosen by keyboard, and count exactly', async () => {
    const { petition, opened, page, field } = await openPetition();
    await using _ = opened;
    await page.locator('#display_name').fill('Grace Hopper');
    await page.locator('#email').fill('grace@example.org');
    await field.pressSequentially('Spring');
    await options(page).first().waitFor();
    assert.equal(await field.getAttribute('aria-expanded'), 'true');
    for (let n = 0; n < 5; n += 1) {
      await page.keyboard.press('ArrowDown');
      const id = await selected(page).getAttribute('id');
      assert.equal(await field.getAttribute('aria-activedescendant'), id);
      if ((await selected(page).textContent())!.includes('Illinois')) break;
    }
    await page.keyboard.press('Enter');
    assert.equal(await field.inputValue(), 'Springfield, Illinois, United States');
    assert.equal(await field.getAttribute('aria-expanded'), 'false');
    assert.equal(await options(page).count(), 0);
    await page.keyboard.press('Enter');
    await confirm(page, 'grace@example.org');
    const [row] = await service.ctx.db<{ place: string }[]>`
      select place from signatures where petition_id = ${petition.id}`;
    assert.equal(row!.place, 'US.IL.4250542');
    assert.deepEqual(opened.errors, []);
  });

  it('close by Escape and by leaving the field, which keeps the text', async () => {
    const { opened, page, field } = await openPetition();
    await using _ = opened;
    await field.pressSequentially('Lee');
    await options(page).first().waitFor();
    await page.keyboard.press('Escape');
    assert.equal(await options(page).count(), 0);
    await field.pressSequentially('d');
    await options(page).first().waitFor();
    await page.keyboard.press('Tab');
    assert.equal(await options(page).count(), 0);
    assert.equal(await field.inputValue(), 'Leed');
  });

  it('are chosen by the mouse', async () => {
    const { opened, page, field } = await openPetition();
    await using _ = opened;
    await field.pressSequentially('leeds');
    await options(page).filter({ hasText: 'England' }).click();
    assert.equal(await field.inputValue(), 'Leeds, England, United Kingdom');
  });

  it('are no part of the page without scripts, where the field takes any text', async () => {
    const { petition, opened, page, field } = await openPetition({ javaScriptEnabled: false });
    await using _ = opened;
    await page.locator('#display_name').fill('Ada');
    await page.locator('#email').fill('ada@example.org');
    await field.fill('Leeds');
    assert.equal(await field.getAttribute('role'), null);
    await page.locator('#sign button.large').click();
    await confirm(page, 'ada@example.org');
    const [row] = await service.ctx.db<{ place: string }[]>`
      select place from signatures where petition_id = ${petition.id}`;
    assert.equal(row!.place, 'GB.ENG.2644688');
  });

  for (const [locale, text, width, colorScheme] of [
    ['en', 'Springf', 1280, 'light'],
    ['en', 'Springf', 360, 'dark'],
    ['ar', 'القاه', 360, 'light'],
    ['ar', 'Spring', 1280, 'dark'],
  ] as const) {
    it(`are readable in ${locale} at ${width} pixels, ${colorScheme}`, async () => {
      const viewport = { width, height: 800 };
      const { opened, page, field } = await openPetition({ locale, viewport, colorScheme });
      await using _ = opened;
      await field.scrollIntoViewIfNeeded();
      await field.pressSequentially(text);
      await options(page).first().waitFor();
      await page.keyboard.press('ArrowDown');
      assert.deepEqual(await faultsOf(page), []);
    });
  }
});
