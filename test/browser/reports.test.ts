import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { languages } from '../../src/platform/pages/language.ts';
import { eventually } from '../support/eventually.ts';
import { readMail } from '../support/mail.ts';
import {
  createPublished,
  logInAsAdmin,
  signUp,
  verifyAddress,
  type Person,
} from '../support/people.ts';
import { freePort } from '../support/process.ts';
import { startService, type Service } from '../support/service.ts';
import { needsChromium, openChromium } from './chromium.ts';
import { logInAt } from './looks.ts';

describe('reporting without an account in a browser', needsChromium, () => {
  let service: Service;
  let browser: Browser;
  let baseURL: string;
  let moderator: Person;
  let other: Person;
  let admin: Person;
  before(async () => {
    const port = await freePort();
    baseURL = `http://127.0.0.1:${port}`;
    service = await startService({ port, worker: true, env: { BASE_URL: baseURL } });
    browser = await openChromium();
    admin = await logInAsAdmin(service);
    moderator = await signUp(service, 'Moderator');
    other = await signUp(service, 'Other');
    for (const { id } of [moderator, other]) {
      await admin.api.patch(`/v1/admin/users/${id}`, { role: 'moderator' });
    }
  });
  after(async () => {
    await browser.close();
    await service[Symbol.asyncDispose]();
  });

  /** Waits for the link to a path in a mail to the address. */
  const linkTo = async (address: string, path: string) => {
    const find = async () =>
      (await service.mails())
        .map(readMail)
        .find(({ to, text }) => to === address && text.includes(path));
    await eventually(async () => (await find()) !== undefined, 15_000);
    return (await find())!.text.split(/\s/).find((word) => word.includes(path))!;
  };
  /** Waits until the reader without an account got the decision by mail. */
  const toldOf = (address: string) =>
    eventually(
      async () =>
        (await service.mails()).map(readMail).filter(({ to }) => to === address).length === 3,
      15_000,
    );
  const reportsOf = async ({ id }: { id: string }) =>
    (await admin.api.get('/v1/admin/reports?limit=100')).body.data.filter(
      (one: { target_id: string }) => one.target_id === id,
    );

  for (const locale of languages) {
    for (const javaScriptEnabled of [true, false]) {
      const how = `in ${locale}, ${javaScriptEnabled ? 'with' : 'without'} scripts`;
      it(`leads to a decision, and to that about a complaint, ${how}`, async () => {
        const author = await signUp(service, 'Author');
        await verifyAddress(service, author);
        await author.api.patch('/v1/users/me', { language: locale });
        const petition = await createPublished(author);
        const email = `reader-${locale}-${javaScriptEnabled}@example.org`;
        const options = {
          baseURL,
          locale,
          javaScriptEnabled,
          viewport: { width: 360, height: 740 },
        };
        await using reader = await browser.newContext(options);
        const page = await reader.newPage();
        await page.goto(`/p/${petition.slug}`);
        await page.locator(`a[href="/p/${petition.slug}/report"]`).click();
        assert.equal(await page.locator('[name=reason]:checked').count(), 0);
        await page.locator('[name=reason][value=spam]').check();
        await page.locator('[name=email]').fill(email);
        await page.locator('main form button').click();
        await page.locator('[name=code]').waitFor();
        assert.deepEqual(await reportsOf(petition), []);
        await page.goto(await linkTo(email, '/reports/confirm?token='));
        await page.locator('main form button').click();
        await page.waitForURL(/\/reports\/[0-9a-f-]{36}$/);
        const [stored] = await reportsOf(petition);
        assert.equal(await page.locator('dl bdi').textContent(), stored.id);

        await using first = await browser.newContext(options);
        const moderation = await first.newPage();
        await logInAt(moderation, moderator);
        await moderation.goto(`/moderation/reports/${stored.id}`);
        assert.equal(await moderation.locator('[name=action]:checked').count(), 0);
        await moderation.locator('[name=action][value=hide_content]').check();
        await moderation.locator('[name=reason]').fill('It sells books.');
        await moderation.locator(`form[action="/moderation/reports/${stored.id}"] button`).click();
        await moderation.locator('[role=status]').waitFor();
        await toldOf(email);

        await page.goto(await linkTo(author.email, '/complaints/'));
        assert.match((await page.locator('main').textContent()) ?? '', /It sells books\./);
        const words = `The books are free, as its last line says (${how}).`;
        await page.locator('[name=text]').fill(words);
        await page.locator('main form button').click();
        await page.locator('main [role=status]').waitFor();

        await using second = await browser.newContext(options);
        const deciding = await second.newPage();
        await logInAt(deciding, other);
        await deciding.goto('/moderation/complaints');
        await deciding.locator('li', { hasText: words }).locator('a.button').click();
        await deciding.locator('[name=decision][value=reverse]').check();
        await deciding.locator('[name=reason]').fill('They are free.');
        await deciding.locator('main form.panel button').click();
        await deciding.locator('[role=status]').waitFor();
        await page.reload();
        assert.match((await page.locator('main').textContent()) ?? '', /They are free\./);
        const answer = await service.api.get(`/v1/petitions/${petition.id}`);
        assert.equal(answer.body.data.status, 'active');
        const dir = await page.locator('html').getAttribute('dir');
        assert.equal(dir, locale === 'ar' ? 'rtl' : 'ltr');
      });
    }
  }
});
