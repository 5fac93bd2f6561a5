import { AxeBuilder } from '@axe-core/playwright';
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';

/**
 * Fails where a page is hard to use: what axe-core finds, in light and dark, and what is wider than a
 * screen of 320 pixels.
 */
export async function assertUsable(page: Page, path: string): Promise<void> {
  await page.goto(path);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const { violations } = await new AxeBuilder({ page }).analyze();
    const found = violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
    );
    assert.deepEqual(found, [], `${path} in ${colorScheme}`);
  }
  const { width, height } = page.viewportSize()!;
  await page.setViewportSize({ width: 320, height: 640 });
  const widest = await page.evaluate('document.documentElement.scrollWidth');
  assert.ok(Number(widest) <= 320, `${path} is ${String(widest)} pixels wide at 320`);
  await page.setViewportSize({ width, height });
}

/** Logs in on the page for it. */
export async function logInAt(
  page: Page,
  { email, password }: { email: string; password: string },
): Promise<void> {
  await page.goto('/login');
  await page.locator('main [name=email]').fill(email);
  await page.locator('main [name=password]').fill(password);
  await page.locator('main button').click();
  await page.waitForURL((url) => url.pathname !== '/login');
}
