import { redirectTo, type RawAnswer, type Route } from '../../platform/http/route.ts';
import type { RenderedPage } from '../../platform/http/rendered-page.ts';
import { Problem } from '../../platform/problems.ts';
import {
  findCurrentSlug,
  isRemovedPetition,
  requireReadablePetition,
  type RecordRead,
} from '../../campaigns/petitions/read.ts';
import { callerOf, sharedPage, type PageRequest, type Site, type View } from '../site/site.ts';
import { referralOf, doneIn, pathTo, queryOf, SlugRef, type Arrival } from './addresses.ts';
import { petitionPage, privatePage, removedPage } from './page.ts';
import { readParts } from './parts.ts';
import { signedPage } from './signed.ts';

type Request = PageRequest<SlugRef>;

export function petitionRoutes(site: Site, noteRead: RecordRead): Route[] {
  async function show(view: View, request: Request): Promise<RawAnswer | RenderedPage> {
    const { params, query } = request;
    const { access_code: code, done } = query;
    const slug = await findCurrentSlug(view.ctx, params.slug);
    if (slug !== undefined) return redirectTo(view.header, pathTo(slug, { more: query }), 301);
    const isCacheable = !view.browser && code === undefined && done === undefined;
    try {
      const page = isCacheable
        ? await cachedPage(view, params.slug, referralOf(query))
        : await ownPage(view, request);
      // A page that a form redirects to is not a read.
      if (!doneIn(query)) {
        const caller = callerOf(view);
        const petition = await requireReadablePetition(view.ctx, caller, params.slug, code);
        noteRead(petition, { ...view, caller, query });
      }
      return page;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (error.code === 'access_code_required') {
        return privatePage(view, params.slug, code !== undefined);
      }
      if (error.kind === 'not-found' && (await isRemovedPetition(view.ctx, params.slug))) {
        return removedPage(view);
      }
      throw error;
    }
  }

  return site.page({
    id: 'showPetition',
    path: '/p/{slug}',
    access: 'anyone',
    params: SlugRef,
    show,
  });
}

async function ownPage(view: View, { params, query }: Request): Promise<RawAnswer> {
  const { access_code: code } = query;
  const parts = await readParts(view.ctx, callerOf(view), params.slug, code);
  const done = doneIn(query);
  if (done === 'signed') return signedPage(view, { parts, code, number: query.number });
  return petitionPage(view, { parts, code, arrival: referralOf(query), done });
}

/** The page for visitors without a cookie. Leaves out other query parameters of the first visitor. */
function cachedPage(view: View, slug: string, arrival: Arrival): Promise<RenderedPage> {
  const page = {
    group: 'petition-pages',
    key: JSON.stringify([slug, arrival]),
    path: pathTo(slug, { more: queryOf(arrival) }),
  };
  return sharedPage(view, page, async (shared) =>
    petitionPage(shared, { parts: await cachedParts(view, slug), arrival }),
  );
}

/** The same for every language and arrival. */
async function cachedParts({ ctx }: View, slug: string) {
  const row = await requireReadablePetition(ctx, null, slug, undefined);
  return ctx.cache.read('petition-parts', row.id, () => readParts(ctx, null, row.id, undefined));
}
