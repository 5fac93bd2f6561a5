import type { IncomingHttpHeaders } from 'node:http';
import type { Context } from '../../platform/context.ts';
import type { Call } from '../../platform/http/route.ts';
import { newId } from '../../platform/ids.ts';
import { equalInConstantTime } from '../../platform/keys.ts';
import { findUser, type UserRow } from '../accounts/accounts.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { dropCookie, readCookie, setCookie, type Browser } from './cookie.ts';
import * as queries from './queries.ts';

export type { Browser } from './cookie.ts';

/** The cookie of a session in use is given anew this often, in seconds. */
const rotationSeconds = 1800;
/** For so long after that, in seconds, requests may still be under way with the one before. */
const overlapSeconds = 60;

/** The browser of a request, or undefined where its cookie is missing, old, or of an ended session. */
export function browserOf(
  ctx: Context,
  sessions: Sessions,
  headers: IncomingHttpHeaders,
): Browser | undefined {
  const browser = readCookie(ctx, headers);
  if (!browser?.userId) return browser;
  return sessions.revocations.revocationOf(browser.id, browser.userId) ? undefined : browser;
}

/**
 * The same, where the session's cookie is also given anew when it is time. One before it that comes long after
 * the new one was used ends the session, since one of the two who hold them stole it; while the new one was not,
 * the answer that carried it may have been lost on the way.
 */
export async function keepBrowser(
  sessions: Sessions,
  { ctx, headers, header }: Pick<Call, 'ctx' | 'headers' | 'header'>,
): Promise<Browser | undefined> {
  const browser = browserOf(ctx, sessions, headers);
  if (!browser?.userId) return browser;
  const { id, generation } = browser;
  const known = await queries.findGeneration(ctx.db, id);
  if (!known) return undefined;
  const behind = known.generation - generation;
  if (behind === 0 && !known.seen) await queries.noteSeen(ctx.db, id, generation);
  if (behind === 0 && known.age < rotationSeconds) return browser;
  if (behind === 0 || (behind === 1 && (known.age < overlapSeconds || !known.seen))) {
    if (behind === 0) await queries.rotate(ctx.db, id, generation);
    const renewed = { ...browser, generation: generation + 1 };
    setCookie(ctx, header, renewed);
    return renewed;
  }
  await sessions.end(ctx, id);
  dropCookie(ctx, header);
  return undefined;
}

/** Knows a browser again where nobody is logged in, so that its forms can be told from others'. */
export function knowVisitor(ctx: Context, header: Call['header'], known?: Browser): Browser {
  // Kept where there is one, so that a form in another window still counts; never that of a session.
  const id = known && !known.userId ? known.id : newId();
  const browser = { id, userId: null, generation: 0 };
  setCookie(ctx, header, browser);
  return browser;
}

/** Logs a user in at the browser, under a new session, so that nobody can have known its id before. */
export async function logInBrowser(
  ctx: Context,
  sessions: Sessions,
  header: Call['header'],
  userId: string,
): Promise<Browser> {
  const id = await sessions.begin(ctx, userId);
  await queries.insertBrowserSession(ctx.db, id);
  const browser = { id, userId, generation: 1 };
  setCookie(ctx, header, browser);
  return browser;
}

/** Ends the browser's session. */
export async function logOutBrowser(
  ctx: Context,
  sessions: Sessions,
  header: Call['header'],
  browser: Browser,
): Promise<void> {
  if (browser.userId) await sessions.end(ctx, browser.id);
  dropCookie(ctx, header);
}

/** Who is logged in there; nobody whose account is suspended. */
export async function userOf(ctx: Context, userId: string | null): Promise<UserRow | undefined> {
  const user = userId ? await findUser(ctx.db, userId) : undefined;
  return user?.suspended_at ? undefined : user;
}

/** What forms of a browser's pages bring back, so that other sites cannot send them. */
export const formTokenOf = (ctx: Context, browser: Browser): string =>
  ctx.keys.hash('form-token', browser.id).toString('base64url');

export const isFormTokenOf = (ctx: Context, browser: Browser, token: string): boolean =>
  equalInConstantTime(token, formTokenOf(ctx, browser));

/**
 * Whether a form can come from a page of ours. Browsers say so by Sec-Fetch-Site, where the connection
 * is secure, and by Origin; that is "null" where our page sends no referrer.
 */
export function isFromOwnPage(ctx: Context, headers: IncomingHttpHeaders): boolean {
  const { origin, host } = headers;
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  if (origin === undefined || origin === 'null') return true;
  return [host, new URL(ctx.config.baseUrl).host].includes(URL.parse(origin)?.host);
}

/** Whether the browser has said whence a form comes. */
export const tellsOrigin = ({ origin, 'sec-fetch-site': site }: IncomingHttpHeaders): boolean =>
  site === 'same-origin' || (origin !== undefined && origin !== 'null');
