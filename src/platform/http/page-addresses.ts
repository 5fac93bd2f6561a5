import type { FastifyRequest } from 'fastify';
import { prefersJson } from './pages.ts';
import type { Route } from './route.ts';

/** Characters that mail programs, chats and sentences leave at the end of a link. No address of a page ends with one. */
const marks = Array.from(
  '/.,;:!…)]}>"\'`*،؛。' +
    // Quotation marks close in one language and open in another.
    '«»‹›“”‘’„' +
    // Spaces, and invisible marks of direction and width.
    ' \u00a0\u200b\u200e\u200f\ufeff',
);

/** The marks as they arrive: as they are, and percent-encoded in lower case. */
const endings = marks.flatMap((mark) => [
  mark,
  Buffer.from(mark).toString('hex').replaceAll(/../g, '%$&'),
]);

/** A quick check, since most requests are for exact addresses: a capital, or an end that may be a mark. */
const mayBeMangled = /[A-Z]|[^\w-]$|%[\dA-Fa-f]{2}$/;

/** A page's path: texts, and parameters in braces. */
interface PagePath {
  segments: string[];
  /** The path also answers JSON. */
  servesJson: boolean;
}

/**
 * Returns a function that finds the address of the page that a request means: without marks at the end of its path, and
 * in lower case. It returns undefined where the request has that address already, or means no page. Addresses of the API
 * are exact.
 */
export function pageAddresses(routes: Route[]): (request: FastifyRequest) => string | undefined {
  const pages = routes.filter(isReadablePage).map((route): PagePath => ({
    segments: route.path.split('/'),
    servesJson: route.pages !== undefined,
  }));
  return ({ method, url, headers }) => {
    if (!isRead(method)) return undefined;
    const [path, query] = splitQuery(url);
    if (!mayBeMangled.test(path)) return undefined;
    const bare = withoutMarks(path);
    for (const page of pages) {
      const canonical = canonicalPath(page, bare);
      if (canonical === undefined) continue;
      if (canonical === path || (page.servesJson && prefersJson(headers))) return undefined;
      return canonical + query;
    }
    return undefined;
  };
}

/** Whether a route answers with a page for people. */
export const isPage = ({ pages, returns }: Route): boolean =>
  pages !== undefined || (returns.kind === 'raw' && returns.mediaTypes.includes('text/html'));

const isReadablePage = (route: Route): boolean =>
  route.method === 'GET' && isPage(route) && !route.path.startsWith('/oauth/');

/**
 * Returns a function that finds the address of the page above the path of a form, for readers who open the address of a
 * refused form. Undefined where no page but the home page is above it.
 */
export function pageAbove(
  routes: Route[],
  formPath: string,
): ((request: FastifyRequest) => string | undefined) | undefined {
  const paths = routes.filter(isReadablePage).map(({ path }) => path);
  const above = paths
    .filter((path) => path !== '/' && formPath.startsWith(`${path}/`))
    .toSorted((a, b) => b.length - a.length)[0];
  if (above === undefined) return undefined;
  const { length } = above.split('/');
  return ({ method, url, headers }) => {
    if (!isRead(method) || prefersJson(headers)) return undefined;
    const [path, query] = splitQuery(url);
    return path.split('/').slice(0, length).join('/') + query;
  };
}

const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD';

/** The path and the query of a URL; the query begins with `?` if it is there. */
function splitQuery(url: string): [path: string, query: string] {
  const at = url.indexOf('?');
  return at < 0 ? [url, ''] : [url.slice(0, at), url.slice(at)];
}

function withoutMarks(path: string): string {
  const lower = path.toLowerCase();
  let end = lower.length;
  for (;;) {
    const mark = endings.find((one) => lower.endsWith(one, end));
    if (mark === undefined) return path.slice(0, end) || '/';
    end -= mark.length;
  }
}

/**
 * Returns the path with the page's own texts; undefined if it is not the page's. It begins with a text of the page, so it
 * cannot name another host.
 */
function canonicalPath({ segments }: PagePath, path: string): string | undefined {
  const found = path.split('/');
  if (found.length !== segments.length) return undefined;
  const canonical = [];
  for (const [index, expected] of segments.entries()) {
    const segment = found[index]!;
    if (expected.startsWith('{')) {
      if (segment === '') return undefined;
      canonical.push(isCaseSensitive(expected, segment) ? segment : segment.toLowerCase());
    } else {
      if (segment.toLowerCase() !== expected) return undefined;
      canonical.push(expected);
    }
  }
  return canonical.join('/');
}

/** Slugs and ids are in lower case. Tokens are not, nor is what is percent-encoded. */
const isCaseSensitive = (parameter: string, value: string): boolean =>
  parameter === '{token}' || value.includes('%');
