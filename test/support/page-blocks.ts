import { readFileSync } from 'node:fs';

/** A block of code of a page. */
export interface PageBlock {
  language: string;
  code: string;
}

/** Returns the blocks below a heading of the second level. @throws {Error} if the page has no such section */
export function blocksBelow(page: string, heading: string): PageBlock[] {
  const [, rest] = readFileSync(page, 'utf8').split(`\n## ${heading}\n`);
  if (rest === undefined) throw new Error(`${page} has no section "${heading}"`);
  const [section = ''] = rest.split(/^## /m);
  return [...section.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(
    ([, language = '', code = '']): PageBlock => ({ language, code }),
  );
}
