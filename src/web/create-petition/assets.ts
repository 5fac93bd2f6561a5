import { asset } from '../../platform/pages/assets.ts';

/** Saves drafts while they are written. */
export const draftScript = asset(new URL('draft.js', import.meta.url));
