import { parseCookie, stringifySetCookie } from 'cookie';
import { cookies } from '../../platform/cookies.ts';
import type { Call } from '../../platform/http/route.ts';

/** Query parameters by which form handlers say what was done. They never stand in an address. */
const names = ['done', 'number'] as const;

/** What a form has just done. `done` names a text; `number` is the count after a signature. */
export type Outcome = Partial<Record<(typeof names)[number], string>>;

/** A page that is opened later reports nothing. */
const { name: cookieName, seconds: maxAgeSeconds } = cookies.outcome;
const base = 'http://own.invalid';

/** Moves the outcome from the address of a redirect into a cookie, which the page behind it shows once. */
export function takeOutcome(
  address: string,
  { ctx, header }: Pick<Call, 'ctx' | 'header'>,
): string {
  if (!address.startsWith('/')) return address;
  const url = new URL(address, base);
  const outcome = new URLSearchParams();
  for (const name of names) {
    const value = url.searchParams.get(name);
    if (value !== null) outcome.set(name, value);
    url.searchParams.delete(name);
  }
  if (outcome.size === 0) return address;
  header(
    'set-cookie',
    cookie(
      `${url.pathname}?${outcome.toString()}`,
      maxAgeSeconds,
      ctx.config.baseUrl.startsWith('https:'),
    ),
  );
  return url.pathname + url.search + url.hash;
}

/** Returns the outcome that the page of this path reports, from the browser's cookie, and removes the cookie. */
export function readOutcome({
  ctx,
  header,
  headers,
  url,
}: Pick<Call, 'ctx' | 'header' | 'headers' | 'url'>): Outcome | undefined {
  const value = parseCookie(headers.cookie ?? '')[cookieName];
  if (value === undefined || !URL.canParse(value, base)) return undefined;
  const { pathname, searchParams } = new URL(value, base);
  if (pathname !== new URL(url, base).pathname) return undefined;
  header('set-cookie', cookie('', 0, ctx.config.baseUrl.startsWith('https:')));
  return Object.fromEntries(
    names.flatMap((name) => {
      const found = searchParams.get(name);
      return found === null ? [] : [[name, found]];
    }),
  );
}

/** Removes the outcome that somebody wrote into an address. */
export const withoutOutcome = (query: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(query).filter(([name]) => !names.some((reserved) => reserved === name)),
  );

const cookie = (value: string, maxAge: number, secure: boolean): string =>
  stringifySetCookie({
    name: cookieName,
    value,
    path: '/',
    maxAge,
    httpOnly: true,
    sameSite: 'lax',
    secure,
  });
