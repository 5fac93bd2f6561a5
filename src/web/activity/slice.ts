import type { Slice } from '../../platform/slice.ts';
import type { Site } from '../site/site.ts';
import { activityStyles } from './assets.ts';
import { applicationRoutes } from './applications.ts';
import { notificationRoutes } from './notifications.ts';
import { signatureRoutes } from './signatures.ts';

/** Pages of what the viewer did and may want to know. */
export const activitySlice = (site: Site): Slice => ({
  assets: [activityStyles],
  routes: [...notificationRoutes(site), ...signatureRoutes(site), ...applicationRoutes(site)],
});
