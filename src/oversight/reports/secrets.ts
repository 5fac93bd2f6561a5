import type { Context } from '../../platform/context.ts';

/**
 * Returns the token of the link, 128 bits in base64url. Token and code are derived from the id: neither is stored, and a
 * mail that is sent again has the same ones.
 */
export const linkToken = ({ keys }: Context, id: string): string =>
  keys.hash('pending-report', 'link', id).subarray(0, 16).toString('base64url');

/** The hash by which a pending report is found. */
export const tokenHash = ({ keys }: Context, token: string): Buffer =>
  keys.hash('pending-report', 'stored', token);

/** Returns the code of 6 digits. */
export const codeOf = ({ keys }: Context, id: string): string =>
  String(keys.hash('pending-report', 'code', id).readBigUInt64BE() % 1_000_000n).padStart(6, '0');

/** The hash by which the browser that sent the form is recognized. */
export const browserHash = ({ keys }: Context, browserId: string): Buffer =>
  keys.hash('pending-report', 'browser', browserId);
