import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { readMail } from '../support/mail.ts';
import { createUsers, createPublished, signUp, type Person } from '../support/people.ts';
import { freePort } from '../support/process.ts';
import { startService, type Service } from '../support/service.ts';
import { needsChromium, openAlone, openChromium } from './chromium.ts';

describe('the petition page in a browser', needsChromium, () => {
  let service: Service;
  let browser: Browser;
  let creator: Person;
  let count = 0;
  before(async () => {
    service = await startService({ port: await freePort(), worker: true });
    browser = await openChromium();
    creator = await signUp(service, 'Creator');
  });
  after(async () => {
    await browser.close();
    await service[Symbol.asyncDispose]();
  });

  const open = (path: string, options?: BrowserContextOptions) =>
    openAlone(browser, `${service.origin}${path}`, options);
  const mailTo = async (email: string) => {
    const find = async () => (await service.mails()).map(readMail).find((one) => one.to === email);
    await eventually(async () => (await find()) !== undefined);
    const { text } = (await find())!;
    return {
      link: /(http\S+\/confirm\?token=\S+)/.exec(text)![1]!,
      code: /: (\d{6})\n/.exec(text)![1]!,
    };
  };
  /** Fills in and submits the form that signs. */
  const sign = async (page: Page): Promise<string> => {
    const email = `visitor-${++count}@example.org`;
    await page.getByLabel('Your name').fill('Grace Hopper');
    await page.getByLabel('Email address').fill(email);
    await page.getByRole('button', { name: 'Sign', exact: true }).click();
    await page.getByText(email).waitFor();
    return email;
  };

  it('updates the count and the signers on another open page', async () => {
    const petition = await createPublished(creator, { signatureGoal: 10 });
    const [other] = await createUsers(service, 1);
    await other!.api.post(`/v1/petitions/${petition.id}/signatures`);
    await using second = await open(`/p/${petition.slug}`);
    await second.page
      .locator('[data-counter]', { hasText: '1 signature 9 more to reach 10' })
      .waitFor();
    await using first = await open(`/p/${petition.slug}`);
    const { code } = await mailTo(await sign(first.page));
    await first.page.getByLabel('6-digit code').fill(code);
    await first.page.getByRole('button', { name: 'Confirm my signature' }).click();
    await first.page.getByText('your signature counts!').waitFor();
    await second.page
      .locator('[data-counter]', { hasText: '2 signatures 8 more to reach 10' })
      .waitFor();
    assert.equal(await second.page.getByRole('progressbar').getAttribute('value'), '2');
    await second.page.getByRole('link', { name: 'Grace Hopper' }).waitFor();
    await creator.api.post(`/v1/petitions/${petition.id}/close`);
    await second.page.getByText('Something has changed').waitFor();
    assert.deepEqual([...first.errors, ...second.errors], []);
  });

  it('moves to the next goal, and celebrates the one that was reached', async () => {
    const petition = await createPublished(creator, { signatureGoal: 2 });
    const path = `/v1/petitions/${petition.id}/signatures`;
    const [first, second] = await createUsers(service, 2);
    await first!.api.post(path);
    await using visitor = await open(`/p/${petition.slug}`);
    const counter = visitor.page.locator('[data-counter]');
    await counter.getByText('1 more to reach 2').waitFor();
    await second!.api.post(path);
    await counter.getByText('We have reached 2!').waitFor();
    await counter.getByText('98 more to reach 100').waitFor();
    const bar = visitor.page.getByRole('progressbar');
    assert.deepEqual(
      [await bar.getAttribute('value'), await bar.getAttribute('max')],
      ['2', '100'],
    );
  });

  for (const javaScriptEnabled of [true, false]) {
    const how = javaScriptEnabled ? 'with' : 'without';
    it(`keeps a refused form in another language, ${how} JavaScript`, async () => {
      const { slug } = await createPublished(creator);
      await using opened = await open(`/p/${slug}`, { javaScriptEnabled });
      const { page } = opened;
      await page.getByLabel('Your name').fill('Grace "Amazing" Hopper');
      // The browser takes the address, and the service does not.
      await page.getByLabel('Email address').fill('grace@nowhere');
      await page.getByRole('button', { name: 'Sign', exact: true }).click();
      await page
        .getByRole('link', { name: 'Email address: Enter an email address, such as' })
        .waitFor();
      await page.locator('footer').getByLabel('Language').selectOption('de');
      await page.locator('footer').getByRole('button', { name: 'Save' }).click();
      await page.locator('html[lang=de]').waitFor();
      assert.equal(await page.locator('#display_name').inputValue(), 'Grace "Amazing" Hopper');
      assert.equal(await page.locator('#email').getAttribute('aria-invalid'), 'true');
      assert.equal(new URL(page.url()).search, '');
      const email = `visitor-${++count}@example.org`;
      await page.locator('#email').fill(email);
      await page.locator('#sign button.large').click();
      await page.getByText(email).waitFor();
    });
  }

  it('signs without JavaScript by the link in the mail', async () => {
    const petition = await createPublished(creator);
    const plain = { javaScriptEnabled: false };
    await using second = await open(`/p/${petition.slug}`, plain);
    await second.page.getByText('0 signatures').first().waitFor();
    await using first = await open(`/p/${petition.slug}`, plain);
    const { link } = await mailTo(await sign(first.page));
    await first.page.goto(link);
    await first.page.getByRole('button', { name: 'Confirm my signature' }).click();
    await first.page.getByText('your signature counts!').waitFor();
    // Logged in, since this browser sent the form.
    await first.page.getByText('Grace Hopper').first().waitFor();
    await eventually(async () => {
      await second.page.reload();
      return (await second.page.getByText('1 signature').count()) > 0;
    });
  });

  it('reconnects its event stream after a 503', async () => {
    const petition = await createPublished(creator);
    await using context = await browser.newContext({ baseURL: service.origin });
    const page = await context.newPage();
    await page.clock.install();
    let refused = 0;
    await page.route('**/events*', (route) =>
      refused++ === 0 ? route.fulfill({ status: 503 }) : route.continue(),
    );
    await page.goto(`/p/${petition.slug}`);
    await eventually(() => refused === 1);
    await eventually(async () => {
      await page.clock.runFor(2000);
      return refused === 2;
    });
    const [signer] = await createUsers(service, 1);
    await signer!.api.post(`/v1/petitions/${petition.id}/signatures`);
    await page.getByText('1 signature').first().waitFor();
  });

  it('reads the count now and then if it gets no event stream', async () => {
    const petition = await createPublished(creator);
    await using context = await browser.newContext({ baseURL: service.origin });
    const page = await context.newPage();
    await page.clock.install();
    await page.route('**/events*', (route) => route.fulfill({ status: 429 }));
    await page.goto(`/p/${petition.slug}`);
    const [signer] = await createUsers(service, 1);
    await signer!.api.post(`/v1/petitions/${petition.id}/signatures`);
    await eventually(async () => {
      await page.clock.runFor(2000);
      return (await page.getByText('1 signature').count()) > 0;
    });
  });

  it('keeps its event stream only while it is visible', async () => {
    const petition = await createPublished(creator);
    await using watcher = await open(`/p/${petition.slug}`);
    await watcher.page.getByText('0 signatures').first().waitFor();
    const watchers = async () =>
      /^realtime_watchers (\d+)/m.exec((await service.api.get('/metrics')).body)?.[1];
    await eventually(async () => (await watchers()) === '1');
    // As when another tab is shown.
    await watcher.page.evaluate(`
      Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
      dispatchEvent(new Event('visibilitychange'));`);
    await eventually(async () => (await watchers()) === '0');
  });

  it('shows a signer of two messages once', async () => {
    const petition = await createPublished(creator);
    const [signer] = await createUsers(service, 1);
    const path = `/v1/petitions/${petition.id}/signatures`;
    await signer!.api.post(path);
    const [known] = (await creator.api.get(path)).body.data;
    const added = { ...known, id: crypto.randomUUID() };
    // A message with a signature that the page has already.
    const message = { signature_count: 2, signatures: [added, known] };
    await using context = await browser.newContext({ baseURL: service.origin });
    const page = await context.newPage();
    await page.route('**/events*', (route) =>
      route.fulfill({
        contentType: 'text/event-stream',
        body: `event: signature.created\ndata: ${JSON.stringify(message)}\n\n`,
      }),
    );
    await page.goto(`/p/${petition.slug}`);
    await page.getByText('2 signatures').first().waitFor();
    const shown = page.locator('[data-signers] > li').getByRole('link');
    assert.deepEqual(await shown.allTextContents(), Array(2).fill(known.user.display_name));
  });

  it('copies its link, or asks the reader to if the browser refuses', async () => {
    const petition = await createPublished(creator);
    await using visitor = await open(`/p/${petition.slug}`);
    const { page } = visitor;
    const link = await page.getByLabel('Link', { exact: true }).inputValue();
    const field = page.getByRole('searchbox').or(page.getByRole('combobox')).first();
    const copy = async () => {
      await field.fill('');
      const button = page.locator('[data-copy=share-link]');
      await button.click();
      await button.click();
      const status = page.locator('[data-copy=share-link] + [role=status]:not(:empty)');
      await status.waitFor();
      assert.equal(await button.textContent(), 'Copy');
      await field.focus();
      await page.keyboard.press('Control+V');
      return { status: await status.textContent(), pasted: await field.inputValue() };
    };
    await visitor.page.context().grantPermissions(['clipboard-write']);
    assert.deepEqual(await copy(), { status: 'Copied', pasted: link });
    // As over plain HTTP.
    await page.evaluate(`Object.defineProperty(navigator, 'clipboard', { value: undefined })`);
    assert.deepEqual(await copy(), { status: 'Copied', pasted: link });
    await page.evaluate(`document.execCommand = () => false`);
    assert.equal((await copy()).status, 'Copy the selected text yourself.');
    assert.deepEqual(visitor.errors, []);
  });

  it('is signed by keyboard alone', async () => {
    const petition = await createPublished(creator);
    await using visitor = await open(`/p/${petition.slug}`);
    const { page } = visitor;
    await page.getByLabel('Your name').focus();
    await page.keyboard.type('Ada');
    await page.keyboard.press('Tab');
    await page.keyboard.type('keyboard@example.org');
    await page.keyboard.press('Tab');
    await page.keyboard.type('Leeds');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    assert.equal(await page.getByLabel('Hide my name').isChecked(), true);
    // Over the news by mail and the link to what is kept.
    for (let n = 1; n <= 3; n += 1) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('keyboard@example.org').waitFor();
  });
});
