import type { Credentials } from '../../identity/credentials/credentials.ts';
import type { PictureOwners } from '../../campaigns/media/media.ts';
import type { PersonalData, Slice } from '../../platform/slice.ts';
import type { Site } from '../site/site.ts';
import { leavingRoutes } from './leaving.ts';
import { settingsStyles } from './assets.ts';
import { loggingInRoutes } from './logging-in.ts';
import { sessionListRoutes } from './session-list.ts';
import { settingsRoutes } from './settings.ts';

interface SettingsDeps {
  /** Every slice that holds personal data. */
  holders: () => PersonalData[];
  images: PictureOwners;
  credentials: Credentials;
}

export const settingsPagesSlice = (
  site: Site,
  { holders, images, credentials }: SettingsDeps,
): Slice => ({
  assets: [settingsStyles],
  routes: [
    ...settingsRoutes(site, images),
    ...sessionListRoutes(site),
    ...leavingRoutes(site, holders),
    ...loggingInRoutes(site, credentials),
  ],
});
