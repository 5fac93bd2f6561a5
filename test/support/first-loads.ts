import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { Browser, logInBrowser } from './browser.ts';
import type { Answer } from './client.ts';
import type { PageState } from './every-page.ts';
import type { PageWorld, Role } from './page-world.ts';
import type { Service } from './service.ts';

/** The limit of what a page transfers before its images: compressed, as the service sends it. */
export const maxFirstLoadBytes = 20_000;

export interface FirstLoad {
  state: PageState;
  status: number;
  /** Texts that are code of a template. */
  templateMistakes: string[];
  /** Ids that several elements have. */
  repeatedIds: string[];
  htmlBytes: number;
  /** The page with its styles, scripts and icon, without images. */
  bytes: number;
  /** The same with gzip. */
  gzipBytes: number;
}

const codeInText = />\s*(?:\)*[;}`]+|\$\{[^<]*|\[object Object\]|undefined|null|NaN)\s*</g;

const repeatedIn = (ids: string[]) => ids.filter((id, index) => ids.indexOf(id) < index);

/** What a browser with an empty cache transfers for each of these pages. */
export async function measureFirstLoads(
  { api }: Service,
  { people }: PageWorld,
  pages: PageState[],
): Promise<FirstLoad[]> {
  const htmlService = { api: api.with({ accept: 'text/html' }) };
  const browsers = new Map<Role | undefined, Browser>([[undefined, new Browser(htmlService.api)]]);
  for (const [role, person] of Object.entries(people)) {
    browsers.set(role as Role, await logInBrowser(htmlService, person));
  }
  const assets = new Map<string, string>();
  const assetAt = async (path: string) => {
    const known = assets.get(path);
    if (known !== undefined) return known;
    const { status, body } = await api.get(path);
    assert.equal(status, 200, path);
    assets.set(path, String(body));
    return String(body);
  };
  const loads = [];
  for (const state of pages) {
    const { status, body } = await open(browsers.get(state.as)!, state);
    const links = String(body).matchAll(/(?:href|src)="(\/assets\/[^"]+\.(?:css|js|svg))"/g);
    const all = [String(body), ...(await Promise.all(links.map(([, path]) => assetAt(path!))))];
    loads.push({
      state,
      status,
      templateMistakes: [...all[0]!.matchAll(codeInText)].map(([text]) => text),
      repeatedIds: repeatedIn([...all[0]!.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!)),
      htmlBytes: Buffer.byteLength(all[0]!),
      bytes: all.reduce((sum, one) => sum + Buffer.byteLength(one), 0),
      gzipBytes: all.reduce((sum, one) => sum + gzipSync(one).length, 0),
    });
  }
  return loads;
}

async function open(browser: Browser, { path, outcome, send }: PageState): Promise<Answer> {
  const page = await browser.open(path, outcome);
  if (!send) return page;
  // A form without an action is sent to the path of its page.
  return send.to ? browser.submit(page, send.fields, send.to) : browser.send(path, send.fields);
}
