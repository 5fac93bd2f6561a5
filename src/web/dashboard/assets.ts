import { asset } from '../../platform/pages/assets.ts';

export const dashboardStyles = asset(new URL('dashboard.css', import.meta.url));
/** Keeps counts up to date. */
export const dashboardScript = asset(new URL('dashboard.js', import.meta.url));

export const dashboardAssets = [dashboardStyles, dashboardScript];
