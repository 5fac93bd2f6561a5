import type { Context } from '../../platform/context.ts';
import { mailedSecrets } from '../../platform/mailed-secrets.ts';

export const { linkToken, tokenHash, codeOf, browserHash } = mailedSecrets('pending-signature');

/** Whether this browser sent the form of a pending signature. */
export const isFromBrowser = (
  ctx: Context,
  { browser_hash: hash }: { browser_hash: Buffer | null },
  browserId: string | undefined,
): boolean => browserId !== undefined && hash?.equals(browserHash(ctx, browserId)) === true;
