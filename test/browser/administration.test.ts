import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { createPublished, signUp } from '../support/people.ts';
import { noiseImage } from '../support/pictures.ts';
import { freePort } from '../support/process.ts';
import { admin, startService, type Service } from '../support/service.ts';
import { needsChromium, openChromium } from './chromium.ts';
import { faultsOf, logInAt } from './looks.ts';

/** An operator makes the site theirs, with and without scripts. */
describe('making the site one’s own', needsChromium, () => {
  let browser: Browser;
  before(async () => {
    browser = await openChromium();
  });
  after(() => browser.close());

  const openSite = async () => {
    const service = await startService({ port: await freePort(), worker: true });
    const creator = await signUp(service, 'Ada');
    const petition = await createPublished(creator, { title: 'Light the river path' });
    const path = `/v1/petitions/${petition.id}/comments`;
    await creator.api.post(path, { body: 'Every evening.' });
    return { service, petition };
  };

  /** Presses a button that leads to another page. */
  const press = async (page: Page, name: string | RegExp) => {
    const button = page.locator('main').getByRole('button', { name });
    await Promise.all([page.waitForEvent('domcontentloaded'), button.first().click()]);
  };

  for (const javaScriptEnabled of [true, false]) {
    const how = javaScriptEnabled ? 'with' : 'without';
    it(`takes minutes, ${how} scripts`, async () => {
      const { service, petition } = await openSite();
      await using _ = service;
      await using context = await browser.newContext({
        baseURL: service.origin,
        javaScriptEnabled,
        viewport: { width: 360, height: 800 },
      });
      const page = await context.newPage();
      page.setDefaultTimeout(15_000);
      await logInAt(page, admin);
      await rebrand(page);
      // The checker needs scripts.
      if (javaScriptEnabled) assert.deepEqual(await faultsOf(page), []);
      await writeImprint(page);
      await translateCategory(page);
      await switchCommentsOff(page);
      const visitor = await (await browser.newContext({ baseURL: service.origin })).newPage();
      await assertOwnSite(visitor, service, petition.slug);
    });
  }

  const rebrand = async (page: Page) => {
    await page.goto('/admin/site');
    await page.fill('#name', 'Our City');
    await page.fill('#accent', '#ffd400');
    const buffer = await noiseImage(300, 200).png().toBuffer();
    await page.setInputFiles('#logo-file', { name: 'logo.png', mimeType: 'image/png', buffer });
    await press(page, 'Preview');
    const width = `document.querySelector('.brand img').naturalWidth`;
    // A page has loaded before its pictures have.
    await eventually(async () => (await page.evaluate<number>(width)) === 300);
    assert.match(await page.title(), /Our City/);
    await press(page, 'Save');
    await page.getByText('The settings are saved').waitFor();
  };

  const writeImprint = async (page: Page) => {
    await page.goto('/admin/site/pages/imprint/en');
    await page.fill('#title', 'Imprint');
    await page.fill('#body', 'Our City, **Town hall 1**');
    await press(page, /Publish|Save/);
    await page.goto('/');
    await page.locator('footer').getByRole('link', { name: 'Imprint' }).click();
    await page.getByText('Town hall 1').waitFor();
  };

  const translateCategory = async (page: Page) => {
    await page.goto('/admin/site/categories');
    await page.getByRole('link', { name: 'Animals' }).click();
    await page.fill('#name_de', 'Tiere und Pflanzen');
    await press(page, 'Save');
    await page.getByText('The category is saved').waitFor();
  };

  const switchCommentsOff = async (page: Page) => {
    await page.goto('/admin/site');
    await page.getByLabel('Comments', { exact: true }).uncheck();
    await press(page, 'Save');
    await page.getByText('The settings are saved').waitFor();
  };

  const assertOwnSite = async (page: Page, service: Service, slug: string) => {
    const categories = await service.api.get('/v1/categories?lang=de');
    assert.ok(categories.body.data.some(({ name }: never) => name === 'Tiere und Pflanzen'));
    for (const path of ['/', '/petitions', `/p/${slug}`, '/privacy', '/imprint', '/login']) {
      await page.goto(path);
      const text = (await page.content()) + (await page.title());
      assert.doesNotMatch(text, /Open Petitions/, path);
      assert.doesNotMatch(text, /Every evening|\/comments/, path);
      assert.deepEqual(await faultsOf(page, ['color-contrast']), [], path);
    }
    assert.equal((await page.goto(`/p/${slug}/comments`))!.status(), 404);
  };
});
