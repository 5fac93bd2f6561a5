import { html } from '../../platform/html.ts';
import type { Route } from '../../platform/http/route.ts';
import { pathOf } from '../../platform/pages/path.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { noIndex, sitePage, type PageHandler, type Site } from '../site/site.ts';
import { pathTo, SlugRef } from './addresses.ts';
import { petitionScript, petitionStyles } from './assets.ts';
import { readParts } from './parts.ts';
import { canSign, signBox } from './sign-box.ts';
import { petitionTexts } from './texts.ts';

/** What a creator sees once the petition is published. */
export const firstSignatureRoutes = (site: Site): Route[] =>
  site.page({
    id: 'showPublished',
    path: '/p/{slug}/published',
    access: 'user',
    params: SlugRef,
    show: publishedPage,
  });

/** Asks creators to sign their own petition, since nobody likes to be the first. */
const publishedPage: PageHandler<SlugRef> = async (view, { params }) => {
  const parts = await readParts(view.ctx, view.viewer.caller, params.slug, undefined);
  const { id, slug } = parts.petition;
  const dashboard = pathOf`/dashboard/petitions/${id}`;
  if (!parts.powers.isCreator) return pathTo(slug);
  if (!canSign(parts)) return dashboard;
  const say = speak(petitionTexts, view.language);
  return sitePage(view, {
    title: say('published'),
    styles: [petitionStyles],
    scripts: [petitionScript],
    head: noIndex,
    main: html`<div class="signed"><div role="status"><h1>${say('published')}</h1></div>
<p class="lead">${say('published_lead')}</p>
${signBox(view, { parts, code: undefined, arrival: {}, state: undefined })}<p><a href="${dashboard}">${say('not_now')}</a></p></div>`,
  });
};
