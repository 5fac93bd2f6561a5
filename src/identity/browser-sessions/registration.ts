import type { IncomingHttpHeaders } from 'node:http';
import { cookies } from '../../platform/cookies.ts';
import type { Context } from '../../platform/context.ts';
import type { Call } from '../../platform/http/route.ts';
import { readSealedCookie, setSealedCookie } from './cookie.ts';

const kind = 'registration' as const;
const { seconds: maxAge } = cookies.registration;
const maxAccounts = 5;

/** Remembers in the browser that an account was registered there. */
export function rememberRegistration(
  { ctx, headers, header }: Pick<Call, 'ctx' | 'headers' | 'header'>,
  userId: string,
): void {
  const { accounts = [] } = readSealedCookie(ctx, headers, kind) ?? {};
  setSealedCookie(
    ctx,
    header,
    kind,
    { accounts: [userId, ...accounts].slice(0, maxAccounts) },
    { expiresAt: ctx.now().getTime() + maxAge * 1000, maxAge },
  );
}

/** Whether the browser has the cookie of the account's registration. */
export const wasRegisteredIn = (
  ctx: Context,
  headers: IncomingHttpHeaders,
  userId: string,
): boolean => readSealedCookie(ctx, headers, kind)?.accounts.includes(userId) ?? false;
