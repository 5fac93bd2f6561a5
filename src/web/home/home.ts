import { html, type Html } from '../../platform/html.ts';
import type { RenderedPage } from '../../platform/http/rendered-page.ts';
import { redirectTo, type RawAnswer, type Route } from '../../platform/http/route.ts';
import { countryOfAddress } from '../../platform/ip-country.ts';
import { asset } from '../../platform/pages/assets.ts';
import { formatNumber, speak } from '../../platform/pages/catalog.ts';
import { listCategories } from '../../campaigns/categories/categories.ts';
import { sumOfListedSignatures, listPetitionsForPage } from '../../campaigns/petitions/list.ts';
import type { PetitionSummary } from '../../campaigns/petitions/schema.ts';
import { searchPetitions } from '../../reach/search/search.ts';
import {
  canonicalLink,
  categoryPattern,
  feedLinks,
  isShared,
  petitionCard,
  sharedPage,
  sitePage,
  type Site,
  type View,
} from '../site/site.ts';
import { latestVictory, victoryFeature } from './victory.ts';
import { homeTexts } from './texts.ts';

export const homeStyles = asset(new URL('home.css', import.meta.url));

export const homeRoutes = (site: Site): Route[] => [
  ...site.page({ id: 'showHome', path: '/', access: 'anyone', show }),
  ...site.page({
    id: 'findNear',
    closedToCrawlers: true,
    path: '/near',
    access: 'anyone',
    show: redirectToCountry,
  }),
];

const show = (view: View): Promise<RawAnswer | RenderedPage> =>
  isShared(view)
    ? sharedPage(view, { group: 'home', key: '', path: '/' }, homePage)
    : homePage(view);

/** Petitions in each section. The first one of the trending is as wide as two. */
const limits = { trending: 5, newest: 6, victories: 3 };

/** The start page: the total, a victory, then trending, new and won petitions, none of them twice, and categories. */
async function homePage(view: View): Promise<RawAnswer> {
  const { ctx, language } = view;
  const say = speak(homeTexts, language);
  const { trending, newest, victories } = limits;
  const [hot, recent, won, total, topics] = await Promise.all([
    listPetitionsForPage(ctx, null, { sort: 'trending', status: 'active', limit: trending }),
    listPetitionsForPage(ctx, null, { sort: 'recent', status: 'active', limit: trending + newest }),
    listPetitionsForPage(ctx, null, { sort: 'recent', status: 'victory', limit: victories + 1 }),
    sumOfListedSignatures(ctx),
    topicsFor(view),
  ]);
  const victory = await latestVictory(ctx, won.items);
  const shown = new Set([victory?.petition.id, ...hot.items.map(({ id }) => id)]);
  const unseen = ({ items }: { items: PetitionSummary[] }, limit: number) =>
    items.filter(({ id }) => !shown.has(id)).slice(0, limit);
  const sections = [
    section(view, {
      title: say('trending'),
      more: '/petitions?sort=trending',
      items: hot.items,
      isFirst: true,
    }),
    section(view, {
      title: say('newest'),
      more: '/petitions?sort=recent',
      items: unseen(recent, newest),
    }),
    section(view, {
      title: say('victories'),
      more: '/petitions?status=victory',
      items: unseen(won, victories),
    }),
  ];
  return sitePage(view, {
    title: say('title'),
    head: [canonicalLink(view, '/'), feedLinks(view)],
    styles: [homeStyles],
    width: 'wide',
    cacheControl: 'public, max-age=5',
    main: html`<div class="band opening"><div>${headline(view)}
<p class="lead">${say('lead')}</p>
<p class="row"><a class="button" href="/start">${view.say('start_petition')}</a>
<a class="button second" href="/petitions">${view.say('browse')}</a></p>
${total > 0 && html`<p class="total"><strong class="number">${formatNumber(language, total)}</strong> ${say('total', { count: total })}</p>\n`}</div>
${victory && victoryFeature(view, victory)}</div>
${hot.items.length === 0 && html`<p class="notice">${say('none')}</p>\n`}${sections}${topicList(view, topics)}${calls(view)}`,
  });
}

/** What the operator says of the site, else what it is for. */
function headline({ ctx, language }: View): Html {
  const { tagline } = ctx.site.current;
  return tagline === null
    ? html`<h1>${speak(homeTexts, language)('title')}</h1>`
    : html`<h1 dir="auto">${tagline}</h1>`;
}

interface Section {
  title: Html;
  /** Address of the whole list. */
  more: string;
  items: PetitionSummary[];
  /** Whether a window shows it at first; its first card is wide. */
  isFirst?: boolean;
}

function section(view: View, { title, more, items, isFirst = false }: Section): Html | false {
  return (
    items.length > 0 &&
    html`<section><div class="row between"><h2>${title}</h2><a href="${more}" rel="nofollow">${speak(homeTexts, view.language)('all')}</a></div>
<ul class="cards${isFirst && items.length > 1 && ' led'}">
${items.map((petition, index) => petitionCard(view, petition, { index, isBelow: !isFirst }))}</ul></section>
`
  );
}

interface Topic {
  slug: string;
  name: string;
  count: number;
}

/** The categories and how many public petitions each has; those that have none are left out. */
async function topicsFor({ ctx, language }: View): Promise<Topic[]> {
  const [counts, categories] = await Promise.all([
    ctx.estimates.read('home', 'categories', () => countByCategory(ctx)),
    listCategories(ctx, language),
  ]);
  return categories.flatMap(({ id, slug, name }) => {
    const count = counts.get(id);
    return count ? [{ slug, name, count }] : [];
  });
}

/** The numbers of public petitions by the id of the category. */
async function countByCategory(ctx: View['ctx']): Promise<Map<string, number>> {
  const { beside } = await searchPetitions(ctx, { sort: 'trending', limit: 1 });
  return new Map(beside.facets.category.map(({ value, count }) => [value, count]));
}

function topicList({ language }: View, topics: Topic[]): Html | false {
  return (
    topics.length > 0 &&
    html`<section><h2>${speak(homeTexts, language)('topics')}</h2>
<ul class="topics">
${topics.map(
  ({ slug, name, count }) =>
    html`<li><a href="/petitions?category=${slug}">${categoryPattern({ slug })}<bdi>${name}</bdi> <span class="quiet number">${formatNumber(language, count)}</span></a></li>\n`,
)}</ul></section>\n`
  );
}

/** What else a reader may do. */
function calls(view: View): Html {
  const say = speak(homeTexts, view.language);
  return html`<div class="calls"><section class="panel"><h2>${say('near')}</h2>
<p>${say('near_lead')}</p>
<p><a class="button second" href="/near" rel="nofollow">${say('near_go')}</a></p></section>
<section class="panel"><h2>${say('own')}</h2>
<p>${say('own_lead')}</p>
<p><a class="button" href="/start">${view.say('start_petition')}</a></p></section></div>`;
}

/**
 * Redirects to the petitions of the country of the reader's network address, which is looked up on this machine; to all
 * petitions if it is unknown.
 */
async function redirectToCountry({ header, ip }: View): Promise<RawAnswer> {
  const country = countryOfAddress(ip);
  return redirectTo(header, country ? `/petitions?country=${country}` : '/petitions', 303);
}
