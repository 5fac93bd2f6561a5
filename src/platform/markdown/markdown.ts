import { LRUCache } from 'lru-cache';
import { attribute, html, Html } from '../html.ts';
import { variantWidths } from '../images.ts';
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
    const picture = pictureAt(String(attrs?.[0]?.[1] ?? ''), baseUrl);
    if (!picture) return html`${content}`;
    const { name, width, height } = picture;
    const at = `${baseUrl}/media/`;
    const sources = sourcesOf(name, at);
    // Safari takes the attributes in order, and loads the largest variant if it sees `src` first.
    return html`<img${attribute('width', width)}${attribute('height', height)} loading="lazy"${attribute('sizes', sources && textWidth)}${attribute('srcset', sources)} src="${at}${name}" alt="${content}" decoding="async">`;
  },
};

/** How wide a picture in a text is at most: browsers that know `auto` measure it. */
const textWidth = 'auto, (min-width: 48rem) 44rem, 100vw';

const picturePattern = /^([\w-]+\.webp)(?:#([1-9]\d{0,3})x([1-9]\d{0,4}))?$/;
const variantPattern = /^([0-9a-f]{32})-(\d+)\.webp$/;

interface Picture {
  name: string;
  /** In pixels, where the address says it (`#1280x960`): browsers keep the place before the picture is there. */
  width: string | undefined;
  height: string | undefined;
}

function pictureAt(address: string, baseUrl: string): Picture | undefined {
  const path = address.startsWith(baseUrl) ? address.slice(baseUrl.length) : address;
  const found = picturePattern.exec(path.startsWith('/media/') ? path.slice('/media/'.length) : '');
  return found ? { name: found[1]!, width: found[2], height: found[3] } : undefined;
}

/** The variants up to this one, as `srcset` has them. */
function sourcesOf(name: string, at: string): string | undefined {
  const [, token, largest] = variantPattern.exec(name) ?? [];
  const widths = variantWidths.filter((width) => width <= Number(largest));
  if (!token || widths.length === 0) return undefined;
  return widths.map((width) => `${at}${token}-${width}.webp ${width}w`).join(', ');
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
