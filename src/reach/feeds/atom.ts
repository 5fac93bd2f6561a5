import { escapeHtml } from '../../platform/html.ts';

export interface Feed {
  /** URL of the feed, also its id. */
  url: string;
  title: string;
  /** Of the title. */
  language: string;
  author: string;
  entries: Entry[];
}

export interface Entry {
  id: string;
  title: string;
  /** Of title and summary; null if unknown. */
  language: string | null;
  url: string;
  author: string;
  category: { term: string; label: string } | null;
  publishedAt: Date;
  updatedAt: Date;
  summary: string;
}

/** Renders a feed as Atom (RFC 4287). */
export function toAtom({ url, title, language, author, entries }: Feed): string {
  const updatedAt = Math.max(0, ...entries.map((entry) => entry.updatedAt.getTime()));
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    `<id>${text(url)}</id>`,
    `<title${languageOf(language)}>${text(title)}</title>`,
    `<updated>${new Date(updatedAt).toISOString()}</updated>`,
    `<author><name>${text(author)}</name></author>`,
    `<link rel="self" type="application/atom+xml" href="${text(url)}"/>`,
    ...entries.map(renderEntry),
    '</feed>\n',
  ].join('\n');
}

const renderEntry = ({ category, ...entry }: Entry): string =>
  [
    '<entry>',
    `<id>${text(entry.id)}</id>`,
    `<title${languageOf(entry.language)}>${text(entry.title)}</title>`,
    `<link rel="alternate" type="text/html" href="${text(entry.url)}"/>`,
    `<author><name>${text(entry.author)}</name></author>`,
    ...(category
      ? [`<category term="${text(category.term)}" label="${text(category.label)}"/>`]
      : []),
    `<published>${entry.publishedAt.toISOString()}</published>`,
    `<updated>${entry.updatedAt.toISOString()}</updated>`,
    `<summary${languageOf(entry.language)}>${text(entry.summary)}</summary>`,
    '</entry>',
  ].join('\n');

/** The language of an element's text. */
const languageOf = (tag: string | null): string => (tag === null ? '' : ` xml:lang="${text(tag)}"`);

/** Matches what XML 1.0 does not allow, not even escaped. */
// oxlint-disable-next-line no-control-regex
const invalidCharacters = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

/** Escapes text for XML content and quoted attributes. */
const text = (value: string): string => escapeHtml(value.replaceAll(invalidCharacters, ' '));
