import { asset } from '../../platform/pages/assets.ts';

export const browseStyles = asset(new URL('browse.css', import.meta.url));
