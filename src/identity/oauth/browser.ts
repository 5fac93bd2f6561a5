import { parseCookie, stringifySetCookie } from 'cookie';
import type { IncomingHttpHeaders } from 'node:http';
import type { Context } from '../../platform/context.ts';
import type { Call } from '../../platform/http/route.ts';
import { forbidden } from '../../platform/problems.ts';
import { findUser, type UserRow } from '../accounts/accounts.ts';
import type { Sessions } from '../sessions/sessions.ts';

/** How long a browser stays logged in, and how long a form may wait, in milliseconds. */
const loginLifetime = 3_600_000;
const formLifetime = 1_800_000;

/**
 * A browser that looks at the pages, as its cookie says. The cookie is encrypted, opens no call of the
 * API, and ends with the browser, after an hour, or with the session behind it.
 */
export interface Browser {
  /** Of the session; of a browser where nobody is logged in, just a number of its own. */
  id: string;
  userId: string | null;
  expiresAt: number;
}

/** What a form of ours brings back: to whom it was given, and what for. */
export interface Ticket {
  form: 'login' | 'consent';
  /** The browser's; or that of a bearer token, where one was shown. */
  sessionId: string;
  /** There is no cookie to hold the ticket against: who got it had a bearer token. */
  bearer: boolean;
  userId: string | null;
  /** The request for authorization, as a query. */
  query: string;
  /** What the user is asked to allow, with spaces between. */
  scope: string;
  expiresAt: number;
}

/** What is sealed, by the purpose of its key. */
interface Sealed {
  'login-cookie': Browser;
  'oauth-form': Ticket;
}

// With this prefix no other host can set it; browsers keep it over https only (RFC 6265bis).
const cookieName = (ctx: Context) => (isSecure(ctx) ? '__Host-petitions-login' : 'petitions-login');
const isSecure = (ctx: Context) => ctx.config.baseUrl.startsWith('https:');

/** The browser of a request, or undefined where its cookie is missing, old, or of an ended session. */
export function browserOf(
  ctx: Context,
  sessions: Sessions,
  headers: IncomingHttpHeaders,
): Browser | undefined {
  const cookie = parseCookie(headers.cookie ?? '')[cookieName(ctx)];
  const browser = open(ctx, 'login-cookie', cookie);
  if (!browser?.userId) return browser;
  return sessions.standing.withdrawn(browser.id, browser.userId) ? undefined : browser;
}

/** Who is logged in there. */
export async function userOf(ctx: Context, userId: string | null): Promise<UserRow | undefined> {
  const user = userId ? await findUser(ctx.db, userId) : undefined;
  return user?.suspended_at ? undefined : user;
}

/** Gives the browser its cookie, for an hour from now. */
export function remember(
  ctx: Context,
  header: Call['header'],
  browser: Omit<Browser, 'expiresAt'>,
): void {
  const expiresAt = ctx.now().getTime() + loginLifetime;
  const value = seal(ctx, 'login-cookie', { ...browser, expiresAt });
  header(
    'set-cookie',
    stringifySetCookie({
      name: cookieName(ctx),
      value,
      path: '/',
      httpOnly: true,
      sameSite: 'lax',
      secure: isSecure(ctx),
    }),
  );
}

/** Seals what a form must bring back. */
export const issueTicket = (ctx: Context, ticket: Omit<Ticket, 'expiresAt'>): string =>
  seal(ctx, 'oauth-form', { ...ticket, expiresAt: ctx.now().getTime() + formLifetime });

/**
 * What a form brings back.
 * @throws {Problem} forbidden where another site sent it, or another browser, or it is too old
 */
export function redeemTicket(
  ctx: Context,
  sessions: Sessions,
  headers: IncomingHttpHeaders,
  { form, text }: { form: Ticket['form']; text: string },
): Ticket {
  if (!isFromOwnPage(ctx, headers)) throw forbidden('This form was sent from another site.');
  const ticket = open(ctx, 'oauth-form', text);
  if (ticket?.form !== form || !isGivenTo(ctx, sessions, headers, ticket)) {
    throw forbidden('This page is too old. Go back to the application, and begin again.');
  }
  return ticket;
}

function isGivenTo(
  ctx: Context,
  sessions: Sessions,
  headers: IncomingHttpHeaders,
  { sessionId, bearer, userId }: Ticket,
): boolean {
  if (!bearer) return browserOf(ctx, sessions, headers)?.id === sessionId;
  return userId !== null && !sessions.standing.withdrawn(sessionId, userId);
}

/**
 * Whether a form can come from a page of ours. Browsers say so by Sec-Fetch-Site, where the connection
 * is secure, and by Origin; that is "null" for our own pages too, since they send no referrer.
 */
function isFromOwnPage(ctx: Context, headers: IncomingHttpHeaders): boolean {
  const { origin, host } = headers;
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  if (origin === undefined || origin === 'null') return true;
  return [host, new URL(ctx.config.baseUrl).host].includes(URL.parse(origin)?.host);
}

const seal = <P extends keyof Sealed>(ctx: Context, purpose: P, value: Sealed[P]): string =>
  ctx.keys.seal(purpose, JSON.stringify(value)).toString('base64url');

/** What `seal` made, or undefined where it was not made here or has expired. */
function open<P extends keyof Sealed>(
  ctx: Context,
  purpose: P,
  sealed: string | undefined,
): Sealed[P] | undefined {
  if (!sealed) return undefined;
  try {
    const text = ctx.keys.unseal(purpose, Buffer.from(sealed, 'base64url'));
    const value = JSON.parse(text) as Sealed[P];
    return value.expiresAt > ctx.now().getTime() ? value : undefined;
  } catch {
    return undefined;
  }
}
