import assert from 'node:assert/strict';
import { defaultName } from '../../src/platform/site/profile.ts';
import { Browser, logInBrowser } from './browser.ts';
import type { Answer } from './client.ts';
import type { PageState } from './every-page.ts';
import type { PageWorld, Role } from './page-world.ts';
import type { Service } from './service.ts';

/** The limit of what a page transfers at first, without pictures. */
export const maxFirstLoadBytes = 60_000;

export interface FirstLoad {
  state: PageState;
  status: number;
  /** Texts that are code of a template. */
  templateMistakes: string[];
  /** Ids that several elements have. */
  repeatedIds: string[];
  /** Whether it calls the site as the software does by itself. */
  hasDefaultName: boolean;
  /** The size of the page itself, uncompressed. */
  htmlBytes: number;
  /** The page with its styles, scripts, icon and drawings, without pictures and what is loaded when it comes into view. */
  bytes: number;
  /** The same as it is sent to a browser that takes Brotli. */
  wireBytes: number;
}

/** The browsers of a visitor and of all who are logged in. */
export async function browsersOf(
  { api }: Pick<Service, 'api'>,
  people: PageWorld['people'],
): Promise<Map<Role | undefined, Browser>> {
  const browsers = new Map<Role | undefined, Browser>([[undefined, new Browser(api)]]);
  for (const [role, person] of Object.entries(people)) {
    browsers.set(role as Role, await logInBrowser({ api }, person));
  }
  return browsers;
}

const codeInText = />\s*(?:\)*[;}`]+|\$\{[^<]*|\[object Object\]|undefined|null|NaN)\s*</g;

const repeatedIn = (ids: string[]) => ids.filter((id, index) => ids.indexOf(id) < index);

/** What a browser with an empty cache transfers for each of these pages. */
export async function measureFirstLoads(
  { api }: Service,
  { people }: PageWorld,
  pages: PageState[],
): Promise<FirstLoad[]> {
  const htmlService = { api: api.with({ accept: 'text/html', 'accept-encoding': 'gzip, br' }) };
  const browsers = await browsersOf(htmlService, people);
  const assets = new Map<string, Answer>();
  const assetAt = async (path: string) => {
    const known = assets.get(path);
    if (known) return known;
    const answer = await htmlService.api.get(path);
    assert.equal(answer.status, 200, path);
    assets.set(path, answer);
    return answer;
  };
  const loads = [];
  for (const state of pages) {
    const page = await openState(browsers.get(state.as)!, state);
    const html = String(page.body);
    const all = [page, ...(await Promise.all(loadedPaths(html).map(assetAt)))];
    loads.push({
      state,
      status: page.status,
      templateMistakes: [...html.matchAll(codeInText)].map(([text]) => text),
      repeatedIds: repeatedIn([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!)),
      hasDefaultName: html.includes(defaultName),
      htmlBytes: Buffer.byteLength(html),
      bytes: all.reduce((sum, { body }) => sum + Buffer.byteLength(String(body)), 0),
      wireBytes: all.reduce((sum, { headers }) => sum + Number(headers.get('content-length')), 0),
    });
  }
  return loads;
}

/** Paths of the service's files that a browser loads with the page. */
const loadedPaths = (html: string): string[] =>
  [...html.matchAll(/<[^>]*\b(?:href|src)="(\/(?:assets|drawings)\/[^"]+\.(?:css|js|svg))"[^>]*>/g)]
    .filter(([tag]) => !tag.includes('loading="lazy"'))
    .map(([, path]) => path!);

/** Opens a page in one state. */
export async function openState(
  browser: Browser,
  { path, outcome, send }: PageState,
): Promise<Answer> {
  const page = await browser.open(path, outcome);
  if (!send) return page;
  // A form without an action is sent to the path of its page.
  return send.to ? browser.submit(page, send.fields, send.to) : browser.send(path, send.fields);
}
