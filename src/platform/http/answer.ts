import { createHash } from 'node:crypto';
import type { Page } from '../cursor.ts';
import { Rendered, type Returns } from './route.ts';

/** Writes out an answer's data once, with its entity tag. */
export function render(data: unknown, pagination?: object): Rendered {
  const json = JSON.stringify(data);
  const page = pagination && JSON.stringify(pagination);
  // Weak, since request id and time in `meta` differ from answer to answer.
  const digest = createHash('sha256')
    .update(json)
    .update(page ?? '')
    .digest('base64url');
  return new Rendered(json, `W/"${digest.slice(0, 22)}"`, page);
}

/** Writes out a page of a list. */
export function renderPage({ items, nextCursor, ...extras }: Page<unknown>): Rendered {
  return render(items, paginationOf(nextCursor, extras));
}

const paginationOf = (nextCursor: string | null, extras: object) => ({
  next_cursor: nextCursor,
  has_more: nextCursor !== null,
  ...extras,
});

/** The body of a successful answer, in the envelope that its route declares. */
export function envelope(returns: Returns, result: unknown, requestId: string, now: Date): string {
  if (returns.kind === 'bare') return JSON.stringify(result);
  const { data, pagination } = result instanceof Rendered ? result : parts(returns, result);
  return (
    `{"data":${data},` +
    (pagination ? `"pagination":${pagination},` : '') +
    `"meta":{"request_id":"${requestId}","timestamp":"${now.toISOString()}"}}`
  );
}

function parts(returns: Returns, result: unknown) {
  if (returns.kind !== 'many') return { data: JSON.stringify(result), pagination: undefined };
  const { items, nextCursor, ...extras } = result as Page<unknown>;
  return {
    data: JSON.stringify(items),
    pagination: JSON.stringify(paginationOf(nextCursor, extras)),
  };
}

const opaque = (tag: string) => tag.trim().replace(/^W\//, '');

/** Whether If-None-Match names this entity tag, by the weak comparison of RFC 9110 section 13.1.2. */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (!header) return false;
  if (header.trim() === '*') return true;
  return header.split(',').some((tag) => opaque(tag) === opaque(etag));
}
