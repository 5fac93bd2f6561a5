import type { IncomingHttpHeaders } from 'node:http';
import type { Context } from '../../platform/context.ts';
import type { Call } from '../../platform/http/route.ts';
import * as siteCookies from '../../platform/cookies.ts';

/** Content of the encrypted cookie of a browser. The API does not accept it. */
export interface Browser {
  /** Id of the session, or a random one without a login. */
  id: string;
  userId: string | null;
  /** How many times the session's cookie was renewed. */
  generation: number;
}

/** Lifetimes in milliseconds of an unused session, and of forms without login. */
const lifetimes = { session: siteCookies.cookies.login.seconds * 1000, visit: 3_600_000 };

/**
 * Content of the cookie that outlives a login, so that others who guess passwords cannot lock a person out of their
 * account (OWASP Authentication Cheat Sheet, "Device cookies").
 */
export interface KnownBrowser {
  id: string;
  /** Keyed hashes of the accounts that logged in here, newest first. */
  accounts: string[];
}

/** Content of the cookie of a browser that registered accounts. */
export interface RegisteringBrowser {
  /** Ids of the accounts, newest first. */
  accounts: string[];
}

interface Contents {
  login: Browser;
  'known-browser': KnownBrowser;
  registration: RegisteringBrowser;
}
type Kind = keyof Contents;

const cookieIds = {
  login: 'login',
  'known-browser': 'known_browser',
  registration: 'registration',
} as const;

/** Returns the content of the login cookie, or undefined if it is missing, expired or forged. */
export const readCookie = (ctx: Context, headers: IncomingHttpHeaders): Browser | undefined =>
  readSealedCookie(ctx, headers, 'login');

/** Sets the login cookie. Without a login it is a session cookie. */
export function setCookie(ctx: Context, header: Call['header'], browser: Browser): void {
  const lifetime = browser.userId ? lifetimes.session : lifetimes.visit;
  setSealedCookie(ctx, header, 'login', browser, {
    expiresAt: ctx.now().getTime() + lifetime,
    maxAge: browser.userId ? lifetime / 1000 : undefined,
  });
}

/** Ends the login in the browser, and what the pages keep there for its user. */
export function dropCookie(ctx: Context, header: Call['header']): void {
  siteCookies.dropCookie(ctx, header, 'login');
  siteCookies.dropCookie(ctx, header, 'kept_form');
}

/** Returns the content of an encrypted cookie, or undefined if it is missing, expired or forged. */
export function readSealedCookie<K extends Kind>(
  ctx: Context,
  headers: IncomingHttpHeaders,
  kind: K,
): Contents[K] | undefined {
  const sealed = siteCookies.readCookie(ctx, headers, cookieIds[kind]);
  if (!sealed) return undefined;
  try {
    const text = ctx.keys.unseal(`${kind}-cookie`, Buffer.from(sealed, 'base64url'));
    const { expiresAt, ...content } = JSON.parse(text) as Contents[K] & { expiresAt: number };
    return expiresAt > ctx.now().getTime() ? (content as unknown as Contents[K]) : undefined;
  } catch {
    return undefined;
  }
}

interface Lifetime {
  /** In milliseconds since 1970. */
  expiresAt: number;
  /** Seconds for which the browser keeps it; by default until it is closed. */
  maxAge: number | undefined;
}

export function setSealedCookie<K extends Kind>(
  ctx: Context,
  header: Call['header'],
  kind: K,
  content: Contents[K],
  { expiresAt, maxAge }: Lifetime,
): void {
  const text = JSON.stringify({ ...content, expiresAt });
  const sealed = ctx.keys.seal(`${kind}-cookie`, text).toString('base64url');
  siteCookies.setCookie(ctx, header, cookieIds[kind], sealed, { seconds: maxAge ?? null });
}
