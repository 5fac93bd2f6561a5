import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { signUp } from '../support/people.ts';
import { noiseImage } from '../support/pictures.ts';
import { freePort } from '../support/process.ts';
import { startService, type Service } from '../support/service.ts';
import { needsChromium, openChromium } from './chromium.ts';
import { logInAt } from './looks.ts';

const description =
  'The path along the river is dark after five. We ask the council to light it, so that all of us get home safely.';
/** Of each kind; more find rarer moments. */
const rounds = Number(process.env.HASTY_ROUNDS || 3);

/** Quick and impatient people, at random moments of the automatic saves: nothing typed is lost, and one draft is made. */
describe('hasty writing', needsChromium, () => {
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

  /** Leaves the tab and comes back, or presses the button twice, or just continues. */
  const goOn = async (page: Page, url: string) => {
    await sleep(randomInt(1500));
    if (randomInt(2) === 0) {
      await page.evaluate(`dispatchEvent(new Event('visibilitychange'))`);
    }
    const button = page.locator('button:visible', { hasText: 'Continue' });
    if (randomInt(2) === 0) await button.dblclick({ noWaitAfter: true });
    else await button.click({ noWaitAfter: true });
    await page.waitForURL(url);
    // The second click may load the page again, which takes what a program types at once.
    await page.waitForLoadState('networkidle');
  };

  const writeText = async (page: Page, title: string) => {
    await page.goto('/start');
    await page.fill('#title', title);
    await page.fill('#description', description);
    await goOn(page, '**/details');
  };

  const addMaker = async (page: Page) => {
    await page.fill('#name', 'Grace Hopper');
    await page.fill('#email', 'grace@example.org');
    await goOn(page, '**/preview*');
    await page.getByText('Grace Hopper').waitFor();
  };

  it('loses neither picture nor decision maker of an account', async () => {
    const creator = await signUp(service, 'Hasty');
    const context = await browser.newContext({ baseURL: service.origin });
    const page = await context.newPage();
    await logInAt(page, creator);
    const buffer = await noiseImage(400, 300).png().toBuffer();
    for (let round = 1; round <= rounds; round += 1) {
      const title = `Light the path along river ${round}`;
      await writeText(page, title);
      await page.setInputFiles('input[type=file]', {
        name: 'path.png',
        mimeType: 'image/png',
        buffer,
      });
      await addMaker(page);
      const { data } = (await creator.api.get('/v1/petitions?status=draft')).body;
      assert.equal(data.length, round);
      const { id } = data.find((one: { title: string }) => one.title === title);
      await eventually(
        async () => (await creator.api.get(`/v1/petitions/${id}`)).body.data.image_url !== null,
      );
    }
    await context.close();
  });

  it('makes one draft of a stranger each time', async () => {
    const { main } = service.ctx.pools;
    for (let round = 1; round <= rounds; round += 1) {
      const context = await browser.newContext({ baseURL: service.origin });
      const page = await context.newPage();
      await writeText(page, `Light the square ${round}`);
      await addMaker(page);
      await page.goBack();
      assert.match(await page.inputValue('#name'), /^(Grace Hopper)?$/);
      assert.equal(await main.value<number>`select count(*)::int from anonymous_drafts`, round);
      await context.close();
    }
  });
});
