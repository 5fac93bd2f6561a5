import axe from 'axe-core';
import type { Page } from 'playwright-core';
import type { Shown } from '../support/every-page.ts';

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

/** Opens a page, and sends its form where it is what that leads to. Gives the status of the answer. */
export async function openShown(page: Page, { path, send }: Shown): Promise<number | undefined> {
  const answer = await page.goto(path);
  if (!send) return answer?.status();
  const sent = page.waitForResponse(
    (response) => response.request().isNavigationRequest() && response.status() !== 303,
  );
  const loaded = page.waitForEvent('load');
  await page.evaluate(sending(send));
  await loaded;
  return (await sent).status();
}

/** A script that sends the form of that id or action, whatever the browser thinks of the fields. */
const sending = (send: NonNullable<Shown['send']>) => `
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
 * What makes the page hard to use: what axe-core finds, or only by these of its rules; what is wider than
 * the screen; and what the keyboard does not reach, or nobody sees that it has.
 */
export async function faultsOf(page: Page, rules?: readonly string[]): Promise<string[]> {
  await page.evaluate(`for (const one of document.querySelectorAll('details')) one.open = true`);
  // A browser lets it in where the page's own policy would not.
  await page.evaluate(axe.source);
  const violations = await page.evaluate<Violation[]>(askingAxe(rules));
  // From now on focus is shown, as for those who use the keyboard.
  await page.keyboard.press('Tab');
  const unreachable = await page.evaluate<string[]>(unreachableByKeyboard);
  const [width, screen] = await page.evaluate<[number, number]>(
    '[document.documentElement.scrollWidth, innerWidth]',
  );
  return [
    ...violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
    ),
    ...unreachable.map((html) => `not reached, or not seen to be: ${html}`),
    ...(width > screen ? [`is ${width} wide on a screen of ${screen}`] : []),
  ];
}

interface Violation {
  id: string;
  nodes: { html: string; failureSummary: string }[];
}

const askingAxe = (rules: readonly string[] | undefined) => `
  axe.run({ preload: false, selectors: false, resultTypes: ['violations'], runOnly: ${JSON.stringify(rules)} })
    .then(({ violations }) => violations)`;

const unreachableByKeyboard = `
  [...document.querySelectorAll('a, button, input, select, textarea, summary, [role=button]')]
    .filter((one) => one.checkVisibility() && one.type !== 'hidden')
    .filter((one) => {
      one.focus();
      const { outlineStyle, outlineWidth } = getComputedStyle(one);
      const isSeen = outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2;
      return document.activeElement !== one || one.tabIndex < 0 || !isSeen;
    })
    .map((one) => one.outerHTML)`;
