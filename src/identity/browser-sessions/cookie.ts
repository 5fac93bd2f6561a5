import { parseCookie, stringifySetCookie } from 'cookie';
import type { IncomingHttpHeaders } from 'node:http';
import type { Context } from '../../platform/context.ts';
import type { Call } from '../../platform/http/route.ts';

/** Content of the encrypted cookie of a browser. The API does not accept it. */
export interface Browser {
  /** Id of the session, or a random one without a login. */
  id: string;
  userId: string | null;
  /** How many times the session's cookie was renewed. */
  generation: number;
}

/** Lifetimes in milliseconds of an unused session, and of forms without login. */
const lifetimes = { session: 30 * 86_400_000, visit: 3_600_000 };

// The prefix keeps other hosts from setting it; browsers accept it over https only (RFC 6265bis).
const cookieName = (ctx: Context) => (isSecure(ctx) ? '__Host-petitions' : 'petitions');
const isSecure = (ctx: Context) => ctx.config.baseUrl.startsWith('https:');

/** Returns the content of the cookie, or undefined if it is missing, expired or forged. */
export function readCookie(ctx: Context, headers: IncomingHttpHeaders): Browser | undefined {
  const sealed = parseCookie(headers.cookie ?? '')[cookieName(ctx)];
  if (!sealed) return undefined;
  try {
    const text = ctx.keys.unseal('login-cookie', Buffer.from(sealed, 'base64url'));
    const { expiresAt, ...browser } = JSON.parse(text) as Browser & { expiresAt: number };
    return expiresAt > ctx.now().getTime() ? browser : undefined;
  } catch {
    return undefined;
  }
}

/** Sets the cookie. Without a login it is a session cookie. */
export function setCookie(ctx: Context, header: Call['header'], browser: Browser): void {
  const lifetime = browser.userId ? lifetimes.session : lifetimes.visit;
  const expiresAt = ctx.now().getTime() + lifetime;
  const text = JSON.stringify({ ...browser, expiresAt });
  const sealed = ctx.keys.seal('login-cookie', text).toString('base64url');
  send(ctx, header, sealed, browser.userId ? lifetime / 1000 : undefined);
}

export const dropCookie = (ctx: Context, header: Call['header']): void => send(ctx, header, '', 0);

function send(ctx: Context, header: Call['header'], value: string, maxAge?: number): void {
  const name = cookieName(ctx);
  const protection = { httpOnly: true, sameSite: 'lax', secure: isSecure(ctx) } as const;
  header('set-cookie', stringifySetCookie({ name, value, maxAge, path: '/', ...protection }));
}
