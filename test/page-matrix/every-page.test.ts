import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { allPages, type PageState } from '../support/every-page.ts';
import { makePageWorld, type PageWorld } from '../support/page-world.ts';
import { freePort } from '../support/process.ts';
import { startService, type Service } from '../support/service.ts';
import { needsChromium, openChromium } from '../browser/chromium.ts';
import { faultsOf, logInAt, openState } from '../browser/looks.ts';

const suiteOptions = { ...needsChromium, concurrency: 2 };

describe('every page, on a narrow screen', suiteOptions, () => {
  let service: Service;
  let browser: Browser;
  let world: PageWorld;
  let pages: PageState[];
  before(async () => {
    service = await startService({ port: await freePort(), worker: true });
    browser = await openChromium();
    world = await makePageWorld(service);
    pages = Object.values(allPages(world)).flat();
  });
  after(async () => {
    await browser.close();
    await service[Symbol.asyncDispose]();
  });

  // German has the longest words, and Arabic is written from right to left. Themes differ only in colours, so the
  // second one skips the other rules, which are slow.
  const themes = [
    { colorScheme: 'light', locale: 'de', direction: 'ltr', rules: undefined },
    { colorScheme: 'dark', locale: 'ar', direction: 'rtl', rules: ['color-contrast'] },
  ] as const;

  // axe-core is slow on a busy machine.
  const timeout = 400_000;
  for (const { colorScheme, locale, direction, rules } of themes) {
    for (const role of [undefined, 'newcomer', 'creator', 'admin'] as const) {
      const who = role ?? 'visitor';
      it(`is accessible to the ${who} (${colorScheme}, ${locale})`, { timeout }, async () => {
        const viewport = { width: 320, height: 640 };
        const options = { baseURL: service.origin, colorScheme, locale, viewport };
        await using context = await browser.newContext(options);
        const page = await context.newPage();
        if (role) await logInAt(page, world.people[role]);
        const faults: string[] = [];
        for (const state of pages.filter((one) => one.as === role)) {
          const status = await openState(page, state);
          const actualDirection = await page.locator('html').getAttribute('dir');
          const found = await faultsOf(page, rules);
          if (status !== (state.status ?? 200)) found.push(`its status is ${status}`);
          if (actualDirection !== direction && !state.onlyEnglish)
            found.push(`its direction is ${actualDirection}`);
          faults.push(...found.map((one) => `${state.path}${state.send ? ', sent' : ''}: ${one}`));
        }
        assert.deepEqual(faults, []);
      });
    }
  }
});
