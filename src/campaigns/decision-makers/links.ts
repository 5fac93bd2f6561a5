import type { Context } from '../../platform/context.ts';

/**
 * Returns the token of a link, 128 bits in base64url. It is derived from the link's id and SECRET: it is not
 * stored, and a mail that is sent again has the same link.
 */
export const linkToken = (ctx: Context, linkId: string): string =>
  ctx.keys.hash('respond-token', 'link', linkId).subarray(0, 16).toString('base64url');

/** The hash by which a link is found. */
export const tokenHash = (ctx: Context, token: string): Buffer =>
  ctx.keys.hash('respond-token', 'stored', token);
