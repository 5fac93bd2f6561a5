import { asset } from '../../platform/pages/assets.ts';

export const activityStyles = asset(new URL('activity.css', import.meta.url));
