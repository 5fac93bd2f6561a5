import { dropCookie, readCookie, setCookie } from '../../platform/cookies.ts';
import type { Call } from '../../platform/http/route.ts';

/** Query parameters by which form handlers say what was done. They never stand in an address. */
const names = ['done', 'number'] as const;

/** What a form has just done. `done` names a text; `number` is the count after a signature. */
export type Outcome = Partial<Record<(typeof names)[number], string>>;

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
  setCookie(ctx, header, 'outcome', `${url.pathname}?${outcome.toString()}`);
  return url.pathname + url.search + url.hash;
}

/** Returns the outcome that the page of this path reports, from the browser's cookie, and removes the cookie. */
export function readOutcome({
  ctx,
  header,
  headers,
  url,
}: Pick<Call, 'ctx' | 'header' | 'headers' | 'url'>): Outcome | undefined {
  const value = readCookie(ctx, headers, 'outcome');
  if (value === undefined || !URL.canParse(value, base)) return undefined;
  const { pathname, searchParams } = new URL(value, base);
  if (pathname !== new URL(url, base).pathname) return undefined;
  dropCookie(ctx, header, 'outcome');
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
