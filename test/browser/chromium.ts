import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';

const path = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  (one) => existsSync(one),
);

/** Options of a suite that needs a browser: it is passed over, and says so, where there is none. */
export const needsChromium = {
  skip: path ? false : 'there is no Chromium here: apt-get install chromium',
};

export function openChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: path!,
    // Root, as in containers, gets no sandbox; and a test calls nobody but the service.
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
  /** What went wrong in it. */
  errors: string[];
}

/** A page in a browser of its own, which tells of everything that goes wrong in it. */
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

/** A page of somebody else's, at an origin of its own. */
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
