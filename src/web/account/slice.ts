import type { Recovery } from '../../identity/recovery/recovery.ts';
import type { Slice } from '../../platform/slice.ts';
import type { Site } from '../site/site.ts';
import { loginRoutes } from './login-and-registration.ts';
import { recoveryRoutes } from './recovery.ts';
import { verificationRoutes } from './verification.ts';

/** Pages for logging in, registering, and links of mails about the account. */
export const accountPagesSlice = (site: Site, recovery: Recovery): Slice => ({
  routes: [...loginRoutes(site), ...recoveryRoutes(site, recovery), ...verificationRoutes(site)],
});
