import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { maxBytes } from '../../src/campaigns/media/schema.ts';
import { mailsTo } from '../support/decision-makers.ts';
import { eventually } from '../support/eventually.ts';
import { createPublished, signUp, verifyAddress, type Person } from '../support/people.ts';
import { noiseImage } from '../support/pictures.ts';
import { freePort } from '../support/process.ts';
import { startService, type Service } from '../support/service.ts';
import { needsChromium, openChromium } from './chromium.ts';
import { logInAt } from './looks.ts';

const title = 'Light the path along the river';
const description =
  'The path along the river is dark after five. We ask the council to light it, so that all of us get home safely.';

describe('the dashboard in a browser', needsChromium, () => {
  let service: Service;
  let browser: Browser;
  before(async () => {
    service = await startService({ port: await freePort(), worker: true });
    browser = await openChromium();
  });
  after(async () => {
    await browser.close();
    await service[Symbol.asyncDispose]();
  });

  /** A browser context in which this person is logged in. */
  const windowOf = async (
    person: Person,
    options: Parameters<Browser['newContext']>[0] = {},
  ): Promise<{ context: BrowserContext; page: Page }> => {
    const context = await browser.newContext({ baseURL: service.origin, ...options });
    const page = await context.newPage();
    await logInAt(page, person);
    return { context, page };
  };

  for (const javaScriptEnabled of [true, false]) {
    it(`takes a petition from draft to victory ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, async () => {
      const creator = await signUp(service, 'Creator');
      await verifyAddress(service, creator);
      const maker = `grace-${javaScriptEnabled}@example.org`;
      const { context, page } = await windowOf(creator, { javaScriptEnabled });
      await page.goto('/start');
      await page.fill('#title', title);
      await page.fill('#description', description);
      if (javaScriptEnabled) {
        await page.getByText('Draft saved.').waitFor();
        await page.waitForURL('**/start/*');
      }
      await page.click('text=Continue');
      await page.waitForURL('**/details');
      const picture = await noiseImage(400, 300).png().toBuffer();
      const file = { name: 'path.png', mimeType: 'image/png', buffer: picture };
      await page.setInputFiles('input[type=file]', file);
      if (javaScriptEnabled) await page.locator('img.shown').waitFor({ timeout: 20_000 });
      await page.fill('#name', 'Grace Hopper');
      await page.fill('#email', maker);
      await page.click('text=Goal, place, tags and who can see it');
      await page.fill('#tags', 'river, light');
      await page.fill('#signatureGoal', '2');
      await page.selectOption('#locationCountry', 'GB');
      await page.click('text=Continue');
      await page.waitForURL('**/preview*');
      await eventually(async () => {
        await page.reload();
        return page.locator('.preview img').isVisible();
      }, 20_000);
      await page.getByText('Grace Hopper').waitFor();
      await page.getByRole('heading', { name: title }).waitFor();
      await page.getByRole('button', { name: 'Publish' }).click();
      await page.getByText('Your petition is published').waitFor();
      await page.click('text=Not now');
      await page.waitForURL('**/dashboard/petitions/*');
      const [, id] = /petitions\/([0-9a-f-]{36})/.exec(page.url())!;
      assert.equal((await creator.api.get('/v1/petitions')).body.data[0].id, id);

      // The count changes by itself with JavaScript, and after a reload without it.
      const signer = await signUp(service, 'Signer');
      const signed = await signer.api.post(`/v1/petitions/${id}/signatures`);
      assert.equal(signed.status, 201);
      if (!javaScriptEnabled) await page.reload();
      await page.locator('[data-count]', { hasText: '1' }).waitFor();

      await page.click('text=Tell those who signed how it goes');
      await page.fill('#title', 'The first signature');
      await page.fill('#body', 'Thank you!');
      await page.click('text=Look at it');
      await page.click('text=Post the update');
      await page.getByText('The update is posted').waitFor();

      await page.getByRole('link', { name: 'Decision makers' }).click();
      await page.getByRole('link', { name: 'Deliver Grace Hopper' }).click();
      await page.fill('#message', 'The council meets on Monday.');
      await page.click('text=Look at it');
      await page.getByRole('button', { name: 'Deliver' }).click();
      await page.getByText('The email is on its way.').waitFor();
      const linkMailed = async () =>
        /\/respond\/([\w-]+)\n/.exec((await mailsTo(service, maker)).at(-1)?.text ?? '')?.[1];
      await eventually(async () => (await linkMailed()) !== undefined, 20_000);
      const token = await linkMailed();
      const body = 'We will light it.';
      assert.equal((await service.api.post(`/respond/${token}`, { body })).status, 201);
      await page.getByRole('link', { name: 'Decision makers' }).click();
      await page.getByText(body).waitFor();
      await page.click('text=Publish the response');
      await page.getByText('The response is published.').waitFor();

      await page.getByRole('link', { name: 'Finish' }).click();
      await page.fill('#victory_message', 'The light is on.');
      await page.click('text=Look at it');
      await page.getByRole('button', { name: 'Declare victory' }).click();
      await page.getByText('Congratulations!').waitFor();
      const { data } = (await service.api.get(`/v1/petitions/${id}`)).body;
      assert.equal(data.status, 'victory');
      assert.equal(data.victory_message, 'The light is on.');
      assert.match(data.image_url, /\/media\//);
      await context.close();
    });
  }

  it('keeps its event stream only while it is visible', async () => {
    const creator = await signUp(service, 'Watching');
    const petition = await createPublished(creator);
    const { context, page } = await windowOf(creator);
    await page.goto(`/dashboard/petitions/${petition.id}`);
    const watchers = async () =>
      /^realtime_watchers (\d+)/m.exec((await service.api.get('/metrics')).body)?.[1];
    await eventually(async () => (await watchers()) === '1');
    const signer = await signUp(service);
    await signer.api.post(`/v1/petitions/${petition.id}/signatures`);
    await page.locator('[data-count]').getByText('1', { exact: true }).waitFor();
    // As when another tab is shown.
    await page.evaluate(`
      Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
      dispatchEvent(new Event('visibilitychange'));`);
    await eventually(async () => (await watchers()) === '0');
    await context.close();
  });

  it('shows a processed picture without changing other input', async () => {
    const creator = await signUp(service, 'Typing');
    const petition = await createPublished(creator);
    const { context, page } = await windowOf(creator);
    const picture = await noiseImage(400, 300).png().toBuffer();
    for (const [path, field] of [
      [`/dashboard/petitions/${petition.id}/edit`, '#title'],
      ['/settings', '#display_name'],
    ] as const) {
      await page.goto(path);
      await page.fill(field, 'Typed, and not saved');
      const section = page.locator('#picture');
      const send = async (buffer: Buffer) => {
        const file = { name: 'path.png', mimeType: 'image/png', buffer };
        await section.locator('[type=file]').setInputFiles(file);
        await section.getByRole('button', { name: 'Upload' }).click();
      };
      await send(Buffer.alloc(maxBytes + 1));
      await section.getByText('Choose a picture of 5\u00a0MB at most').waitFor();
      await send(picture);
      await section.getByText('The picture is there.').waitFor();
      // The section is read again once the picture is processed.
      await section.locator('img').waitFor();
      await section.getByText('Choose a picture').waitFor({ state: 'detached' });
      assert.equal(await page.inputValue(field), 'Typed, and not saved');
      await section.getByRole('button', { name: 'Remove the picture' }).click();
      await section.locator('img').waitFor({ state: 'detached' });
    }
    await context.close();
  });

  it('explains why a draft is not saved, and saves it later', async () => {
    const creator = await signUp(service, 'Away');
    const { context, page } = await windowOf(creator);
    await page.goto('/start');
    await page.fill('#description', description);
    await page.fill('#title', title);
    await page.getByText('Draft saved.').waitFor();

    const refuse = (url: string) =>
      page.route(url, (route) =>
        route.request().method() === 'POST' ? route.fulfill({ status: 500 }) : route.continue(),
      );
    await refuse('**/start/*');
    await page.fill('#title', 'A first title');
    await page.getByText('Copy your text, and load this page again.').waitFor();
    await page.unrouteAll();

    await context.setOffline(true);
    await page.fill('#title', 'A second title');
    await page.getByText('Check your connection').waitFor();
    await context.setOffline(false);

    const other = await context.newPage();
    await other.goto('/');
    await other.locator('header summary').click();
    await other.getByRole('button', { name: 'Log out' }).click();
    await other.getByRole('link', { name: 'Log in' }).waitFor();
    await page.fill('#title', 'A third title');
    await page.getByText('You are logged out. Log in again in another tab').waitFor();
    await logInAt(other, creator);
    // As when the tab is shown again.
    await page.evaluate(`dispatchEvent(new Event('visibilitychange'))`);
    await page.getByText('Draft saved.').waitFor();
    const { body } = await creator.api.get('/v1/petitions?status=draft');
    assert.deepEqual(
      body.data.map((one: { title: string }) => one.title),
      ['A third title'],
    );
    await context.close();
  });

  it('stores one draft when the form is submitted during the first save', async () => {
    const creator = await signUp(service, 'Hasty');
    const { context, page } = await windowOf(creator);
    await page.goto('/start');
    // Delays the first save until the button was clicked.
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/start/*', async (route) => {
      if (route.request().method() === 'POST') await released;
      await route.continue();
    });
    await page.fill('#title', title);
    await page.fill('#description', description);
    await page.getByText('Saving…').waitFor();
    await page.click('text=Continue');
    release();
    await page.waitForURL('**/details');
    const { body } = await creator.api.get('/v1/petitions?status=draft');
    assert.equal(body.data.length, 1);
    await context.close();
  });
});
