import { asset } from '../../platform/pages/assets.ts';

/** Keys of the queue of reports. */
export const reportKeysScript = asset(new URL('report-keys.js', import.meta.url));
