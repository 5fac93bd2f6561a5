import type { FirstProof } from '../../identity/first-proof/first-proof.ts';
import type { Credentials } from '../../identity/credentials/credentials.ts';
import type { Recovery } from '../../identity/recovery/recovery.ts';
import type { PersonalData, Slice } from '../../platform/slice.ts';
import type { Site } from '../site/site.ts';
import { addressChangeRoutes } from './address-change.ts';
import { earlierAccountRoutes } from './earlier-account.ts';
import { loginRoutes } from './login-and-registration.ts';
import { mailSignInRoutes } from './sign-in-by-mail.ts';
import { recoveryRoutes } from './recovery.ts';
import { verificationRoutes } from './verification.ts';

interface AccountPagesDeps {
  recovery: Recovery;
  credentials: Credentials;
  firstProof: FirstProof;
  /** Every slice that holds personal data. */
  holders: () => PersonalData[];
}

/** Pages for logging in, registering, and links of mails about the account. */
export const accountPagesSlice = (
  site: Site,
  { recovery, credentials, firstProof, holders }: AccountPagesDeps,
): Slice => ({
  routes: [
    ...loginRoutes(site),
    ...mailSignInRoutes(site, firstProof),
    ...recoveryRoutes(site, recovery),
    ...verificationRoutes(site, holders),
    ...earlierAccountRoutes(site, holders),
    ...addressChangeRoutes(site, credentials),
  ],
});
