import { asset } from '../../platform/pages/assets.ts';

export const profileStyles = asset(new URL('profiles.css', import.meta.url));
