import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { freePort } from '../support/process.ts';
import { startService, type Service } from '../support/service.ts';
import { needsChromium, openAlone, openChromium } from './chromium.ts';
import { faultsOf } from './looks.ts';

/** What the reference may transfer with an empty cache. */
const maxBytes = 500_000;

describe('the API reference in a browser', needsChromium, () => {
  let service: Service;
  let browser: Browser;
  before(async () => {
    service = await startService({ port: await freePort() });
    browser = await openChromium();
  });
  after(async () => {
    await browser.close();
    await service[Symbol.asyncDispose]();
  });

  const shownOperations = (page: Page) => page.locator('.endpoints li:visible').count();

  it('loads all of its pages with at most 500 kB on the wire, from this service only', async () => {
    await using context = await browser.newContext();
    const page = await context.newPage();
    const client = await context.newCDPSession(page);
    let bytes = 0;
    const elsewhere: string[] = [];
    const errors: string[] = [];
    client.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
    await client.send('Network.enable');
    page.on('request', (request) => {
      if (!request.url().startsWith(service.origin)) elsewhere.push(request.url());
    });
    page.on('pageerror', ({ message }) => errors.push(message));
    page.on('console', (line) => line.type() === 'error' && errors.push(line.text()));
    await page.goto(`${service.origin}/docs`, { waitUntil: 'networkidle' });
    const indexBytes = bytes;
    assert.ok(indexBytes > 5000 && indexBytes < 60_000, `${indexBytes} bytes of the index`);
    const paths = await page
      .locator('nav.groups a')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href')!));
    for (const path of paths) await page.goto(service.origin + path, { waitUntil: 'load' });
    assert.ok(paths.length > 20);
    assert.ok(bytes <= maxBytes, `${bytes} bytes of all pages`);
    assert.deepEqual({ elsewhere, errors }, { elsewhere: [], errors: [] });
  });

  it('finds operations by words of their group, path, summary and id', async () => {
    await using own = await openAlone(browser, `${service.origin}/docs`);
    const { page, errors } = own;
    const all = await shownOperations(page);
    assert.ok(all > 190);
    const status = page.locator('.filter [role=status]');
    assert.equal(await status.innerText(), `${all} operations`);
    const field = page.getByLabel('Find an operation');
    await field.fill('webhooks delete');
    assert.equal(await status.innerText(), '1 operation');
    assert.equal(await shownOperations(page), 1);
    assert.match(page.url(), /\?q=webhooks\+delete$/);
    await field.fill('nothing of the kind');
    assert.equal(await status.innerText(), '0 operations');
    await field.fill('createPetition');
    await field.press('Enter');
    await page.waitForURL(/\/docs\/petitions#createPetition$/);
    const section = page.locator('#createPetition');
    await section.getByRole('heading', { name: 'Create a petition, as a draft' }).waitFor();
    await page.goBack();
    assert.equal(await status.innerText(), '1 operation');
    assert.deepEqual(errors, []);
  });

  it('keeps what a link leads to below the filter', async () => {
    await using own = await openAlone(browser, `${service.origin}/docs#credentials`);
    const { page } = own;
    const bottomOf = async (selector: string) => {
      const box = await page.locator(selector).boundingBox();
      return box!.y + box!.height;
    };
    await page.locator('form.filter').waitFor();
    await page.getByRole('link', { name: 'Problems' }).click();
    await page.waitForURL(/#problems$/);
    const heading = await page.locator('#problems').boundingBox();
    assert.ok(heading!.y >= (await bottomOf('form.filter')));
  });

  it('works without scripts', async () => {
    const options = { javaScriptEnabled: false };
    await using own = await openAlone(browser, `${service.origin}/docs`, options);
    const { page } = own;
    assert.equal(await page.locator('form.filter').isVisible(), false);
    assert.ok((await shownOperations(page)) > 190);
    await page.locator('a[href="/docs/petitions#createPetition"]').click();
    await page.waitForURL(/#createPetition$/);
    await page.locator('#createPetition').getByText('Fields of decisionMakers').click();
    assert.ok(await page.locator('#createPetition').getByText('254 characters').isVisible());
  });

  it('copies an example', async () => {
    const options = { permissions: ['clipboard-read', 'clipboard-write'] };
    await using own = await openAlone(browser, `${service.origin}/docs/service`, options);
    const { page } = own;
    const figure = page.locator('#getHealth figure').first();
    await figure.getByRole('button', { name: 'Copy' }).click();
    await figure.getByRole('button', { name: 'Copied' }).waitFor();
    const copied = await page.evaluate('navigator.clipboard.readText()');
    assert.equal(copied, `curl "${service.origin}/health"`);
  });

  for (const width of [360, 1280]) {
    for (const colorScheme of ['light', 'dark'] as const) {
      it(`is accessible at ${width} px (${colorScheme})`, { timeout: 300_000 }, async () => {
        const viewport = { width, height: 800 };
        const options = { viewport, colorScheme };
        const faults: string[] = [];
        for (const path of ['/docs', '/docs/petitions', '/docs/media']) {
          await using own = await openAlone(browser, service.origin + path, options);
          faults.push(...(await faultsOf(own.page)), ...own.errors);
        }
        assert.deepEqual(faults, []);
      });
    }
  }
});
