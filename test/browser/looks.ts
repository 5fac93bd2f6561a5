import axe from 'axe-core';
import type { Page } from 'playwright-core';
import type { PageState } from '../support/every-page.ts';

/** Logs in by the form. */
export async function logInAt(
  page: Page,
  { email, password }: { email: string; password: string },
  origin = '',
): Promise<void> {
  await page.goto(`${origin}/login`);
  const form = page.locator('form[action="/login"]');
  await page.locator('main summary').click();
  await form.locator('[name=email]').fill(email);
  await form.locator('[name=password]').fill(password);
  await form.locator('button').click();
  await page.waitForURL((url) => url.pathname !== '/login');
}

/** Opens a page, and sends its form if the state has one. Returns the status. */
export async function openState(
  page: Page,
  { path, outcome, send }: PageState,
): Promise<number | undefined> {
  if (outcome) await reportOutcome(page, path, outcome);
  const answer = await page.goto(path);
  if (!send) return answer?.status();
  const sent = page.waitForResponse(
    (response) => response.request().isNavigationRequest() && response.status() !== 303,
  );
  const loaded = page.waitForEvent('load');
  await page.evaluate(submitScript(send));
  await loaded;
  return (await sent).status();
}

/** Sets the cookie by which the page reports what a form has just done. */
async function reportOutcome(page: Page, path: string, outcome: string): Promise<void> {
  const [pathname] = path.split('?', 1);
  const value = encodeURIComponent(`${pathname}?${outcome}`);
  if (!page.url().startsWith('http')) await page.goto('/');
  const { origin } = new URL(page.url());
  await page.context().addCookies([{ name: 'outcome', value, url: origin }]);
}

/** A script that sends the form of this id or action without the browser's validation. */
const submitScript = (send: NonNullable<PageState['send']>) => `
  const { to, fields } = ${JSON.stringify(send)};
  const form = [...document.forms].find((one) =>
    one.method === 'post' && [one.id, one.getAttribute('action') ?? ''].includes(to));
  for (const [name, value] of Object.entries(fields)) {
    for (const field of form.querySelectorAll('[name="' + name + '"]')) field.remove();
    const field = document.createElement('input');
    form.append(Object.assign(field, { type: 'hidden', name, value }));
  }
  form.submit();`;

/**
 * Accessibility faults of a page: violations of axe-core's rules, or of these; elements wider than the screen; and
 * controls that the keyboard does not reach, or whose focus is not visible.
 */
export async function faultsOf(page: Page, rules?: readonly string[]): Promise<string[]> {
  await page.evaluate(`for (const one of document.querySelectorAll('details')) one.open = true`);
  // The browser evaluates it despite the policy of the page.
  await page.evaluate(axe.source);
  const violations = await page.evaluate<Violation[]>(axeScript(rules));
  // Makes the browser show focus, as for keyboard users.
  await page.keyboard.press('Tab');
  const unreachable = await page.evaluate<string[]>(unreachableScript);
  const [width, screen] = await page.evaluate<[number, number]>(
    '[document.documentElement.scrollWidth, innerWidth]',
  );
  return [
    ...violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
    ),
    ...unreachable.map((html) => `not reachable by keyboard, or focus not visible: ${html}`),
    ...(width > screen ? [`is ${width} px wide on a screen of ${screen} px`] : []),
  ];
}

interface Violation {
  id: string;
  nodes: { html: string; failureSummary: string }[];
}

const axeScript = (rules: readonly string[] | undefined) => `
  axe.run({ preload: false, selectors: false, resultTypes: ['violations'], runOnly: ${JSON.stringify(rules)} })
    .then(({ violations }) => violations)`;

const unreachableScript = `
  [...document.querySelectorAll('a, button, input, select, textarea, summary, [role=button]')]
    .filter((one) => one.checkVisibility() && one.type !== 'hidden')
    .filter((one) => {
      one.focus();
      const { outlineStyle, outlineWidth } = getComputedStyle(one);
      const isVisible = outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2;
      return document.activeElement !== one || one.tabIndex < 0 || !isVisible;
    })
    .map((one) => one.outerHTML)`;
