import { publishedStatuses } from '../../campaigns/petitions/schema.ts';
import { listCategories } from '../../campaigns/categories/categories.ts';
import { attribute, html, type Content, type Html } from '../../platform/html.ts';
import type { Route } from '../../platform/http/route.ts';
import { asset } from '../../platform/pages/assets.ts';
import { formatCountry, formatNumber, speak } from '../../platform/pages/catalog.ts';
import {
  canonicalLink,
  feedLinks,
  nextLink,
  petitionCard,
  sitePage,
  type Site,
  type View,
  type PageHandler,
} from '../site/site.ts';
import {
  addressOf,
  filters,
  findPetitions,
  readQuery,
  sortsFor,
  type BrowseQuery,
  type BrowseResult,
  type Filter,
} from './browse-query.ts';
import { browseTexts } from './texts.ts';

export const browseStyles = asset(new URL('browse.css', import.meta.url));

export const browseRoutes = (site: Site): Route[] =>
  site.page({
    id: 'browsePetitions',
    closedToCrawlers: closedParameters,
    path: '/petitions',
    access: 'anyone',
    show: browsePage,
  });

/** Searches, filters and pages are endless. Crawlers find petitions by categories and the sitemap. */
const closedParameters = ['q', 'status', 'country', 'tag', 'sort', 'cursor'];

/** Petitions by words, status, category, country and tag. */
const browsePage: PageHandler<{}, View> = async (view, request) => {
  const say = speak(browseTexts, view.language);
  const query = await readQuery(view, request.query);
  const result = await findPetitions(view, query);
  const nameOf = await namesFor(view);
  const title = query.q
    ? say('results_for', { q: html`<bdi>${query.q}</bdi>` })
    : (query.category?.name ?? say('title'));
  const isFiltered = filters.some((filter) => query[filter] !== undefined);
  return sitePage(view, {
    title: query.q || title,
    width: 'wide',
    searched: query.q ?? '',
    styles: [browseStyles],
    head: [canonicalLink(view, addressOf(query)), feedLinks(view)],
    cacheControl: 'public, max-age=5',
    main: html`<h1>${title}</h1>
${
  result.total > 0
    ? html`<div class="columns start">
<aside aria-label="${say('filters')}"><details class="filters"><summary>${say('filters')}</summary>
${filters.map((filter) => facet(view, query, result, filter, nameOf))}</details></aside>
<div>${results(view, query, result, nameOf)}</div>
</div>`
    : html`${chips(view, query, nameOf)}${emptyResult(view, query, isFiltered)}`
}`,
  });
};

function results(view: View, query: BrowseQuery, result: BrowseResult, nameOf: NameOf): Html {
  const say = speak(browseTexts, view.language);
  const { page, total: count, estimated, corrected } = result;
  return html`<div class="row between"><p role="status" class="number">${say(estimated ? 'found_about' : 'found', { count })}</p>
${sortLinks(view, query)}</div>
${chips(view, query, nameOf)}${corrected && html`<p class="notice">${say('corrected')}</p>\n`}<h2 class="visually-hidden">${say('title')}</h2>
<ul class="cards">
${page.items.map((petition, index) => petitionCard(view, petition, { index }))}</ul>
${nextLink(view, page)}`;
}

type NameOf = (filter: Filter, value: string) => Content;

/** Names of the values of filters, in the language of the view. */
async function namesFor({ ctx, language, say }: View): Promise<NameOf> {
  const categories = new Map(
    (await listCategories(ctx, language)).map(({ slug, name }) => [slug, name]),
  );
  return (filter, value) => {
    if (filter === 'country') return formatCountry(language, value);
    if (filter === 'category') return categories.get(value) ?? value;
    const status = filter === 'status' && publishedStatuses.find((name) => name === value);
    return status ? say(`status_${status}`) : html`<bdi>${value}</bdi>`;
  };
}

/** Values of a filter in the result, as links that narrow it. */
function facet(
  view: View,
  query: BrowseQuery,
  { facets }: BrowseResult,
  filter: Filter,
  nameOf: NameOf,
): Html | false {
  const say = speak(browseTexts, view.language);
  const values = facets[filter].slice(0, 12);
  if (query[filter] !== undefined || values.length === 0) return false;
  return html`<section><h2>${say(filter)}</h2><ul class="side">
${values.map(
  ({ value, count }) =>
    html`<li><a rel="nofollow" href="${addressOf(query, { [filter]: value })}">${nameOf(filter, value)} <span class="quiet number">${formatNumber(view.language, count)}</span></a></li>\n`,
)}</ul></section>\n`;
}

/** The filters of the query, each as a link that removes it. */
function chips(view: View, query: BrowseQuery, nameOf: NameOf): Html | false {
  const say = speak(browseTexts, view.language);
  const set = filters.flatMap((filter) => {
    const value = filter === 'category' ? query.category?.slug : query[filter];
    return value === undefined ? [] : [{ filter, name: nameOf(filter, value) }];
  });
  return (
    set.length > 0 &&
    html`<ul class="chips">
${set.map(
  ({ filter, name }) =>
    html`<li><a class="badge good" rel="nofollow" href="${addressOf(query, { [filter]: null })}"><span aria-hidden="true">${name} ×</span><span class="visually-hidden">${say('remove_filter', { name })}</span></a></li>\n`,
)}</ul>`
  );
}

function sortLinks(view: View, query: BrowseQuery): Html {
  const say = speak(browseTexts, view.language);
  return html`<nav aria-label="${say('sort')}"><ul class="sorts">
${sortsFor(query).map(
  (sort) =>
    html`<li><a rel="nofollow" href="${addressOf(query, { sort })}"${attribute('aria-current', sort === query.sort && 'true')}>${say(`sort_${sort}`)}</a></li>\n`,
)}</ul></nav>`;
}

function emptyResult(view: View, query: BrowseQuery, isFiltered: boolean): Html {
  const say = speak(browseTexts, view.language);
  return html`<div class="panel"><p><strong>${say('none')}</strong></p>
<p>${isFiltered ? say('none_filters') : query.q && say('none_words')}</p>
<p>${say('none_start')}</p>
<p class="row"><a class="button" href="/start">${view.say('start_petition')}</a>
<a href="/petitions">${say('all_petitions')}</a></p></div>`;
}
