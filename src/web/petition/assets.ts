import { asset } from '../../platform/pages/assets.ts';

export const petitionStyles = asset(new URL('petition.css', import.meta.url));
export const petitionScript = asset(new URL('petition.js', import.meta.url));
/** Opens the share sheet of the device. */
export const shareScript = asset(new URL('share.js', import.meta.url));

export const petitionAssets = [petitionStyles, petitionScript, shareScript];
