import { parseCookie, stringifySetCookie } from 'cookie';
import type { IncomingHttpHeaders } from 'node:http';
import type { Context } from '../../platform/context.ts';
import type { Call } from '../../platform/http/route.ts';

/**
 * A browser that looks at the pages, as its cookie says. The cookie is encrypted and opens no call of the
 * API.
 */
export interface Browser {
  /** Of the session; of a browser where nobody is logged in, just a number of its own. */
  id: string;
  userId: string | null;
  /** How many times the session's cookie was given anew. */
  generation: number;
}

/** How long a browser stays logged in that is not used, and how long a form may wait without login. */
const lifetimes = { session: 30 * 86_400_000, visit: 3_600_000 };

// With this prefix no other host can set it; browsers keep it over https only (RFC 6265bis).
const cookieName = (ctx: Context) => (isSecure(ctx) ? '__Host-petitions' : 'petitions');
const isSecure = (ctx: Context) => ctx.config.baseUrl.startsWith('https:');

/** What the cookie says, or undefined where it is missing, expired or not of our making. */
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

/** Gives the browser its cookie. Without a login it ends with the browser. */
export function setCookie(ctx: Context, header: Call['header'], browser: Browser): void {
  const lifetime = browser.userId ? lifetimes.session : lifetimes.visit;
  const expiresAt = ctx.now().getTime() + lifetime;
  const text = JSON.stringify({ ...browser, expiresAt });
  send(ctx, header, {
    value: ctx.keys.seal('login-cookie', text).toString('base64url'),
    ...(browser.userId && { maxAge: lifetime / 1000 }),
  });
}

export const dropCookie = (ctx: Context, header: Call['header']): void =>
  send(ctx, header, { value: '', maxAge: 0 });

function send(
  ctx: Context,
  header: Call['header'],
  cookie: { value: string; maxAge?: number },
): void {
  header(
    'set-cookie',
    stringifySetCookie({
      name: cookieName(ctx),
      ...cookie,
      path: '/',
      httpOnly: true,
      sameSite: 'lax',
      secure: isSecure(ctx),
    }),
  );
}
