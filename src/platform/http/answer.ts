import { createHash } from 'node:crypto';
import type { Page } from '../cursor.ts';
import { Rendered, type Returns } from './route.ts';

/** Writes out an answer's data once, with its entity tag. */
export const render = (data: unknown): Rendered => rendered(textOf(data));

/** Writes out a page of a list. */
export const renderPage = (page: Page<unknown>): Rendered => rendered(textOfPage(page));

/** Writes out a result in the envelope that its route declares. */
export function renderResult(returns: Returns, result: unknown): Rendered {
  if (result instanceof Rendered) return result;
  return rendered(textOfResult(returns, result));
}

/** The body of a successful answer, in the envelope that its route declares. */
export function envelope(returns: Returns, result: unknown, requestId: string, now: Date): string {
  if (returns.kind === 'bare') return JSON.stringify(result);
  return textOfResult(returns, result) + beforeId + afterId(requestId, now);
}

/** What stands before and after the items of a list in JSON that is written while it is read. */
export const listFrame = (nextCursor: string | null, requestId: string, now: Date) => {
  const [opening, closing] = textOfPage({ items: [], nextCursor }).split('[]', 2) as [
    string,
    string,
  ];
  return { before: `${opening}[`, after: `]${closing}${beforeId}${afterId(requestId, now)}` };
};

/** A whole answer, with a character for each byte: to be sent as latin1. */
export const complete = ({ head }: Rendered, requestId: string, now: Date): string =>
  head + afterId(requestId, now);

function rendered(text: string): Rendered {
  const digest = createHash('sha256').update(text).digest('base64url');
  return new Rendered(
    Buffer.from(text + beforeId).toString('latin1'),
    `W/"${digest.slice(0, 22)}"`,
  );
}

const beforeId = ',"meta":{"request_id":"';
function afterId(requestId: string, now: Date): string {
  const milliseconds = now.getTime();
  if (milliseconds !== written.milliseconds) written = { milliseconds, text: now.toISOString() };
  return `${requestId}","timestamp":"${written.text}"}}`;
}

/** The time that was written out last: on busy days many answers are of one millisecond. */
let written = { milliseconds: Number.NaN, text: '' };

const textOfResult = (returns: Returns, result: unknown) =>
  returns.kind === 'many' ? textOfPage(result as Page<unknown>) : textOf(result);

const textOf = (data: unknown) => `{"data":${JSON.stringify(data)}`;

function textOfPage({ items, nextCursor, beside = {}, ...extras }: AnyPage): string {
  const pagination = { next_cursor: nextCursor, has_more: nextCursor !== null, ...extras };
  // Without the braces: the members of the envelope between data and meta.
  const members = JSON.stringify({ pagination, ...beside }).slice(1, -1);
  return `${textOf(items)},${members}`;
}

type AnyPage = Page<unknown> & { beside?: object };

const opaque = (tag: string) => tag.trim().replace(/^W\//, '');

/** Whether If-None-Match names this entity tag, by the weak comparison of RFC 9110 section 13.1.2. */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (!header) return false;
  if (header.trim() === '*') return true;
  return header.split(',').some((tag) => opaque(tag) === opaque(etag));
}
