import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, BrowserContext } from 'playwright-core';
import { addDecisionMaker, deliver } from '../support/decision-makers.ts';
import { hostileTexts } from '../support/hostile-texts.ts';
import { createOrganization, createPublished, signUp, type Person } from '../support/people.ts';
import { freePort } from '../support/process.ts';
import { startService, type Service } from '../support/service.ts';
import { needsChromium, openChromium } from './chromium.ts';
import { logInAt } from './looks.ts';

const groups = 8;

/** Runs in each page before its own scripts. */
const watcher = `
  window.violations = [];
  document.addEventListener('securitypolicyviolation', (event) => {
    window.violations.push(event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sample);
  });`;

/** Returns what stands in the page that no text may bring into it. */
const strangers = `
  (() => {
    const allowed = {
      P: [], BR: [], STRONG: [], EM: [], UL: [], OL: ['start'], LI: [], BLOCKQUOTE: [], H2: [], H3: [], H4: [],
      HR: [], A: ['href', 'rel'], IMG: ['src', 'srcset', 'sizes', 'width', 'height', 'alt', 'loading', 'decoding'],
    };
    const found = [];
    for (const one of document.querySelectorAll('.text *')) {
      const attributes = [...one.attributes].filter(({ name }) => !allowed[one.tagName]?.includes(name));
      if (!allowed[one.tagName] || attributes.length > 0) found.push(one.outerHTML);
      if (one.tagName === 'A' && !/^(https?|mailto):$/.test(one.protocol)) found.push(one.outerHTML);
      if (one.tagName === 'IMG' && !one.src.startsWith(location.origin + '/media/')) found.push(one.outerHTML);
    }
    for (const one of document.querySelectorAll('*')) {
      const handler = [...one.attributes].some(({ name }) => name.startsWith('on'));
      if (handler) found.push(one.outerHTML);
    }
    for (const one of document.querySelectorAll('.plain-text *, main h1 :not(bdi), title *')) {
      found.push(one.outerHTML);
    }
    return found;
  })()`;

/** Joins texts up to a length, without white space other than spaces if they stand on one line. */
function joined(texts: string[], maxLength: number, separator: string): string {
  let all = '';
  for (const text of texts) {
    const one = separator === ' ' ? text.replaceAll(/\s+/g, ' ') : text;
    if (all.length + separator.length + one.length <= maxLength) all += separator + one;
  }
  return all.trim();
}

describe('hostile texts in a browser', needsChromium, () => {
  let service: Service;
  let browser: Browser;
  let creator: Person;
  before(async () => {
    service = await startService({ port: await freePort(), worker: true });
    browser = await openChromium();
    creator = await signUp(service, joined(hostileTexts.slice(-40), 100, ' '));
  });
  after(async () => {
    await browser.close();
    await service[Symbol.asyncDispose]();
  });

  const watched = async (): Promise<BrowserContext> => {
    const context = await browser.newContext({ baseURL: service.origin });
    await context.addInitScript(watcher);
    return context;
  };

  /** Opens the pages one after the other. Returns what is wrong with them, and the number of elements in texts. */
  const faultsOf = async (context: BrowserContext, paths: string[]) => {
    const faults: string[] = [];
    let elements = 0;
    const page = await context.newPage();
    let path = '';
    const report = (fault: string) => void faults.push(`${path}: ${fault}`);
    page.on('dialog', (dialog) => {
      report(`dialog ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('pageerror', (error) => report(error.message));
    page.on('console', (line) => line.type() === 'error' && report(line.text()));
    page.on('request', (request) => {
      if (new URL(request.url()).origin !== service.origin) report(`request of ${request.url()}`);
    });
    for (path of paths) {
      const answer = await page.goto(path);
      assert.equal(answer?.status(), 200, path);
      assert.equal(page.url(), service.origin + path);
      for (const found of await page.evaluate<string[]>(strangers)) report(found);
      for (const found of await page.evaluate<string[]>('window.violations')) report(found);
      elements += await page.evaluate<number>('document.querySelectorAll(".text *").length');
    }
    await page.close();
    return { faults, elements };
  };

  it('bring no element, script or request into a page', async () => {
    assert.ok(hostileTexts.length >= 500, String(hostileTexts.length));
    assert.equal(new Set(hostileTexts).size, hostileTexts.length);
    const paths: string[] = [];
    let first: { id: string } | undefined;
    let shown = '';
    for (let group = 0; group < groups; group += 1) {
      const texts = hostileTexts.filter((_, index) => index % groups === group);
      const description = joined(texts, 50_000, '\n\n');
      shown += description;
      const petition = await createPublished(creator, {
        title: joined(texts.toReversed(), 200, ' '),
        description,
        tags: [joined(texts, 50, ' ').replaceAll(',', ';')],
      });
      first ??= petition;
      const path = `/v1/petitions/${petition.id}`;
      for (const [below, body] of [
        ['updates', { title: joined(texts, 200, ' '), body: joined(texts, 10_000, '\n\n') }],
        ['comments', { body: joined(texts, 2000, '\n') }],
      ] as const) {
        const answer = await creator.api.post(`${path}/${below}`, body);
        assert.equal(answer.status, 201, JSON.stringify(answer.body));
      }
      const maker = await addDecisionMaker(creator, petition, { name: joined(texts, 200, ' ') });
      const { token } = await deliver(service, creator, maker, { summary: 'none' });
      const response = await service.api.post(`/respond/${token}`, {
        body: joined(texts, 10_000, '\n\n'),
      });
      assert.equal(response.status, 201, JSON.stringify(response.body));
      await creator.api.post(`/v1/responses/${response.body.data.id}/publish`);
      const organization = await createOrganization(creator, {
        name: joined(texts, 100, ' '),
        description: joined(texts, 1000, '\n'),
      });
      paths.push(`/p/${petition.slug}`, `/p/${petition.slug}/updates`);
      paths.push(`/respond/${token}`, `/o/${organization.slug}`);
    }
    for (const text of hostileTexts) assert.ok(shown.includes(text.trim()), text);
    paths.push('/', '/petitions', '/organizations');
    const visitor = await watched();
    const seen = await faultsOf(visitor, paths);
    assert.deepEqual(seen.faults, []);
    assert.ok(seen.elements > hostileTexts.length, 'texts are rendered');
    await visitor.close();

    const own = await watched();
    await logInAt(await own.newPage(), creator);
    const dashboard = `/dashboard/petitions/${first!.id}`;
    const { faults } = await faultsOf(own, [
      '/dashboard',
      dashboard,
      ...['edit', 'updates', 'decision-makers'].map((tab) => `${dashboard}/${tab}`),
    ]);
    assert.deepEqual(faults, []);
    await own.close();
  });
});
