import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { createOrganization, createPublished, signUp } from '../support/people.ts';
import { noiseImage } from '../support/pictures.ts';
import { freePort } from '../support/process.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { startService, type Service } from '../support/service.ts';
import { needsChromium, openChromium } from './chromium.ts';

describe('pictures of other hosts', needsChromium, () => {
  let host: Receiver;
  let isHostAway = true;
  let service: Service;
  let browser: Browser;
  /** Paths of pages, and how many pictures each shows once they are copied. */
  let pages: [path: string, pictures: number][];
  before(async () => {
    const photo = await noiseImage(700, 400).jpeg().toBuffer();
    host = await startReceiver((_, response) => {
      if (isHostAway) response.writeHead(503).end();
      else response.end(photo);
    });
    service = await startService({ port: await freePort(), worker: true });
    browser = await openChromium();
    const creator = await signUp(service, 'Creator');
    const changed = await creator.api.patch('/v1/users/me', {
      avatar_url: `${host.origin}/avatar.jpg`,
    });
    assert.equal(changed.status, 200);
    const organization = await createOrganization(creator, {
      logo_url: `${host.origin}/logo.jpg`,
    });
    const cover = { cover_url: `${host.origin}/cover.jpg` };
    await creator.api.patch(`/v1/organizations/${organization.id}`, cover);
    const { id, slug } = await createPublished(creator, {
      imageUrl: `${host.origin}/petition.jpg`,
      orgId: organization.id,
    });
    const update = { title: 'News', body: 'All is well.', image_url: `${host.origin}/news.jpg` };
    await creator.api.post(`/v1/petitions/${id}/updates`, update);
    const comment = await creator.api.post(`/v1/petitions/${id}/comments`, { body: 'Good.' });
    assert.equal(comment.status, 201);
    pages = [
      // A card has a picture and an avatar.
      ['/', 2],
      ['/petitions', 2],
      // The picture, that of the update, and the avatars of the creator and beside the comment.
      [`/p/${slug}`, 4],
      [`/p/${slug}/updates`, 1],
      [`/u/${creator.slug}`, 3],
      [`/o/${organization.slug}`, 4],
      ['/organizations', 1],
      [`/embed/p/${slug}`, 0],
    ];
  });
  after(async () => {
    await browser.close();
    await service[Symbol.asyncDispose]();
    await host[Symbol.asyncDispose]();
  });

  /** Opens a page to its end. Returns what it loaded from elsewhere, what its policy refused, and its pictures. */
  async function open(path: string) {
    const context = await browser.newContext({ viewport: { width: 800, height: 3000 } });
    try {
      const page = await context.newPage();
      const foreign: string[] = [];
      const errors: string[] = [];
      page.on('request', (request) => {
        if (!request.url().startsWith(`${service.origin}/`)) foreign.push(request.url());
      });
      page.on('console', (line) => line.type() === 'error' && errors.push(line.text()));
      await page.goto(service.origin + path, { waitUntil: 'load' });
      const widths = await page.evaluate<number[]>(`Promise.all(
        [...document.images].map((one) => {
          one.loading = 'eager';
          return one.decode().then(() => one.naturalWidth, () => 0);
        }))`);
      return { foreign, errors, widths };
    } finally {
      await context.close();
    }
  }

  it('are not loaded by browsers while there is no copy', async () => {
    await eventually(() => host.received.length > 0);
    for (const [path] of pages) {
      assert.deepEqual(await open(path), { foreign: [], errors: [], widths: [] }, path);
    }
  });

  it('are loaded from this service once there is one', async () => {
    isHostAway = false;
    await eventually(
      () =>
        service.ctx.pools.main
          .value<number>`select count(*)::integer from picture_copies where status = 'ready'`.then(
          (count) => count === 5,
        ),
      60_000,
    );
    // Pages are rendered once a second.
    for (const [path, pictures] of pages) {
      await eventually(async () => {
        const { foreign, errors, widths } = await open(path);
        assert.deepEqual({ foreign, errors }, { foreign: [], errors: [] }, path);
        return widths.length === pictures && widths.every((width) => width > 0);
      }, 20_000).catch(async (error: Error) => {
        throw new Error(`${path}: ${JSON.stringify(await open(path))}`, { cause: error });
      });
    }
    const agents = new Set(host.received.map(({ headers }) => headers['user-agent']));
    assert.deepEqual([...agents], ['Open-Petitions-Pictures/1']);
  });
});
