import type { Context } from '../../platform/context.ts';

/**
 * The token of the link, 128 bits in base64url. It follows from the id and SECRET, as the code does, so that
 * neither is stored, and a mail that is tried again says the same.
 */
export const tokenOf = (ctx: Context, id: string): string =>
  ctx.keys.hash('pending-signature', 'link', id).subarray(0, 16).toString('base64url');

/** Under what a pending signature is found by its token. */
export const tokenHash = (ctx: Context, token: string): Buffer =>
  ctx.keys.hash('pending-signature', 'stored', token);

/** The code, 6 digits. */
export const codeOf = (ctx: Context, id: string): string =>
  String(ctx.keys.hash('pending-signature', 'code', id).readBigUInt64BE() % 1_000_000n).padStart(
    6,
    '0',
  );

/** By what the browser is known again that sent the form. */
export const browserHash = (ctx: Context, browserId: string): Buffer =>
  ctx.keys.hash('pending-signature', 'browser', browserId);
