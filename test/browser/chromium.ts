import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chromium, type Browser } from 'playwright-core';

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
