import type { Context } from '../../platform/context.ts';

/**
 * Returns the token of the link, 128 bits in base64url. Token and code are derived from the id and SECRET:
 * neither is stored, and a mail that is sent again has the same ones.
 */
export const linkToken = (ctx: Context, id: string): string =>
  ctx.keys.hash('pending-signature', 'link', id).subarray(0, 16).toString('base64url');

/** The hash by which a pending signature is found. */
export const tokenHash = (ctx: Context, token: string): Buffer =>
  ctx.keys.hash('pending-signature', 'stored', token);

/** Returns the code of 6 digits. */
export const confirmationCode = (ctx: Context, id: string): string =>
  String(ctx.keys.hash('pending-signature', 'code', id).readBigUInt64BE() % 1_000_000n).padStart(
    6,
    '0',
  );

/** The hash by which the browser that sent the form is recognized. */
export const browserHash = (ctx: Context, browserId: string): Buffer =>
  ctx.keys.hash('pending-signature', 'browser', browserId);

/** Whether this browser sent the form of a pending signature. */
export const isFromBrowser = (
  ctx: Context,
  { browser_hash: hash }: { browser_hash: Buffer | null },
  browserId: string | undefined,
): boolean => browserId !== undefined && hash?.equals(browserHash(ctx, browserId)) === true;
