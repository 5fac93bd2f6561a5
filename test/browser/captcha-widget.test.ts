import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { startCaptchaService, type CaptchaStandIn } from '../support/captcha-service.ts';
import { createPublished, signUp, type Person } from '../support/people.ts';
import { freePort } from '../support/process.ts';
import { startService, type Service } from '../support/service.ts';
import { needsChromium, openAlone, openChromium, type OwnPage } from './chromium.ts';
import { faultsOf, logInAt } from './looks.ts';

interface Kind {
  env: Record<string, string>;
  /** Global object of its script. */
  api: string;
  /** Address of its frame. */
  frame: string;
}

const kinds = {
  recaptcha: {
    env: { CAPTCHA: 'recaptcha' },
    api: 'grecaptcha',
    frame: 'https://www.google.com/recaptcha/api2/anchor',
  },
  hcaptcha: {
    env: { CAPTCHA: 'hcaptcha' },
    api: 'hcaptcha',
    frame: 'https://newassets.hcaptcha.com/captcha/v1/frame.html',
  },
  turnstile: {
    env: { CAPTCHA: 'turnstile' },
    api: 'turnstile',
    frame: 'https://challenges.cloudflare.com/cdn-cgi/challenge-platform/frame',
  },
} satisfies Record<string, Kind>;

/** A stand-in for the script of a service, by its documentation: a frame with a button. */
const scriptOf = ({ api, frame }: Kind) => `
  let count = 0;
  const token = () => 'good-' + ++count + '-' + Date.now();
  window.${api} = {
    render(box, options) {
      window.renderOptions = options;
      const frame = document.createElement('iframe');
      Object.assign(frame, { src: '${frame}', title: 'Robot check', width: 300, height: 65 });
      box.append(frame);
      addEventListener('message', ({ data }) => data === 'ticked' && options.callback(token()));
      return 0;
    },
    reset: () => (window.resets = (window.resets ?? 0) + 1),
    execute: async (key, { action }) => {
      window.executed = [key, action];
      return token();
    },
  };
  window[new URL(document.currentScript.src).searchParams.get('onload')]();`;

const frameOf = `<!doctype html><html lang="en"><title>Robot check</title>
  <button onclick="parent.postMessage('ticked', '*')">I am human</button>`;

describe('CAPTCHA widgets in a browser', needsChromium, () => {
  let browser: Browser;
  let count = 0;
  before(async () => {
    browser = await openChromium();
  });
  after(() => browser.close());

  const start = async (env: Record<string, string>, standIn: CaptchaStandIn): Promise<Service> =>
    startService({
      port: await freePort(),
      env: { CAPTCHA_SECRET: 'secret', CAPTCHA_SITE_KEY: 'key-of-pages', ...env },
      parts: standIn,
    });
  /** The page of a new petition. Requests to the service are recorded, and answered by the stand-in. */
  const open = async (
    service: Service,
    creator: Person,
    kind: Kind | undefined,
    options?: BrowserContextOptions,
  ): Promise<OwnPage & { elsewhere: string[] }> => {
    const visitor = await openAlone(browser, 'about:blank', options);
    const elsewhere: string[] = [];
    await visitor.page.route(/^https:/, (route) => {
      const url = route.request().url();
      elsewhere.push(url);
      if (!kind) return route.abort();
      return url === kind.frame
        ? route.fulfill({ contentType: 'text/html', body: frameOf })
        : route.fulfill({ contentType: 'text/javascript', body: scriptOf(kind) });
    });
    const { slug } = await createPublished(creator);
    await visitor.page.goto(`${service.origin}/p/${slug}`);
    return { ...visitor, elsewhere };
  };
  const fillIn = async (page: Page): Promise<string> => {
    const email = `visitor-${++count}@example.org`;
    await page.locator('[name=display_name]').fill('Grace Hopper');
    await page.locator('[name=email]').fill(email);
    return email;
  };
  const press = (page: Page) => page.getByRole('button', { name: 'Sign', exact: true }).click();
  const tick = (page: Page) =>
    page.frameLocator('[data-captcha-widget] iframe').getByRole('button').click();
  const isSent = (page: Page, email: string) =>
    page.getByText(`We have sent an email to ${email}`).waitFor();

  for (const [name, kind] of Object.entries(kinds)) {
    it(`load ${name} when the form gets focus, and send its token`, async () => {
      await using standIn = await startCaptchaService();
      await using service = await start(kind.env, standIn);
      const creator = await signUp(service);
      await using visitor = await open(service, creator, kind, { colorScheme: 'dark' });
      const { page, elsewhere, errors } = visitor;
      await page.waitForLoadState('networkidle');
      assert.deepEqual(elsewhere, [], 'no request before the form gets focus');
      const email = await fillIn(page);
      await tick(page);
      await press(page);
      await isSent(page, email);
      assert.equal(standIn.asked.length, 1);
      await page.goBack();
      const next = await fillIn(page);
      await tick(page);
      // The widget is there, so its script has been loaded.
      const { sitekey, theme, size } = await page.evaluate<Record<string, string>>(
        'JSON.parse(JSON.stringify(renderOptions))',
      );
      assert.deepEqual([sitekey, theme, size], ['key-of-pages', 'dark', 'normal']);
      await press(page);
      await isSent(page, next);
      assert.equal(standIn.asked.length, 2);
      assert.deepEqual(errors, [], 'the policy of the page allows it');
    });
  }

  it('request a token of reCAPTCHA v3 when the form is submitted', async () => {
    await using standIn = await startCaptchaService();
    await using service = await start({ CAPTCHA: 'recaptcha', RECAPTCHA_VERSION: '3' }, standIn);
    await using visitor = await open(service, await signUp(service), kinds.recaptcha);
    const { page, errors } = visitor;
    const email = await fillIn(page);
    await page.keyboard.press('Enter');
    await isSent(page, email);
    assert.equal(standIn.asked.length, 1);
    assert.deepEqual(errors, []);
  });

  describe('in other cases', () => {
    const kind = kinds.turnstile;
    let standIn: CaptchaStandIn;
    let service: Service;
    let creator: Person;
    before(async () => {
      standIn = await startCaptchaService();
      service = await start(kind.env, standIn);
      creator = await signUp(service);
    });
    after(async () => {
      await service[Symbol.asyncDispose]();
      await standIn[Symbol.asyncDispose]();
    });

    it('focus the widget on submit, and submit once it is solved', async () => {
      await using visitor = await open(service, creator, kind);
      const { page, errors } = visitor;
      const email = await fillIn(page);
      await press(page);
      await page.getByText('Please do the check against robots.').waitFor();
      assert.equal(await page.evaluate('document.activeElement.tagName'), 'IFRAME');
      await tick(page);
      await isSent(page, email);
      assert.deepEqual(errors, []);
    });

    it('ask again after the token expired', async () => {
      await using visitor = await open(service, creator, kind);
      const { page } = visitor;
      const email = await fillIn(page);
      await tick(page);
      await page.evaluate(`renderOptions['expired-callback']()`);
      await press(page);
      await page.getByText('Please do the check against robots.').waitFor();
      await tick(page);
      await isSent(page, email);
    });

    it('submit without a token if the service is unavailable or fails', async () => {
      const asked = standIn.asked.length;
      await using without = await open(service, creator, undefined);
      const email = await fillIn(without.page);
      await press(without.page);
      await isSent(without.page, email);
      await using failing = await open(service, creator, kind);
      const next = await fillIn(failing.page);
      await press(failing.page);
      await failing.page.getByText('Please do the check against robots.').waitFor();
      await failing.page.evaluate(`renderOptions['error-callback']('network-error')`);
      await isSent(failing.page, next);
      await using plain = await open(service, creator, kind, { javaScriptEnabled: false });
      const last = await fillIn(plain.page);
      await press(plain.page);
      await isSent(plain.page, last);
      assert.deepEqual(plain.elsewhere, []);
      assert.equal(standIn.asked.length, asked);
    });

    it('serve users who are logged in', async () => {
      await using visitor = await open(service, creator, kind);
      const { page } = visitor;
      const address = page.url();
      await logInAt(page, creator, service.origin);
      await page.goto(address);
      await press(page);
      await tick(page);
      await page.getByText('Thank you, your signature counts!').waitFor();
    });

    for (const locale of ['en', 'ar']) {
      it(`keep the page accessible (${locale})`, async () => {
        const viewport = { width: 320, height: 640 };
        await using visitor = await open(service, creator, kind, { locale, viewport });
        const { page } = visitor;
        await fillIn(page);
        await page.locator('[data-captcha-widget] iframe').waitFor();
        assert.equal(await page.evaluate('renderOptions.size'), 'compact');
        assert.equal(await page.evaluate('renderOptions.language'), locale);
        await page.evaluate(`document.querySelector('[data-captcha-widget] iframe').width = 150`);
        assert.deepEqual(await faultsOf(page), []);
      });
    }
  });
});
