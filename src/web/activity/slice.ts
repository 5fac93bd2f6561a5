import { Type } from 'typebox';
import type { Slice } from '../../platform/slice.ts';
import type { Site } from '../site/site.ts';
import { applicationsPage, withdrawAccess } from './applications.ts';
import { followNotification, notificationsPage, readNotifications } from './notifications.ts';
import { signaturesPage, withdrawSignature } from './signatures.ts';

export const activitySlice = (site: Site): Slice => ({
  routes: [
    ...site.page({
      id: 'showNotifications',
      path: '/notifications',
      access: 'user',
      show: (view, { query }) => notificationsPage(view, query),
    }),
    ...site.page({
      id: 'followNotification',
      path: '/notifications/{id}',
      access: 'user',
      params: Type.Object({ id: Type.String() }),
      show: (view, { params }) => followNotification(view, params.id),
    }),
    site.form({
      id: 'submitNotificationsRead',
      path: '/notifications/read',
      access: 'user',
      act: (view, { fields }) => readNotifications(view, fields),
    }),
    ...site.page({
      id: 'showSignatures',
      path: '/signatures',
      access: 'user',
      show: (view, { query }) => signaturesPage(view, query),
    }),
    site.form({
      id: 'submitSignatureWithdrawal',
      path: '/signatures/withdraw',
      access: 'user',
      act: (view, { fields }) => withdrawSignature(view, fields),
    }),
    ...site.page({
      id: 'showApplications',
      path: '/applications',
      access: 'user',
      show: (view, { query }) => applicationsPage(view, query),
    }),
    site.form({
      id: 'submitAccessWithdrawal',
      path: '/applications/withdraw',
      access: 'user',
      act: (view, { fields }) => withdrawAccess(site.sessions, view, fields),
    }),
  ],
});
