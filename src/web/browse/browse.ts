import { publishedStatuses } from '../../campaigns/petitions/schema.ts';
import { listCategories } from '../../campaigns/categories/categories.ts';
import { attribute, html, type Content, type Html } from '../../platform/html.ts';
import type { RawAnswer } from '../../platform/http/route.ts';
import { formatCountry, formatNumber, speak } from '../../platform/pages/catalog.ts';
import {
  canonicalLink,
  feedLinks,
  nextLink,
  petitionCard,
  sitePage,
  type View,
} from '../site/site.ts';
import { addressOf, filters, readAsked, sortsFor, type Asked, type Filter } from './asked.ts';
import { findPetitions, type Found } from './finding.ts';
import { browseTexts } from './texts.ts';

/** Petitions by words, state, category, country and tag. */
export async function browsePage(view: View, query: Record<string, string>): Promise<RawAnswer> {
  const say = speak(browseTexts, view.language);
  const asked = await readAsked(view.ctx, query);
  const found = await findPetitions(view, asked);
  const nameOf = await namesFor(view);
  const title = asked.q
    ? say('results_for', { q: html`<bdi>${asked.q}</bdi>` })
    : (asked.category?.name ?? say('title'));
  const isFiltered = filters.some((one) => asked[one] !== undefined);
  // Of what is searched for there is no end; a category or a state is a page of its own.
  if (asked.q || asked.cursor) view.header('x-robots-tag', 'noindex, follow');
  return sitePage(view, {
    title: asked.q || title,
    width: 'wide',
    searched: asked.q,
    styles: ['browse.css'],
    head: [canonicalLink(view, addressOf(asked)), feedLinks(view)],
    cacheControl: 'public, max-age=5',
    main: html`<h1>${title}</h1>
${
  found.total > 0
    ? html`<div class="columns start">
<aside aria-label="${say('filters')}"><details class="filters"><summary>${say('filters')}</summary>
${filters.map((filter) => facet(view, asked, found, filter, nameOf))}</details></aside>
<div>${results(view, asked, found, nameOf)}</div>
</div>`
    : html`${chips(view, asked, nameOf)}${nothingFound(view, asked, isFiltered)}`
}`,
  });
}

function results(view: View, asked: Asked, found: Found, nameOf: NameOf): Html {
  const say = speak(browseTexts, view.language);
  const { page, total: count, estimated, corrected } = found;
  return html`<div class="row between"><p role="status" class="number">${say(estimated ? 'found_about' : 'found', { count })}</p>
${sortLinks(view, asked)}</div>
${chips(view, asked, nameOf)}${corrected && html`<p class="notice">${say('corrected')}</p>\n`}<h2 class="visually-hidden">${say('title')}</h2>
<ul class="cards">
${page.items.map((petition) => petitionCard(view, petition))}</ul>
${nextLink(view, page)}`;
}

type NameOf = (filter: Filter, value: string) => Content;

/** What filters are called, in the language of who looks. */
async function namesFor({ ctx, language, say }: View): Promise<NameOf> {
  const categories = new Map((await listCategories(ctx)).map(({ slug, name }) => [slug, name]));
  return (filter, value) => {
    if (filter === 'country') return formatCountry(language, value);
    if (filter === 'category') return categories.get(value) ?? value;
    const status = filter === 'status' && publishedStatuses.find((one) => one === value);
    return status ? say(`status_${status}`) : html`<bdi>${value}</bdi>`;
  };
}

/** Values of one kind that the result has, as links that narrow it. */
function facet(
  view: View,
  asked: Asked,
  { facets }: Found,
  filter: Filter,
  nameOf: NameOf,
): Html | false {
  const say = speak(browseTexts, view.language);
  const values = facets[filter].slice(0, 12);
  if (asked[filter] !== undefined || values.length === 0) return false;
  return html`<section><h2>${say(filter)}</h2><ul class="side">
${values.map(
  ({ value, count }) =>
    html`<li><a rel="nofollow" href="${addressOf(asked, { [filter]: value })}">${nameOf(filter, value)} <span class="quiet number">${formatNumber(view.language, count)}</span></a></li>\n`,
)}</ul></section>\n`;
}

/** The filters that are set, each as a link to the result without it. */
function chips(view: View, asked: Asked, nameOf: NameOf): Html | false {
  const say = speak(browseTexts, view.language);
  const set = filters.flatMap((filter) => {
    const value = filter === 'category' ? asked.category?.slug : asked[filter];
    return value === undefined ? [] : [{ filter, name: nameOf(filter, value) }];
  });
  return (
    set.length > 0 &&
    html`<ul class="chips">
${set.map(
  ({ filter, name }) =>
    html`<li><a class="badge good" href="${addressOf(asked, { [filter]: null })}"><span aria-hidden="true">${name} ×</span><span class="visually-hidden">${say('remove_filter', { name })}</span></a></li>\n`,
)}</ul>`
  );
}

function sortLinks(view: View, asked: Asked): Html {
  const say = speak(browseTexts, view.language);
  return html`<nav aria-label="${say('sort')}"><ul class="sorts">
${sortsFor(asked).map(
  (one) =>
    html`<li><a rel="nofollow" href="${addressOf(asked, { sort: one })}"${attribute('aria-current', one === asked.sort && 'true')}>${say(`sort_${one}`)}</a></li>\n`,
)}</ul></nav>`;
}

function nothingFound(view: View, asked: Asked, isFiltered: boolean): Html {
  const say = speak(browseTexts, view.language);
  return html`<div class="panel"><p><strong>${say('none')}</strong></p>
<p>${isFiltered ? say('none_filters') : asked.q && say('none_words')}</p>
<p>${say('none_start')}</p>
<p class="row"><a class="button" href="/start">${view.say('start_petition')}</a>
<a href="/petitions">${say('all_petitions')}</a></p></div>`;
}
