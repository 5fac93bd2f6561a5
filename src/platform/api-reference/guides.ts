import { readdirSync, readFileSync } from 'node:fs';
import { documentHtml } from '../documents.ts';
import type { Html } from '../html.ts';

const folder = new URL('../../../docs/api/', import.meta.url);
/** The page that lists the others, in the order in which they are read. */
const contents = 'README.md';

/** A page of the guide, which is a file of docs/api. */
export interface Guide {
  /** Last segment of its path: the name of the file. */
  slug: string;
  title: string;
  /** What the list of pages says of it. */
  about: string;
  source: string;
}

/** Reads the pages of the guide, in their order. */
export function readGuides(): Guide[] {
  const files = new Set(readdirSync(folder).filter((name) => name.endsWith('.md')));
  const listed = readFileSync(new URL(contents, folder), 'utf8');
  return [...listed.matchAll(/^\d+\. \[([^\]]+)\]\(([\w-]+\.md)\): (.+)$/gm)]
    .filter(([, , file]) => files.has(file!))
    .map(([, title, file, about]) => ({
      slug: file!.slice(0, -'.md'.length),
      title: title!,
      about: about!,
      source: readFileSync(new URL(file!, folder), 'utf8'),
    }));
}

/** Where the commands of the guide find the service. */
const exampleOrigin = 'http://localhost:3000';

/** The HTML of a page: links lead to pages of this service, and commands call it. */
export function guideHtml({ source }: Guide, baseUrl: string): Html {
  const text = source
    .replaceAll(exampleOrigin, baseUrl)
    .replaceAll(exampleOrigin.replace('http', 'ws'), baseUrl.replace('http', 'ws'))
    .replaceAll(encodeURIComponent(exampleOrigin), encodeURIComponent(baseUrl));
  return documentHtml(text, addressOf);
}

/** Other documents are in the source code only: their links lead to the list of pages. */
function addressOf(href: string): string {
  const [, file, anchor = ''] = /^([\w-]+)\.md(#.*)?$/.exec(href) ?? [];
  if (file !== undefined) return file === 'README' ? '/docs' : `/docs/guides/${file}${anchor}`;
  return /^(https?:|#|\/)/.test(href) ? href : '/docs';
}
