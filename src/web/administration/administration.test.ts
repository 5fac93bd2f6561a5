import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import sharp from 'sharp';
import { logInBrowser, type Browser } from '../../../test/support/browser.ts';
import { admin } from '../../../test/support/service.ts';
import { signUp } from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

const path = '/admin/site';

describe('the pages of administrators', () => {
  let service: Service;
  let browser: Browser;
  before(async () => {
    service = await startService({ env: { MODERATION: 'reports' } });
    browser = await logInBrowser(service, admin);
  });
  after(() => service[Symbol.asyncDispose]());

  const site = async () => (await service.api.get('/v1/site')).body.data;
  const logo = async (width: number) =>
    new File(
      [
        await sharp({ create: { width, height: 200, channels: 4, background: '#e3000f' } })
          .png()
          .toBuffer(),
      ],
      'logo.png',
      { type: 'image/png' },
    );

  it('are for administrators alone', async () => {
    const visitor = await logInBrowser(service, await signUp(service));
    for (const one of [path, `${path}/changes`]) {
      assert.equal((await visitor.open(one)).status, 404);
      assert.match(String((await service.api.get(one)).headers.get('location')), /^\/login/);
    }
    assert.doesNotMatch(String((await visitor.open('/')).body), /href="\/admin/);
    assert.match(String((await browser.open('/')).body), /href="\/admin\/site"/);
  });

  it('show a change before it is saved, with its logo and what becomes of its colour', async () => {
    const typed = { name: 'Our City', accent: '#FFD400', tagline: 'Decide together' };
    const preview = await browser.submit(
      await browser.open(path),
      { ...typed, go: 'preview', languages: ['en', 'de'], file: await logo(600) },
      path,
    );
    assert.equal(preview.status, 200);
    const body = String(preview.body);
    assert.match(
      body,
      /<a class="brand" href="\/"><img src="\/logo\/[\w-]+\.png"[^>]*>Our City<\/a>/,
    );
    assert.match(body, /\/assets\/theme-ffd400-/);
    assert.match(body, /In the light theme its contrast would be 1\.2:1/);
    assert.match(body, /In the dark theme it is shown as it is/);
    assert.match(body, /environment variable/);
    assert.equal((await site()).name, 'Open Petitions');
    const saved = await browser.submit(preview, { go: 'save' }, path);
    assert.match(String(saved.body), /role="status">The settings are saved/);
    const { name, accent, tagline, languages, modules, logo_url } = await site();
    assert.deepEqual(
      [name, accent, tagline, languages, Object.values(modules)],
      ['Our City', '#ffd400', 'Decide together', ['en', 'de'], Array(6).fill(true)],
    );
    const picture = await service.api.get(new URL(logo_url).pathname);
    assert.equal(picture.headers.get('content-type'), 'image/png');
    assert.match(String((await browser.open('/')).body), /<h1 dir="auto">Decide together<\/h1>/);
    const changes = (await service.ctx.db`select name from site_setting_changes order by name`).map(
      ({ name: one }) => one,
    );
    assert.deepEqual(changes, ['accent', 'languages', 'logo', 'name', 'tagline']);
  });

  it('give icons and a manifest made from the logo, else from the first letter', async () => {
    const sizeOf = async (address: string) => {
      const answer = await fetch(service.origin + address);
      assert.equal(answer.status, 200, address);
      const { width, height } = await sharp(await answer.arrayBuffer()).metadata();
      return [width, height];
    };
    const manifest = async () => (await service.api.get('/site.webmanifest')).body;
    const iconOf = async () =>
      /rel="apple-touch-icon" href="([^"]+)"/.exec(String((await browser.open('/')).body))![1]!;
    assert.equal((await manifest()).name, 'Our City');
    const withLogo = await iconOf();
    assert.deepEqual(await sizeOf('/favicon.ico'), [32, 32]);
    assert.deepEqual(await sizeOf('/apple-touch-icon.png'), [180, 180]);
    for (const { src, sizes } of (await manifest()).icons) {
      assert.equal((await sizeOf(src)).join('x'), sizes);
    }
    await browser.submit(await browser.open(path), { remove_logo: 'on', go: 'save' }, path);
    assert.equal((await site()).logo_url, null);
    assert.notEqual(await iconOf(), withLogo);
    assert.deepEqual(await sizeOf(await iconOf()), [180, 180]);
    assert.equal((await service.api.get('/icons/33.png')).status, 404);
    assert.equal((await service.api.get('/logo/none.png')).status, 404);
  });

  it('keep what was typed where something is wrong, or was changed meanwhile', async () => {
    const page = await browser.open(path);
    const wrong = await browser.submit(page, { name: 'Mine', accent: 'red', go: 'save' }, path);
    assert.equal(wrong.status, 422);
    assert.match(String(wrong.body), /value="Mine"/);
    await browser.submit(await browser.open(path), { tagline: 'Quicker', go: 'save' }, path);
    const late = await browser.submit(page, { tagline: 'Later', go: 'save' }, path);
    assert.equal(late.status, 412);
    assert.match(String(late.body), /value="Later"/);
    assert.match(String(late.body), /Quicker/);
    assert.equal((await site()).tagline, 'Quicker');
    const file = new File(['no picture'], 'logo.png', { type: 'image/png' });
    assert.equal(
      (await browser.submit(await browser.open(path), { file, go: 'save' }, path)).status,
      422,
    );
  });

  it('undo a change by a button', async () => {
    const changes = await browser.open(`${path}/changes`);
    const [first] = [
      ...String(changes.body).matchAll(/action="(\/admin\/site\/changes\/[\w-]+\/undo)"/g),
    ];
    const undone = await browser.submit(changes, {}, first![1]);
    assert.match(String(undone.body), /role="status">The change is undone/);
    assert.equal((await site()).tagline, 'Decide together');
  });
});
