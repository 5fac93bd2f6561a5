import type { Page } from '../cursor.ts';
import type { Rendered, Returns, StreamedAnswer } from './results.ts';

/** The cursor of the page after a result; undefined or null if there is none. */
export function nextCursorOf(returns: Returns, result: unknown): string | null | undefined {
  if (returns.kind === 'many') return (result as Page<unknown> | Rendered).nextCursor;
  return returns.kind === 'streamed' ? (result as StreamedAnswer).nextCursor : undefined;
}

/** The Link header (RFC 8288) to the next page: the same query with another cursor. `url` is path and query. */
export function nextLink(baseUrl: string, url: string, cursor: string): string {
  const [path, query] = url.split('?', 2) as [string, string?];
  const parameters = new URLSearchParams(query);
  parameters.set('cursor', cursor);
  return `<${baseUrl}${path}?${parameters.toString()}>; rel="next"`;
}

/** The value of Link with one more link. */
export const withLink = (links: string | undefined, link: string): string =>
  links ? `${links}, ${link}` : link;
