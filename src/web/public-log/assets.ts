import { asset, moduleAssets } from '../../platform/pages/assets.ts';

export const publicLogStyles = asset(new URL('public-log.css', import.meta.url));
const checkModules = moduleAssets(new URL('receipt-check.js', import.meta.url));
/** Verifies receipts by the verifier's own modules. */
export const receiptCheckScript = checkModules.at(-1)!;

export const publicLogAssets = [publicLogStyles, ...checkModules];
