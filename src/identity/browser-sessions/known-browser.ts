import type { IncomingHttpHeaders } from 'node:http';
import { cookies } from '../../platform/cookies.ts';
import type { Context } from '../../platform/context.ts';
import type { Call } from '../../platform/http/route.ts';
import { newId } from '../../platform/ids.ts';
import { findProof, isProven, type UserRow } from '../accounts/accounts.ts';
import { readSealedCookie, setSealedCookie, type KnownBrowser } from './cookie.ts';

const kind = 'known-browser' as const;
const { seconds: lifetimeSeconds } = cookies.known_browser;
const maxAccounts = 5;

/**
 * Names an account in the cookie. It is another one after the next proof of the address, so that nothing is left to who held the
 * account before.
 */
const nameOf = (
  { keys }: Context,
  { id, email_verified_at: provenAt }: { id: string | null; email_verified_at: Date | null },
): string =>
  keys.hash('known-account', String(id), String(provenAt?.getTime())).toString('base64url');

/** Returns the id of the browser of a request if the account of this address has logged in there since its last proof. */
export async function knownBrowserOf(
  ctx: Context,
  headers: IncomingHttpHeaders,
  email: string,
): Promise<string | undefined> {
  const browser = readSealedCookie(ctx, headers, kind);
  if (!browser) return undefined;
  // Anybody has such a cookie of their own account: its time must not tell whether the address has one.
  const proof = await findProof(ctx.db, email);
  const isKnown = browser.accounts.includes(nameOf(ctx, proof));
  return isKnown && proof.email_verified_at !== null ? browser.id : undefined;
}

/** Remembers in the browser that an account has logged in there, once its address is proven. */
export function rememberAccount(
  { ctx, headers, header }: Pick<Call, 'ctx' | 'headers' | 'header'>,
  user: UserRow,
): void {
  if (!isProven(user)) return;
  const account = nameOf(ctx, user);
  const { id = newId(), accounts = [] } = readSealedCookie(ctx, headers, kind) ?? {};
  const others = accounts.filter((known) => known !== account);
  const browser: KnownBrowser = { id, accounts: [account, ...others].slice(0, maxAccounts) };
  setSealedCookie(ctx, header, kind, browser, {
    expiresAt: ctx.now().getTime() + lifetimeSeconds * 1000,
    maxAge: lifetimeSeconds,
  });
}
