import { html, type Html } from '../../platform/html.ts';
import type { RawAnswer, Route } from '../../platform/http/route.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { listPetitionsForPage } from '../../campaigns/petitions/list.ts';
import type { PetitionSummary } from '../../campaigns/petitions/schema.ts';
import {
  canonicalLink,
  feedLinks,
  loadingAt,
  petitionCard,
  sitePage,
  type Site,
  type View,
} from '../site/site.ts';
import { homeTexts } from './texts.ts';

export const homeRoutes = (site: Site): Route[] =>
  site.page({ id: 'showHome', path: '/', access: 'anyone', show: homePage });

/** Petitions in each section. */
const limit = 6;

/** The start page: trending, new and won petitions. */
async function homePage(view: View): Promise<RawAnswer> {
  const { ctx } = view;
  const say = speak(homeTexts, view.language);
  const [trending, newest, victories] = await Promise.all([
    listPetitionsForPage(ctx, null, { sort: 'trending', status: 'active', limit }),
    listPetitionsForPage(ctx, null, { sort: 'recent', status: 'active', limit }),
    listPetitionsForPage(ctx, null, { sort: 'recent', status: 'victory', limit }),
  ]);
  const section = (
    title: Html,
    { items }: { items: PetitionSummary[] },
    more: string,
    loadingOf: typeof loadingAt = () => 'lazy',
  ) =>
    items.length > 0 &&
    html`<section><div class="row between"><h2>${title}</h2><a href="${more}">${say('all')}</a></div>
<ul class="cards">
${items.map((petition, index) => petitionCard(view, petition, loadingOf(index)))}</ul></section>
`;
  return sitePage(view, {
    title: say('title'),
    head: [canonicalLink(view, '/'), feedLinks(view)],
    width: 'wide',
    cacheControl: 'public, max-age=5',
    main: html`<div class="hero"><h1>${say('title')}</h1>
<p class="lead">${say('lead')}</p>
<p class="row"><a class="button" href="/start">${view.say('start_petition')}</a>
<a class="button second" href="/petitions">${view.say('browse')}</a></p></div>
${trending.items.length === 0 && html`<p class="notice">${say('none')}</p>`}
${section(say('trending'), trending, '/petitions?sort=trending', loadingAt)}${section(say('newest'), newest, '/petitions?sort=recent')}${section(
      say('victories'),
      victories,
      '/petitions?status=victory',
    )}`,
  });
}
