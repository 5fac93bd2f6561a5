import { asset } from '../../platform/pages/assets.ts';

export const settingsStyles = asset(new URL('settings.css', import.meta.url));
