import type { Context } from './context.ts';
import type { KeyPurpose } from './keys.ts';

/**
 * The secrets of what a mail confirms, by a link or by a code. They are derived from its id: none is stored, and a mail
 * that is sent again has the same ones.
 */
export const mailedSecrets = (purpose: KeyPurpose) => ({
  /** Returns the token of the link, 128 bits in base64url. */
  linkToken: ({ keys }: Context, id: string): string =>
    keys.hash(purpose, 'link', id).subarray(0, 16).toString('base64url'),

  /** The hash by which the token finds what it confirms. */
  tokenHash: ({ keys }: Context, token: string): Buffer => keys.hash(purpose, 'stored', token),

  /** Returns the code of 6 digits. */
  codeOf: ({ keys }: Context, id: string): string =>
    String(keys.hash(purpose, 'code', id).readBigUInt64BE() % 1_000_000n).padStart(6, '0'),

  /** The hash by which the browser that asked for the mail is recognized. */
  browserHash: ({ keys }: Context, browserId: string): Buffer =>
    keys.hash(purpose, 'browser', browserId),
});
