import type { IncomingHttpHeaders } from 'node:http';
import type { Context } from '../../platform/context.ts';
import type { Call } from '../../platform/http/route.ts';
import { newId } from '../../platform/ids.ts';
import { equalInConstantTime } from '../../platform/keys.ts';
import { findUser, type UserRow } from '../accounts/accounts.ts';
import { sourceOf, type Sessions } from '../sessions/sessions.ts';
import { dropCookie, readCookie, setCookie, type Browser } from './cookie.ts';
import { knownBrowserOf, rememberAccount } from './known-browser.ts';
import { wasRegisteredIn } from './registration.ts';
import * as queries from './queries.ts';

export type { Browser } from './cookie.ts';
export { knownBrowserOf, rememberAccount } from './known-browser.ts';
export { rememberRegistration } from './registration.ts';

/** Age at which the cookie of a session is renewed. */
const rotationSeconds = 1800;
/** How long requests can still arrive with the previous cookie. */
const overlapSeconds = 60;
/** How often the use of a session is stored at most. */
const useSeconds = 600;

/** Returns the browser of a request, or undefined if its cookie is missing or invalid, or its session ended. */
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
 * Whether a request comes from the browser that registered an unproven account: with the cookie of that registration, or a session,
 * which its password alone can have opened.
 */
export const hasRegistered = (
  ctx: Context,
  sessions: Sessions,
  headers: IncomingHttpHeaders,
  userId: string,
): boolean =>
  wasRegisteredIn(ctx, headers, userId) || browserOf(ctx, sessions, headers)?.userId === userId;

type BrowserCall = Pick<Call, 'ctx' | 'headers' | 'header' | 'ip'>;

/**
 * Returns the browser of a request, and renews the session's cookie when it is old. A previous cookie that
 * arrives long after the browser has used the new one ends the session, since it may have been stolen.
 * Before that, the response with the new cookie may have been lost.
 */
export async function renewBrowser(
  sessions: Sessions,
  call: BrowserCall,
): Promise<Browser | undefined> {
  const { ctx, headers, header } = call;
  const browser = browserOf(ctx, sessions, headers);
  if (!browser?.userId) return browser;
  const { id, generation } = browser;
  const current = await queries.findGeneration(ctx.db, id);
  if (!current) return undefined;
  const behind = current.generation - generation;
  if (behind === 0 && !current.seen) await queries.markSeen(ctx.db, id, generation);
  const isLate = behind === 1 && (current.age < overlapSeconds || !current.seen);
  if (behind !== 0 && !isLate) {
    await sessions.endSession(ctx, id);
    dropCookie(ctx, header);
    return undefined;
  }
  if (current.unused_for > useSeconds) await sessions.recordUse(ctx, id, sourceOf(call));
  if (behind === 0 && current.age < rotationSeconds) return browser;
  if (behind === 0) await queries.rotate(ctx.db, id, generation);
  const renewed = { ...browser, generation: generation + 1 };
  setCookie(ctx, header, renewed);
  return renewed;
}

/** Sets a cookie for a browser without login, so that its forms can be verified. */
export function setVisitorCookie(ctx: Context, header: Call['header'], known?: Browser): Browser {
  // Keeps the id of a visitor, so that forms in other windows stay valid, but never that of a session.
  const id = known && !known.userId ? known.id : newId();
  const browser = { id, userId: null, generation: 0 };
  setCookie(ctx, header, browser);
  return browser;
}

/** Logs a user in. The session is new, to prevent session fixation. */
export async function logInBrowser(
  sessions: Sessions,
  call: BrowserCall,
  userId: string,
): Promise<Browser> {
  const { ctx, header } = call;
  const id = await sessions.createSession(ctx, userId, sourceOf(call));
  await queries.insertBrowserSession(ctx.db, id);
  const browser = { id, userId, generation: 1 };
  setCookie(ctx, header, browser);
  return browser;
}

/**
 * Logs a user in with a password, and remembers the browser.
 * @throws {Problem} as `Sessions.verifyLogin`
 */
export async function logInWithPassword(
  sessions: Sessions,
  call: BrowserCall,
  { email, password }: { email: string; password: string },
): Promise<Browser> {
  const { ctx, headers, ip } = call;
  const browserId = await knownBrowserOf(ctx, headers, email);
  const user = await sessions.verifyLogin(ctx, { email, password, ip, browserId });
  rememberAccount(call, user);
  return logInBrowser(sessions, call, user.id);
}

/** Ends the browser's session. */
export async function logOutBrowser(
  ctx: Context,
  sessions: Sessions,
  header: Call['header'],
  browser: Browser,
): Promise<void> {
  if (browser.userId) await sessions.endSession(ctx, browser.id);
  dropCookie(ctx, header);
}

/** Returns the user of a browser, or undefined if the account is suspended. */
export async function userOf(ctx: Context, userId: string | null): Promise<UserRow | undefined> {
  const user = userId ? await findUser(ctx.db, userId) : undefined;
  return user?.suspended_at ? undefined : user;
}

/** Returns the CSRF token of a browser's forms. */
export const formTokenOf = (ctx: Context, browser: Browser): string =>
  ctx.keys.hash('form-token', browser.id).toString('base64url');

export const isFormTokenOf = (ctx: Context, browser: Browser, token: string): boolean =>
  equalInConstantTime(token, formTokenOf(ctx, browser));

/**
 * Returns whether a form can come from a page of this service, by Sec-Fetch-Site (sent over secure
 * connections only) and Origin. That is "null" for pages that send no referrer, and for sandboxed frames of others, so that
 * it takes the other header to tell.
 */
export function isFromOwnPage(ctx: Context, headers: IncomingHttpHeaders): boolean {
  const { origin, host } = headers;
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  if (origin === undefined) return true;
  if (origin === 'null') return site !== undefined;
  return [host, new URL(ctx.config.baseUrl).host].includes(URL.parse(origin)?.host);
}

/** Returns whether the browser has stated the origin of a form. */
export const hasOrigin = ({ origin, 'sec-fetch-site': site }: IncomingHttpHeaders): boolean =>
  site === 'same-origin' || (origin !== undefined && origin !== 'null');
