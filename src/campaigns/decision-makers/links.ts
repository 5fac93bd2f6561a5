import type { Context } from '../../platform/context.ts';

/**
 * The token of a link, 128 bits in base64url. It follows from the link's id and SECRET, so that it
 * need not be stored for the job that mails it, and a mail that is tried again has the same link.
 */
export const tokenOf = (ctx: Context, linkId: string): string =>
  ctx.keys.hash('respond-token', 'link', linkId).subarray(0, 16).toString('base64url');

/** Under what a link is found by its token. */
export const tokenHash = (ctx: Context, token: string): Buffer =>
  ctx.keys.hash('respond-token', 'stored', token);
