import MarkdownIt from 'markdown-it';
import { readdirSync, readFileSync } from 'node:fs';
import { Html } from '../html.ts';

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
  const markdown = new MarkdownIt({ html: false });
  const text = source
    .replaceAll(exampleOrigin, baseUrl)
    .replaceAll(exampleOrigin.replace('http', 'ws'), baseUrl.replace('http', 'ws'))
    .replaceAll(encodeURIComponent(exampleOrigin), encodeURIComponent(baseUrl));
  markdown.core.ruler.push('links', ({ tokens }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.type === 'link_open' ? token.attrGet('href') : null;
      if (href !== null) token.attrSet('href', addressOf(String(href)));
    }
  });
  markdown.core.ruler.push('anchors', ({ tokens }) => {
    for (const [n, token] of tokens.entries()) {
      if (token.type !== 'heading_open') continue;
      token.attrSet('id', anchorOf(tokens[n + 1]!.content));
    }
  });
  return new Html(markdown.render(text));
}

/** Other documents are in the source code only: their links lead to the list of pages. */
function addressOf(href: string): string {
  const [, file, anchor = ''] = /^([\w-]+)\.md(#.*)?$/.exec(href) ?? [];
  if (file !== undefined) return file === 'README' ? '/docs' : `/docs/guides/${file}${anchor}`;
  return /^(https?:|#|\/)/.test(href) ? href : '/docs';
}

/** The anchor of a heading, as the links between the files have it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s-]/gu, '')
    .trim()
    .replaceAll(/\s+/g, '-');
