import { Type } from 'typebox';
import type { Slice } from '../../platform/slice.ts';
import type { Site } from '../site/site.ts';
import { organizationPage, organizationsPage } from './organizations.ts';
import { profilePage, signedPage } from './profiles.ts';

const params = Type.Object({ slug: Type.String() });

export const profilePagesSlice = (site: Site): Slice => ({
  routes: [
    ...site.page({
      id: 'showProfile',
      path: '/u/{slug}',
      access: 'anyone',
      params,
      show: (view, { params: { slug }, query }) => profilePage(view, slug, query.cursor),
    }),
    ...site.page({
      id: 'showProfileSignatures',
      path: '/u/{slug}/signatures',
      access: 'anyone',
      params,
      show: (view, { params: { slug }, query }) => signedPage(view, slug, query.cursor),
    }),
    ...site.page({
      id: 'showOrganization',
      path: '/o/{slug}',
      access: 'anyone',
      params,
      show: (view, { params: { slug }, query }) => organizationPage(view, slug, query.cursor),
    }),
    ...site.page({
      id: 'showOrganizations',
      path: '/organizations',
      access: 'anyone',
      show: (view, { query }) => organizationsPage(view, query),
    }),
  ],
});
