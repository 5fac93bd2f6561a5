import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { readMail } from '../support/mail.ts';
import { createPublished, logInAsAdmin, signUp, type Person } from '../support/people.ts';
import { freePort } from '../support/process.ts';
import { startService, type Service } from '../support/service.ts';
import { needsChromium, openChromium } from './chromium.ts';

describe('reporting without an account in a browser', needsChromium, () => {
  let service: Service;
  let browser: Browser;
  let baseURL: string;
  let creator: Person;
  let admin: Person;
  before(async () => {
    const port = await freePort();
    baseURL = `http://127.0.0.1:${port}`;
    service = await startService({ port, worker: true, env: { BASE_URL: baseURL } });
    browser = await openChromium();
    creator = await signUp(service, 'Creator');
    admin = await logInAsAdmin(service);
  });
  after(async () => {
    await browser.close();
    await service[Symbol.asyncDispose]();
  });

  const linkTo = async (email: string) => {
    const find = async () =>
      (await service.mails())
        .map(readMail)
        .find(({ to, text }) => to === email && text.includes('/reports/confirm?token='));
    await eventually(async () => (await find()) !== undefined, 15_000);
    return /\S+\/reports\/confirm\?token=[\w-]+/.exec((await find())!.text)![0];
  };
  const reportsOf = async ({ id }: { id: string }) =>
    (await admin.api.get('/v1/admin/reports?limit=100')).body.data.filter(
      (one: { target_id: string }) => one.target_id === id,
    );

  for (const locale of ['en', 'ar']) {
    for (const javaScriptEnabled of [true, false]) {
      it(`works in ${locale}, ${javaScriptEnabled ? 'with' : 'without'} scripts`, async () => {
        const petition = await createPublished(creator);
        const email = `reader-${locale}-${javaScriptEnabled}@example.org`;
        await using context = await browser.newContext({
          baseURL,
          locale,
          javaScriptEnabled,
          viewport: { width: 360, height: 740 },
        });
        const page = await context.newPage();
        await page.goto(`/p/${petition.slug}`);
        await page.locator(`a[href="/p/${petition.slug}/report"]`).click();
        assert.equal(await page.locator('[name=reason]:checked').count(), 0);
        await page.locator('[name=reason][value=spam]').check();
        await page.locator('[name=email]').fill(email);
        await page.locator('main form button').click();
        await page.locator('[name=code]').waitFor();
        assert.deepEqual(await reportsOf(petition), []);
        await page.goto(await linkTo(email));
        await page.locator('main form button').click();
        await page.waitForURL(/\/reports\/[0-9a-f-]{36}$/);
        const [stored] = await reportsOf(petition);
        assert.equal(await page.locator('dl bdi').textContent(), stored.id);
        assert.equal(
          await page.locator('html').getAttribute('dir'),
          locale === 'ar' ? 'rtl' : 'ltr',
        );
      });
    }
  }
});
