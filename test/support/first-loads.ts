import { gzipSync } from 'node:zlib';
import { Browser, logInBrowser } from './browser.ts';
import type { Answer } from './client.ts';
import type { Shown } from './every-page.ts';
import type { PageWorld, Role } from './page-world.ts';
import type { Service } from './service.ts';

/** Limit of what a page loads before its images. */
export const maxFirstLoadBytes = 60_000;

export interface FirstLoad {
  shown: Shown;
  status: number;
  /** Bytes of the page itself. */
  html: number;
  /** Bytes of everything before its images: the page, styles, scripts and the icon. */
  bytes: number;
  /** The same after gzip, as by a proxy. */
  compressed: number;
}

/** Measures what a browser with an empty cache transfers for each of these pages. */
export async function firstLoads(
  { api }: Service,
  { people }: PageWorld,
  pages: Shown[],
): Promise<FirstLoad[]> {
  const asPeople = { api: api.with({ accept: 'text/html' }) };
  const browsers = new Map<Role | undefined, Browser>([[undefined, new Browser(asPeople.api)]]);
  for (const [role, person] of Object.entries(people)) {
    browsers.set(role as Role, await logInBrowser(asPeople, person));
  }
  const assets = new Map<string, string>();
  const assetAt = async (path: string) => {
    const asset = assets.get(path) ?? String((await api.get(path)).body);
    assets.set(path, asset);
    return asset;
  };
  const loads = [];
  for (const shown of pages) {
    const { status, body } = await open(browsers.get(shown.as)!, shown);
    const named = String(body).matchAll(/(?:href|src)="(\/assets\/[^"]+\.(?:css|js|svg))"/g);
    const all = [String(body), ...(await Promise.all(named.map(([, path]) => assetAt(path!))))];
    loads.push({
      shown,
      status,
      html: Buffer.byteLength(all[0]!),
      bytes: all.reduce((sum, one) => sum + Buffer.byteLength(one), 0),
      compressed: all.reduce((sum, one) => sum + gzipSync(one).length, 0),
    });
  }
  return loads;
}

async function open(browser: Browser, { path, send }: Shown): Promise<Answer> {
  const page = await browser.open(path);
  if (!send) return page;
  // A form without an action is sent to the address of its page.
  return send.to ? browser.submit(page, send.fields, send.to) : browser.send(path, send.fields);
}
