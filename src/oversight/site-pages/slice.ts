import type { Context } from '../../platform/context.ts';
import { nothing, one, routes } from '../../platform/http/route.ts';
import type { Slice } from '../../platform/slice.ts';
import { sendContactMail } from './contact.ts';
import { SitePage, SitePageInput, SitePageRef } from './schema.ts';
import { getSitePage, restoreSitePage, writeSitePage } from './site-pages.ts';

const api = routes('Admin');
const path = '/v1/admin/site/pages/{page}/{language}';

/** Pages about the site itself: what administrators write there, and messages to them. */
export const sitePagesSlice = (ctx: Context): Slice => ({
  mailJobs: {
    'send-contact-mail': (job: Parameters<typeof sendContactMail>[1]) => sendContactMail(ctx, job),
  },
  routes: [
    api.get(path, {
      id: 'getSitePage',
      summary: 'A page of the site in one language',
      description:
        'The text of the software itself where nobody has confirmed or replaced it: `version` is null then. `terms` and `imprint` are 404 until they are written.',
      auth: { access: 'admin' },
      params: SitePageRef,
      returns: one(SitePage),
      problems: ['not-found'],
      handle: ({ ctx: within, params }) => getSitePage(within, params),
    }),
    api.put(path, {
      id: 'putSitePage',
      summary: 'Write or confirm a page of the site',
      description:
        'Each text that differs from the one before is a new version; all are kept. Every process shows it within two seconds.',
      auth: { access: 'admin' },
      params: SitePageRef,
      body: {
        schema: SitePageInput,
        example: { title: 'Imprint', body: 'Our City e. V., 1 Harbour Street, Our City' },
      },
      returns: one(SitePage),
      problems: ['not-found'],
      handle: ({ ctx: within, caller, params, body }) =>
        writeSitePage(within, caller.userId, params, body),
    }),
    api.delete(path, {
      id: 'deleteSitePage',
      summary: 'Bring back the text of the software',
      description:
        'The versions are kept. `terms` and `imprint` are 404 then, and linked nowhere. 404 where nothing is written.',
      auth: { access: 'admin' },
      params: SitePageRef,
      returns: nothing(),
      problems: ['not-found'],
      handle: ({ ctx: within, caller, params }) => restoreSitePage(within, caller, params),
    }),
  ],
});
