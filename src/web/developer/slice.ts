import { ofModule } from '../../platform/http/route.ts';
import type { Slice } from '../../platform/slice.ts';
import type { KeyCallers } from '../../identity/api-keys/api-keys.ts';
import type { Site } from '../site/site.ts';
import { clientRoutes } from './clients.ts';
import { keyRoutes } from './keys.ts';
import { webhookRoutes } from './webhooks.ts';

/** What developers need: webhooks, keys and applications. */
export const developerSlice = (site: Site, callers: KeyCallers): Slice => ({
  routes: ofModule(
    'developers',
    [...webhookRoutes(site), ...keyRoutes(site, callers), ...clientRoutes(site)],
    ['submitWebhookDeletion', 'submitKeyDeletion', 'submitClientDeletion'],
  ),
});
