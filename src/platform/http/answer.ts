import { hash } from 'node:crypto';
import type { Page } from '../cursor.ts';
import { Rendered, type Returns } from './results.ts';

/** Serializes the data of an answer once, with its entity tag. */
export const render = (data: unknown): Rendered => rendered({ data });

/** Serializes a page of a list once. */
export const renderPage = (page: Page<unknown>): Rendered => rendered(pageMembers(page));

/** Serializes a result once, in the envelope that its route declares. */
export const renderResult = (returns: Returns, result: unknown): Rendered =>
  result instanceof Rendered ? result : rendered(members(returns, result));

/** The body of a successful answer, in the envelope that its route declares. */
export const envelope = (returns: Returns, result: unknown, requestId: string, now: Date) =>
  returns.kind === 'bare'
    ? result
    : { ...members(returns, result), meta: { request_id: requestId, timestamp: now } };

/** The JSON before and after the items of a list that is sent while it is read. */
export function listFrame(nextCursor: string | null, requestId: string, now: Date) {
  const empty = withoutEnd(pageMembers({ items: [], nextCursor }));
  const [opening, closing] = empty.split('[]', 2) as [string, string];
  return { before: `${opening}[`, after: `]${closing}${beforeId}${afterId(requestId, now)}` };
}

/** A whole answer, one character per byte: send it as latin1. */
export const complete = ({ head }: Rendered, requestId: string, now: Date): string =>
  head + afterId(requestId, now);

function rendered(envelopeMembers: object): Rendered {
  const text = withoutEnd(envelopeMembers) + beforeId;
  const bytes = Buffer.from(text);
  const digest = hash('sha256', bytes, 'base64url');
  // Of ASCII alone, the text is its bytes.
  const head = bytes.length === text.length ? text : bytes.toString('latin1');
  return new Rendered(head, `W/"${digest.slice(0, 22)}"`);
}

/** JSON without the closing brace, so that `meta` can follow. */
const withoutEnd = (envelopeMembers: object) => JSON.stringify(envelopeMembers).slice(0, -1);

const beforeId = ',"meta":{"request_id":"';
function afterId(requestId: string, now: Date): string {
  const milliseconds = now.getTime();
  if (milliseconds !== written.milliseconds) written = { milliseconds, text: now.toISOString() };
  return `${requestId}","timestamp":"${written.text}"}}`;
}

/** The last time that was formatted: under load, many answers are sent in one millisecond. */
let written = { milliseconds: Number.NaN, text: '' };

/** The members of the envelope before `meta`. */
const members = (returns: Returns, result: unknown) =>
  returns.kind === 'many' ? pageMembers(result as AnyPage) : { data: result };

const pageMembers = ({ items, nextCursor, beside, ...extras }: AnyPage) => ({
  data: items,
  pagination: { next_cursor: nextCursor, has_more: nextCursor !== null, ...extras },
  ...beside,
});

type AnyPage = Page<unknown> & { beside?: object };

const opaque = (tag: string) => tag.trim().replace(/^W\//, '');

/** Whether If-None-Match names this entity tag, by the weak comparison of RFC 9110 section 13.1.2. */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (!header) return false;
  if (header.trim() === '*') return true;
  return header.split(',').some((tag) => opaque(tag) === opaque(etag));
}
