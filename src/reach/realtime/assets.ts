import { asset } from '../../platform/pages/assets.ts';

/** Follows the events of a petition in a browser. */
export const streamScript = asset(new URL('stream.js', import.meta.url));
