import type { Context } from '../../platform/context.ts';
import { many, one, routes } from '../../platform/http/route.ts';
import type { Slice } from '../../platform/slice.ts';
import {
  AdminSite,
  Site,
  SiteChange,
  SiteChangeRef,
  SiteChangesQuery,
  SiteUpdate,
} from './schema.ts';
import {
  changeSettings,
  changesOf,
  listChanges,
  presentAdminSite,
  presentSite,
  undoChange,
} from './site-settings.ts';

const api = routes('Admin');
const publicApi = routes('Service');

export const siteSettingsSlice = (ctx: Context): Slice => ({
  start: () => ctx.site.start(),
  stop: async () => ctx.site.stop(),
  routes: [
    publicApi.get('/v1/site', {
      id: 'getSite',
      summary: 'What the site is called, how it looks, and what it offers',
      description:
        'For clients that show it: apps, widgets, other sites. It changes seldom, and has an entity tag.',
      auth: { access: 'anyone' },
      worksWithoutDatabase: true,
      returns: one(Site),
      cache: { etag: true },
      handle: ({ ctx: within }) => presentSite(within),
    }),
    api.get('/v1/admin/site', {
      id: 'getSiteSettings',
      summary: 'All settings of the site',
      description:
        '`fixed` settings come from environment variables of the service and cannot be changed here.',
      auth: { access: 'admin' },
      worksWithoutDatabase: true,
      returns: one(AdminSite),
      handle: ({ ctx: within }) => presentAdminSite(within),
    }),
    api.patch('/v1/admin/site', {
      id: 'changeSiteSettings',
      summary: 'Change settings of the site',
      description:
        'What is absent stays as it is; null brings back what the service does by itself. Every process applies a change within two seconds.',
      auth: { access: 'admin' },
      body: {
        schema: SiteUpdate,
        example: { name: 'Our City', accent: '#7b3fe4', modules: { promotion: false } },
      },
      returns: one(AdminSite),
      problems: ['conflict'],
      async handle({ ctx: within, caller, body }) {
        const changes = await changesOf(within, body);
        return presentAdminSite(within, await changeSettings(within, caller.userId, changes));
      },
    }),
    api.get('/v1/admin/site/changes', {
      id: 'listSiteChanges',
      summary: 'Changes of the settings of the site, newest first',
      description: 'Each setting by itself, with what it was before. Undo one by its id.',
      auth: { access: 'admin' },
      query: SiteChangesQuery,
      returns: many(SiteChange),
      handle: ({ ctx: within, query }) => listChanges(within, query),
    }),
    api.post('/v1/admin/site/changes/{id}/undo', {
      id: 'undoSiteChange',
      summary: 'Set a setting to what it was before a change',
      description: 'That is a change too, which can be undone.',
      auth: { access: 'admin' },
      params: SiteChangeRef,
      returns: one(AdminSite),
      problems: ['not-found', 'conflict'],
      handle: async ({ ctx: within, caller, params }) =>
        presentAdminSite(within, await undoChange(within, caller, params.id)),
    }),
  ],
});
