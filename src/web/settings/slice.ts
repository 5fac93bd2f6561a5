import type { ImageHolders } from '../../campaigns/media/media.ts';
import { maxBytes } from '../../campaigns/media/schema.ts';
import type { PersonalData, Slice } from '../../platform/slice.ts';
import { takePicture, type Site } from '../site/site.ts';
import * as changing from './changing.ts';
import { settingsStyles } from './assets.ts';
import { downloadData, erase, erasePage, goodbyePage } from './leaving.ts';
import { settingsPage } from './settings.ts';

/** What settings need of slices that they do not know. */
export interface SettingsDeps {
  /** Every slice that holds personal data. */
  holders: () => PersonalData[];
  images: ImageHolders;
}

export const settingsPagesSlice = (site: Site, { holders, images }: SettingsDeps): Slice => ({
  assets: [settingsStyles],
  routes: [
    ...site.page({
      id: 'showSettings',
      path: '/settings',
      access: 'user',
      show: (view, { query }) => settingsPage(view, query),
    }),
    site.form({
      id: 'submitProfile',
      path: '/settings',
      access: 'user',
      act: (view, { fields }) => changing.changeProfile(view, fields),
      again: (view, { fields: values }, problem) =>
        settingsPage(view, {}, { section: 'profile', state: { values, problem } }),
    }),
    site.form({
      id: 'submitPicture',
      path: '/settings/picture',
      access: 'user',
      largestFile: maxBytes,
      act: (view, { fields }) =>
        takePicture(view, images, { fields, page: '/settings', type: 'user_avatar' }),
      again: (view, _, problem) =>
        settingsPage(view, {}, { section: 'picture', state: { values: {}, problem } }),
    }),
    site.form({
      id: 'submitPictureRemoval',
      path: '/settings/picture/remove',
      access: 'user',
      act: changing.removePicture,
    }),
    site.form({
      id: 'submitPasswordChange',
      path: '/settings/password',
      access: 'user',
      act: changing.sendPasswordLink,
    }),
    site.form({
      id: 'submitPhone',
      path: '/settings/phone',
      access: 'user',
      act: (view, { fields }) => changing.sendCode(view, fields),
      again: (view, { fields: values }, problem) =>
        settingsPage(view, {}, { section: 'phone', state: { values, problem } }),
    }),
    site.form({
      id: 'submitPhoneCode',
      path: '/settings/phone/code',
      access: 'user',
      act: (view, { fields }) => changing.confirmPhone(view, fields),
      again: (view, { fields: values }, problem) =>
        settingsPage(view, {}, { section: 'code', state: { values, problem } }),
    }),
    site.form({
      id: 'submitNotificationPreferences',
      path: '/settings/notifications',
      access: 'user',
      act: (view, { fields }) => changing.savePreferences(view, fields),
    }),
    ...site.page({
      id: 'downloadOwnData',
      path: '/settings/data',
      access: 'user',
      show: (view) => downloadData(view, holders()),
    }),
    ...site.page({
      id: 'showErase',
      path: '/settings/erase',
      access: 'user',
      show: (view) => erasePage(view, { values: {} }),
    }),
    site.form({
      id: 'submitErase',
      path: '/settings/erase',
      access: 'user',
      act: (view, { fields }) => erase(site.sessions, view, holders(), fields),
      again: (view, { fields: values }, problem) => erasePage(view, { values, problem }),
    }),
    ...site.page({ id: 'showGoodbye', path: '/goodbye', access: 'anyone', show: goodbyePage }),
  ],
});
