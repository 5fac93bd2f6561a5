import type { Context } from '../../platform/context.ts';
import type { Call, Caller } from '../../platform/http/route.ts';
import type { Asset } from '../../platform/pages/assets.ts';
import { languageOf, type Language } from '../../platform/pages/language.ts';
import { speak, type Say } from '../../platform/pages/catalog.ts';
import type { UserRow } from '../../identity/accounts/accounts.ts';
import {
  renewBrowser,
  userOf,
  type Browser,
} from '../../identity/browser-sessions/browser-sessions.ts';
import type { Sessions } from '../../identity/sessions/sessions.ts';
import { unauthorized } from '../../platform/problems.ts';
import { countUnread } from '../../reach/notifications/notifications.ts';
import { ForeignPictures } from './foreign-pictures.ts';
import { readOutcome, type Outcome } from './outcome.ts';
import type { RefusedInput } from './refused-form.ts';
import { siteTexts, type SiteText } from './texts.ts';

/** A user who is logged in. */
export interface Viewer {
  user: UserRow;
  /** Caller of domain functions. */
  caller: Caller;
  /** Unread notifications. */
  unread: number;
}

/** The request of a page or form. */
export interface View {
  ctx: Context;
  header: Call['header'];
  headers: Call['headers'];
  /** Of the client. */
  ip: string;
  /** GET or HEAD of a page. */
  method: string;
  /** Path and query. */
  path: string;
  language: Language;
  say: Say<SiteText>;
  browser: Browser | undefined;
  viewer: Viewer | null;
  /** Pictures of other hosts on the page. */
  pictures: ForeignPictures;
  /** Scripts of fields on the page. */
  fieldScripts: Set<Asset>;
  /** What a form has just done, to be reported by this page. */
  outcome?: Outcome | undefined;
  /** The form that the page shows again, if it was refused. */
  refused?: RefusedInput;
}

/** Caller of domain functions; null for viewers who are not logged in. */
export const callerOf = ({ viewer }: View): Caller | null => viewer?.caller ?? null;

export async function viewOf(sessions: Sessions, call: Call): Promise<View> {
  const { ctx, header, headers, ip, method, url: path } = call;
  const browser = await renewBrowser(sessions, call);
  const language = languageOf(headers, ctx.site.current);
  return {
    ctx,
    header,
    headers,
    ip,
    method,
    path,
    language,
    say: speak(siteTexts, language),
    browser,
    pictures: new ForeignPictures(),
    fieldScripts: new Set(),
    viewer: await viewerOf(ctx, sessions, browser),
    ...(method === 'GET' && { outcome: readOutcome(call) }),
  };
}

/**
 * The same request, by the user who has just logged in.
 * @throws {Problem} unauthorized if the account has gone meanwhile
 */
export async function viewAs(
  view: View,
  sessions: Sessions,
  browser: Browser,
): Promise<View & { viewer: Viewer }> {
  const viewer = await viewerOf(view.ctx, sessions, browser);
  if (!viewer) throw unauthorized('This account no longer exists.');
  return { ...view, browser, viewer };
}

async function viewerOf(
  ctx: Context,
  sessions: Sessions,
  browser: Browser | undefined,
): Promise<Viewer | null> {
  const user = browser && (await userOf(ctx, browser.userId));
  if (!user) return null;
  const caller: Caller = {
    userId: user.id,
    role: sessions.revocations.roleOf(user.id),
    sessionId: browser.id,
    tokenId: browser.id,
    expiresAt: Infinity,
    credential: { kind: 'login' },
  };
  const { unread_count: unread } = await countUnread(ctx, caller);
  return { user, caller, unread };
}
