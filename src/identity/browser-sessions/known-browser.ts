import type { IncomingHttpHeaders } from 'node:http';
import { cookies } from '../../platform/cookies.ts';
import type { Context } from '../../platform/context.ts';
import type { Call } from '../../platform/http/route.ts';
import { newId } from '../../platform/ids.ts';
import { readSealedCookie, setSealedCookie, type KnownBrowser } from './cookie.ts';

const kind = 'known-browser' as const;
const { seconds: lifetimeSeconds } = cookies.known_browser;
const maxAccounts = 5;

/** Returns the id of the browser of a request if the account has logged in there before. */
export function browserKnownTo(
  ctx: Context,
  headers: IncomingHttpHeaders,
  account: string,
): string | undefined {
  const browser = readSealedCookie(ctx, headers, kind);
  return browser?.accounts.includes(account) ? browser.id : undefined;
}

/** Remembers in the browser that the account has logged in there. */
export function rememberBrowser(
  { ctx, headers, header }: Pick<Call, 'ctx' | 'headers' | 'header'>,
  account: string,
): void {
  const { id = newId(), accounts = [] } = readSealedCookie(ctx, headers, kind) ?? {};
  const others = accounts.filter((known) => known !== account);
  const browser: KnownBrowser = { id, accounts: [account, ...others].slice(0, maxAccounts) };
  setSealedCookie(ctx, header, kind, browser, {
    expiresAt: ctx.now().getTime() + lifetimeSeconds * 1000,
    maxAge: lifetimeSeconds,
  });
}
