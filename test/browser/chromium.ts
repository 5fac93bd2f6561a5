import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';

const path = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  (one) => existsSync(one),
);

/** Options of a suite that needs a browser; it is skipped without one. */
export const needsChromium = {
  skip: path ? false : 'Chromium is not installed: apt-get install chromium',
};

export function openChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: path!,
    // Root has no sandbox, as in containers. Tests connect to the service only.
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--disable-background-networking',
      '--disable-component-update',
      '--no-first-run',
    ],
  });
}

export interface OwnPage extends AsyncDisposable {
  page: Page;
  /** Errors of its scripts and console. */
  errors: string[];
}

/** A page in a browser context of its own, with its errors. */
export async function openAlone(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<OwnPage> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (line) => line.type() === 'error' && errors.push(line.text()));
  await page.goto(url);
  return { page, errors, [Symbol.asyncDispose]: () => context.close() };
}

export interface Site extends AsyncDisposable {
  origin: string;
}

/** A page of another site, with an origin of its own. */
export async function openSite(html: string): Promise<Site> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8').end(html);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
