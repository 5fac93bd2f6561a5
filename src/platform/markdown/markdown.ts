import { LRUCache } from 'lru-cache';
import { attribute, html, Html } from '../html.ts';
import { linkAddress, parseMarkdown, type Token } from './parser.ts';

export { plainStartOf, plainTextOf, type PlainTextOptions } from './plain-text.ts';

/** Elements in each other, where marks of lines are nested without end. Browsers stop at about 500. */
const maxDepth = 40;
/** Of sources and their HTML. A character takes one or two bytes. */
const maxKeptCharacters = 16_000_000;

/** Renderings by base URL and source. Not stored elsewhere: they would keep the faults of an older renderer. */
const kept = new LRUCache<string, Html>({
  maxSize: maxKeptCharacters,
  sizeCalculation: ({ text }, key) => text.length + key.length,
});

export interface RenderOptions {
  /** Of this service, whose pictures are shown. */
  baseUrl: string;
}

/**
 * Renders a text in Markdown. Whatever the source is, the HTML consists of the elements and attributes in this module,
 * with addresses that `linkAddress` allows; other marks stay text.
 */
export function renderMarkdown(source: string, options: RenderOptions): Html {
  const key = `${options.baseUrl}\n${source}`;
  let rendered = kept.get(key);
  if (!rendered) {
    rendered = render(parseMarkdown(source), options);
    kept.set(key, rendered);
  }
  return rendered;
}

interface Element {
  start: Html;
  end: Html;
}

const element = (name: string, attributes: Html = nothing, after = ''): Element => ({
  start: html`<${new Html(name)}${attributes}>`,
  end: html`</${new Html(name)}>${after}`,
});
const block = (name: string, attributes?: Html) => element(name, attributes, '\n');
const nothing = html``;
const noElement: Element = { start: nothing, end: nothing };
const paragraph = block('p');
// The title of the page is the h1.
const headings = [block('h2'), block('h3'), block('h4')];

/** The elements of tokens that open one. */
const elements: Record<string, Element | ((token: Token) => Element)> = {
  paragraph_open: ({ hidden }) => (hidden ? noElement : paragraph),
  heading_open: ({ tag }) => headings[Number(tag.slice(1)) - 1] ?? headings.at(-1)!,
  blockquote_open: block('blockquote'),
  bullet_list_open: block('ul'),
  ordered_list_open: (token) => block('ol', attribute('start', token.attrGet('start'))),
  list_item_open: block('li'),
  strong_open: element('strong'),
  em_open: element('em'),
  link_open: (token) => {
    const href = linkAddress(String(token.attrGet('href') ?? ''));
    if (href === undefined) return noElement;
    return element('a', html` href="${href}" rel="nofollow ugc noopener"`);
  },
};

function elementOf(token: Token): Element {
  const found = elements[token.type] ?? noElement;
  return typeof found === 'function' ? found(token) : found;
}

const lineBreak = html`<br>\n`;
const rule = html`<hr>\n`;

/** The HTML of tokens without an end. */
const leaves: Record<string, (token: Token, options: RenderOptions) => Html> = {
  softbreak: () => lineBreak,
  hardbreak: () => lineBreak,
  hr: () => rule,
  image: ({ content, attrs }, { baseUrl }) => {
    const name = pictureName(String(attrs?.[0]?.[1] ?? ''), baseUrl);
    if (!name) return html`${content}`;
    return html`<img src="${baseUrl}/media/${name}" alt="${content}" loading="lazy" decoding="async">`;
  },
};

const pictureNamePattern = /^[\w-]+\.webp$/;

function pictureName(address: string, baseUrl: string): string | undefined {
  const path = address.startsWith(baseUrl) ? address.slice(baseUrl.length) : address;
  const name = path.startsWith('/media/') ? path.slice('/media/'.length) : '';
  return pictureNamePattern.test(name) ? name : undefined;
}

function render(tokens: Token[], options: RenderOptions): Html {
  const parts: Html[] = [];
  const ends: Html[] = [];
  for (const token of flattened(tokens)) {
    if (token.nesting > 0) {
      const { start, end } = ends.length < maxDepth ? elementOf(token) : noElement;
      parts.push(start);
      ends.push(end);
    } else if (token.nesting < 0) {
      parts.push(ends.pop() ?? nothing);
    } else {
      parts.push(leaves[token.type]?.(token, options) ?? html`${token.content}`);
    }
  }
  return html`${parts}`;
}

function* flattened(tokens: Token[]): Generator<Token> {
  for (const token of tokens) {
    if (token.type === 'inline') yield* token.children ?? [];
    else yield token;
  }
}
