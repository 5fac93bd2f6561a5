import { parseCookie, stringifySetCookie } from 'cookie';
import type { IncomingHttpHeaders } from 'node:http';
import { retentionSeconds } from './retention.ts';

const yearSeconds = 365 * 86_400;

/**
 * Every cookie of the pages: its name and how long browsers keep it, in seconds. The page on privacy lists each
 * (`cookie_…` in locales/<language>/own-pages.json).
 */
export const cookies = {
  /** The login; until the browser is closed for visitors without one, whose forms it protects. */
  login: { name: 'petitions', seconds: retentionSeconds('unused_sessions'), isHostOnly: true },
  /** Accounts that logged in with the browser. */
  known_browser: { name: 'petitions-known-browser', seconds: yearSeconds, isHostOnly: true },
  /** Accounts that were registered with the browser. */
  registration: {
    name: 'petitions-registration',
    seconds: retentionSeconds('unused_sessions'),
    isHostOnly: true,
  },
  /** The language that a visitor chose. Others who set it change no more than the language. */
  language: { name: 'language', seconds: yearSeconds, isHostOnly: false },
  /** What a form has just done; long enough for the redirect. */
  outcome: { name: 'outcome', seconds: 60, isHostOnly: true },
  /** A form that was sent without a login. */
  kept_form: { name: 'kept_form', seconds: retentionSeconds('kept_forms'), isHostOnly: true },
  /** Petitions that are written without an account. */
  drafts: { name: 'drafts', seconds: retentionSeconds('anonymous_drafts'), isHostOnly: true },
} as const;

export type CookieId = keyof typeof cookies;

/** Where cookies are set: the address of the site. */
interface CookieSite {
  config: { baseUrl: string };
}
type SetHeader = (name: string, value: string) => void;

// The prefix keeps other hosts from setting it; browsers accept it over https only (RFC 6265bis).
const hostCookiePrefix = '__Host-';
const isSecure = ({ config }: CookieSite): boolean => config.baseUrl.startsWith('https:');

/** The name by which browsers know the cookie. */
export function cookieName(site: CookieSite, id: CookieId): string {
  const { name, isHostOnly } = cookies[id];
  return isHostOnly && isSecure(site) ? hostCookiePrefix + name : name;
}

export const readCookie = (
  site: CookieSite,
  headers: IncomingHttpHeaders,
  id: CookieId,
): string | undefined => parseCookie(headers.cookie ?? '')[cookieName(site, id)];

interface CookieOptions {
  /** How long the browser keeps it; null is until it is closed. Default: as `cookies` has it. */
  seconds?: number | null;
}

export function setCookie(
  site: CookieSite,
  header: SetHeader,
  id: CookieId,
  value: string,
  { seconds = cookies[id].seconds }: CookieOptions = {},
): void {
  const name = cookieName(site, id);
  header('set-cookie', cookieText(site, { name, value, path: '/', seconds }));
}

export const dropCookie = (site: CookieSite, header: SetHeader, id: CookieId): void =>
  setCookie(site, header, id, '', { seconds: 0 });

/** The Set-Cookie header of any cookie of the pages. */
export const cookieText = (
  site: CookieSite,
  { seconds, ...cookie }: { name: string; value: string; path: string; seconds: number | null },
): string =>
  stringifySetCookie({
    ...cookie,
    ...(seconds !== null && { maxAge: seconds }),
    httpOnly: true,
    sameSite: 'lax',
    secure: isSecure(site),
  });
