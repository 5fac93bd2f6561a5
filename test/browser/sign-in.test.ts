import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { languages } from '../../src/platform/pages/language.ts';
import { readMail } from '../support/mail.ts';
import { eventually } from '../support/eventually.ts';
import { signUp, verifyAddress } from '../support/people.ts';
import { freePort } from '../support/process.ts';
import { startService, type Service } from '../support/service.ts';
import { needsChromium, openChromium } from './chromium.ts';

/** By keyboard, on a phone. */
describe('signing in', needsChromium, () => {
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

  const newPerson = async () => {
    const person = await signUp(service, 'Ada');
    await verifyAddress(service, person);
    return person;
  };

  /** The newest sign-in mail to this address. */
  const mailTo = async (email: string) => {
    const find = async () =>
      (await service.mails())
        .map(readMail)
        .findLast(({ to, text }) => to === email && text.includes('/login/link?'));
    await eventually(async () => (await find()) !== undefined, 15_000);
    const { subject, text } = (await find())!;
    return {
      code: /\d{6}/.exec(subject)![0],
      link: /\S+\/login\/link\?token=[\w-]+/.exec(text)![0],
    };
  };

  /** Types into a field, and sends its form by the Enter key. */
  const enter = async (page: Page, field: string, text: string) => {
    await page.locator(field).focus();
    await page.keyboard.type(text);
    await page.keyboard.press('Enter');
  };

  const askForMail = async (context: BrowserContext, email: string) => {
    const page = await context.newPage();
    await page.goto('/login?next=/settings/sessions');
    await enter(page, 'form[action="/login/mail"] [name=email]', email);
    await page.locator('[name=code]').waitFor();
    return page;
  };

  const assertSignedIn = async (page: Page, path: string) => {
    await page.waitForURL(`${baseURL}${path}`);
    assert.equal((await page.locator('form[action="/logout"]').count()) > 0, true);
  };

  const phone = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };

  for (const language of languages) {
    for (const javaScriptEnabled of [true, false]) {
      const how = `in ${language}, ${javaScriptEnabled ? 'with' : 'without'} scripts`;
      const options = (): BrowserContextOptions => ({
        ...phone,
        baseURL,
        locale: language,
        javaScriptEnabled,
      });

      it(`works by the code and by the link on another device, ${how}`, async () => {
        const { email } = await newPerson();
        await using asking = await browser.newContext(options());
        const page = await askForMail(asking, email);
        assert.equal(await page.locator('html').getAttribute('lang'), language);
        const { code, link } = await mailTo(email);
        await using other = await browser.newContext(options());
        const linked = await other.newPage();
        await linked.goto(link);
        await linked.locator('form[action="/login/link"] button').focus();
        await linked.keyboard.press('Enter');
        await assertSignedIn(linked, '/settings/sessions');
        // The code is of the same mail, which worked once.
        await enter(page, '[name=code]', code);
        await page.locator('[role=alert]').waitFor();
        const again = await askForMail(asking, email);
        const first = code;
        await eventually(async () => (await mailTo(email)).code !== first, 15_000);
        await enter(again, '[name=code]', (await mailTo(email)).code);
        await assertSignedIn(again, '/settings/sessions');
      });

      it(`opens an account for an unknown address with one more field, ${how}`, async () => {
        const email = `new-${language}-${javaScriptEnabled}@example.org`;
        await using context = await browser.newContext(options());
        const page = await askForMail(context, email);
        await enter(page, '[name=code]', (await mailTo(email)).code);
        await enter(page, '[name=display_name]', 'Newcomer');
        await assertSignedIn(page, '/settings/sessions');
        assert.equal(
          (await service.mails()).map(readMail).filter(({ to }) => to === email).length,
          1,
        );
      });

      it(`works by the password, ${how}`, async () => {
        const { email, password } = await newPerson();
        await using context = await browser.newContext(options());
        const page = await context.newPage();
        await page.goto('/login?next=/settings/sessions');
        await page.locator('summary').last().focus();
        await page.keyboard.press('Enter');
        await page.locator('form[action="/login"] [name=email]').fill(email);
        await enter(page, 'form[action="/login"] [name=password]', password);
        await assertSignedIn(page, '/settings/sessions');
      });
    }
  }
});
