import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { createPublished, signUp, type Person } from '../support/people.ts';
import { freePort } from '../support/process.ts';
import { startService, type Service } from '../support/service.ts';
import { asWordPressFilters, wordPressScript } from '../support/wordpress.ts';
import { needsChromium, openChromium, openSite } from './chromium.ts';

describe('embedded petitions', needsChromium, () => {
  let service: Service;
  let browser: Browser;
  let creator: Person;
  before(async () => {
    service = await startService({ port: await freePort() });
    browser = await openChromium();
    creator = await signUp(service, 'Creator');
  });
  after(async () => {
    await browser.close();
    await service[Symbol.asyncDispose]();
  });

  const codeFor = async ({ share_url: url }: { share_url: string }, more = ''): Promise<string> => {
    const { body } = await service.api.get(`/v1/oembed?url=${encodeURIComponent(url)}${more}`);
    return body.html;
  };
  /** Heights of the frame and of its content, in pixels. */
  const heights = async (page: Page) => {
    const frame = page.locator('iframe');
    const content = frame.contentFrame().locator('html');
    return {
      frame: (await frame.boundingBox())?.height,
      content: (await content.boundingBox())?.height,
    };
  };
  const isFitted = async (page: Page) => {
    const { frame, content } = await heights(page);
    return content !== undefined && frame === Math.ceil(content);
  };
  /** The height of the frame, once it fits its content and exceeds a minimum. */
  const fittedAbove = async (page: Page, minHeight: number): Promise<number> => {
    const isHigher = async () => (await heights(page)).frame! > minHeight && (await isFitted(page));
    await eventually(isHigher, 20_000);
    return (await heights(page)).frame!;
  };

  it('fit their frame to its content, also after changes', async () => {
    const petition = await createPublished(creator, {
      title: 'Keep the path along the river open '.repeat(5),
    });
    await using site = await openSite(`<!doctype html><h1>News</h1>${await codeFor(petition)}`);
    const page = await browser.newPage({ viewport: { width: 500, height: 900 } });
    await page.goto(site.origin);
    const wide = await fittedAbove(page, 0);
    await page.setViewportSize({ width: 300, height: 900 });
    const narrow = await fittedAbove(page, wide);
    await page.frames()[1]!.evaluate('document.documentElement.style.fontSize = "200%"');
    await fittedAbove(page, narrow);
    await page.close();
  });

  it('fit their frame if the script loads late', async () => {
    const [frame, script] = (await codeFor(await createPublished(creator))).split('<script');
    await using site = await openSite(`<!doctype html>${frame}`);
    const page = await browser.newPage();
    await page.goto(site.origin);
    await page.locator('iframe').contentFrame().locator('h1').waitFor();
    assert.equal(await isFitted(page), false);
    await page.addScriptTag({ url: /src="([^"]+)"/.exec(script!)![1]! });
    await fittedAbove(page, 0);
    await page.close();
  });

  it('keep the maximum height of the page', async () => {
    const code = await codeFor(await createPublished(creator), '&maxheight=90');
    await using site = await openSite(`<!doctype html>${code}`);
    const page = await browser.newPage();
    await page.goto(site.origin);
    await page.waitForFunction('document.querySelector("iframe").style.height !== ""');
    assert.equal((await heights(page)).frame, 90);
    await page.close();
  });

  it('show new signatures and the end of the petition', async () => {
    const petition = await createPublished(creator, { signatureGoal: 10 });
    await using site = await openSite(`<!doctype html>${await codeFor(petition)}`);
    const page = await browser.newPage();
    await page.goto(site.origin);
    const widget = page.locator('iframe').contentFrame();
    await widget.getByText('0 signatures').waitFor();
    await creator.api.post(`/v1/petitions/${petition.id}/signatures`);
    await widget.getByText('1 signature of 10').waitFor();
    assert.equal(await widget.locator('progress').getAttribute('value'), '1');
    await creator.api.post(`/v1/petitions/${petition.id}/victory`);
    await widget.getByText('Victory!').waitFor();
    assert.equal(await widget.getByRole('link', { name: 'Sign this petition' }).isVisible(), false);
    await page.close();
  });

  it('are shown and sized by WordPress, which sandboxes the frame and follows its links', async () => {
    const petition = await createPublished(creator, {
      title: 'Keep the path along the river open '.repeat(5),
    });
    const kept = asWordPressFilters(await codeFor(petition), 'k3Jd92hsQa')!;
    const far = '<p style="height: 3000px">News</p>';
    await using site = await openSite(
      `<!doctype html><body>${far}${kept}<script>${wordPressScript}</script>`,
    );
    const page = await browser.newPage({ viewport: { width: 300, height: 900 } });
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (line) => line.type() === 'error' && errors.push(line.text()));
    await page.goto(site.origin);
    const frame = page.locator('iframe');
    await frame.and(page.locator(':not([style])')).waitFor();
    assert.equal(await page.locator('blockquote').isVisible(), false);
    const content = await frame.contentFrame().locator('html').boundingBox();
    assert.equal(await frame.getAttribute('height'), String(Math.ceil(content!.height)));
    await creator.api.post(`/v1/petitions/${petition.id}/signatures`);
    await frame.scrollIntoViewIfNeeded();
    await frame.contentFrame().getByText('1 signature').waitFor();
    await frame.contentFrame().getByRole('link', { name: 'Sign this petition' }).click();
    await page.waitForURL(petition.share_url);
    assert.deepEqual(errors, []);
    await page.close();
  });

  it('are a link where neither scripts nor frames are', async () => {
    const petition = await createPublished(creator);
    await using site = await openSite(`<!doctype html>${await codeFor(petition)}`);
    const plain = await browser.newPage({ javaScriptEnabled: false });
    await plain.goto(site.origin);
    const link = plain.getByRole('link', { name: petition.title });
    assert.equal(await link.getAttribute('href'), petition.share_url);
    const page = await browser.newPage();
    await page.goto(site.origin);
    await fittedAbove(page, 0);
    assert.equal(await page.getByRole('link', { name: petition.title }).isVisible(), false);
    await plain.close();
    await page.close();
  });

  it('replace links, which remain without JavaScript', async () => {
    const petition = await createPublished(creator, { title: 'Keep the river path open' });
    const link = `<a data-petition-embed data-theme="dark" href="${petition.share_url}">Sign it</a>`;
    const script = `<script async src="${service.origin}/embed.js"></script>`;
    await using site = await openSite(`<!doctype html>${script}${link}`);
    const page = await browser.newPage();
    await page.goto(site.origin);
    await page.locator('iframe').contentFrame().getByRole('heading').waitFor();
    await fittedAbove(page, 0);
    assert.equal(await page.locator('iframe').getAttribute('title'), 'Sign it');
    assert.match((await page.locator('iframe').getAttribute('src'))!, /\?theme=dark$/);
    const plain = await browser.newPage({ javaScriptEnabled: false });
    await plain.goto(site.origin);
    assert.equal(await plain.getByRole('link').getAttribute('href'), petition.share_url);
    await page.close();
    await plain.close();
  });

  for (const [theme, background] of [
    ['light', 'rgb(255, 255, 255)'],
    ['dark', 'rgb(27, 32, 30)'],
  ]) {
    it(`are accessible without JavaScript, cookies and other sites (${theme})`, async () => {
      const petition = await createPublished(creator, {
        title: 'Keep the path open',
        signatureGoal: 5,
      });
      const context = await browser.newContext({ javaScriptEnabled: false });
      const page = await context.newPage();
      const asked: string[] = [];
      page.on('request', (request) => asked.push(new URL(request.url()).origin));
      await page.goto(`${petition.embed_url}?theme=${theme}`);
      await page.getByRole('heading', { name: 'Keep the path open' }).waitFor();
      await page.getByText('0 signatures of 5').waitFor();
      await page.getByRole('progressbar').waitFor();
      const link = page.getByRole('link', { name: 'Sign this petition' });
      assert.equal(await link.getAttribute('href'), petition.share_url);
      const colour = await page
        .locator('body')
        .evaluate('getComputedStyle(document.body).backgroundColor');
      assert.equal(colour, background);
      assert.deepEqual(new Set(asked), new Set([service.origin]));
      assert.deepEqual(await context.cookies(), []);
      await context.close();
    });
  }
});
