import { asset } from '../../platform/pages/assets.ts';

/** Reports that a decision maker sees the page of their link. */
export const portalScript = asset(new URL('portal.js', import.meta.url));
export const portalStyles = asset(new URL('portal.css', import.meta.url));

export const portalAssets = [portalScript, portalStyles];
