import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { startService, type Service } from '../support/service.ts';
import { needsChromium, openChromium } from './chromium.ts';

describe('API documentation at /docs', needsChromium, () => {
  let service: Service;
  let browser: Browser;
  before(async () => {
    service = await startService();
    browser = await openChromium();
  });
  after(async () => {
    await browser.close();
    await service[Symbol.asyncDispose]();
  });

  it('shows every tag without requests to other sites', async () => {
    const page = await browser.newPage();
    const elsewhere: string[] = [];
    const refused: string[] = [];
    page.on('request', (request) => {
      const url = request.url();
      if (!/^(data|blob):/.test(url) && !url.startsWith(service.origin)) elsewhere.push(url);
    });
    page.on('console', (message) => {
      if (message.text().includes('Content Security Policy')) refused.push(message.text());
    });
    await page.goto(`${service.origin}/docs`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    const { body } = await service.api.get('/openapi.json');
    assert.equal(await page.getByRole('heading', { level: 1 }).innerText(), body.info.title);
    assert.ok(body.tags.length > 10);
    for (const { name } of body.tags) {
      await page.getByText(name, { exact: true }).first().waitFor();
    }
    assert.deepEqual({ elsewhere, refused }, { elsewhere: [], refused: [] });
    await page.close();
  });

  it('answers 404 below it', async () => {
    const response = await service.api.get('/docs/unknown');
    assert.equal(response.status, 404);
    assert.match(response.body.type, /not-found$/);
  });
});
