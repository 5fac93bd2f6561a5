import { attribute, html, type Html } from '../../platform/html.ts';
import { formatAgo, formatDay, speak } from '../../platform/pages/catalog.ts';
import type { Language } from '../../platform/pages/language.ts';
import { markdownText } from '../../platform/pages/markdown-text.ts';
import { positionTexts } from '../../campaigns/decision-makers/decision-makers.ts';
import type { NewestResponses } from '../../campaigns/decision-makers/decision-makers.ts';
import type { DecisionMakerResponse } from '../../campaigns/decision-makers/schema.ts';
import type { Petition } from '../../campaigns/petitions/schema.ts';
import type { Signature } from '../../campaigns/signatures/schema.ts';
import type { Update } from '../../campaigns/updates/schema.ts';
import { growthChart, placesMap } from '../charts/charts.ts';
import {
  avatar,
  categoryPattern,
  fullWidth,
  responsiveImage,
  type Layout,
  type View,
} from '../site/site.ts';
import { pathTo } from './addresses.ts';
import { anchorOf, opinionsOf, type OpinionsOptions } from './answer-opinions.ts';
import type { Dimensions, Parts } from './parts.ts';
import { petitionTexts } from './texts.ts';

/** Decision makers that are named above the text. */
const maxNamed = 3;

/** Who asks whom. */
export function asks(view: View, { creator, decision_makers: makers }: Petition): Html {
  const say = speak(petitionTexts, view.language);
  const name = creator
    ? html`<a href="/u/${creator.slug}"><bdi>${creator.display_name}</bdi></a>`
    : view.say('erased_user');
  const others = makers.length - maxNamed;
  const text =
    makers.length > 0
      ? say('asks', { name, names: namesOf(view.language, makers.slice(0, maxNamed)) })
      : say('started_by', { name });
  return html`<div class="row asks">${creator && avatar(view, creator)}<p>${text}${
    others > 0 && html` <span class="quiet">${say('more_asked', { count: others })}</span>`
  }</p></div>\n`;
}

const namesOf = (language: View['language'], makers: Petition['decision_makers']) =>
  makers.map(({ name, title, verified }, index) => [
    index > 0 && ' · ',
    html`<strong><bdi>${name}</bdi></strong>${title && html` <span class="quiet">(<bdi>${title}</bdi>)</span>`}${
      verified && html` ${verifiedBadge(language)}`
    }`,
  ]);

const verifiedBadge = (language: View['language']) =>
  html`<span class="badge good">${speak(petitionTexts, language)('verified_official')}</span>`;

/** The decision makers, if not all of them are named above the text. */
export function addressees({ language }: View, { decision_makers: makers }: Petition): Html {
  if (makers.length <= maxNamed) return html``;
  return html`<p class="small">${speak(petitionTexts, language)('asked', { names: namesOf(language, makers) })}</p>\n`;
}

/** Day of publication, category and tags. */
export const labels = ({ language }: View, { published_at, category, tags }: Petition): Html =>
  html`<p class="row small quiet">${published_at && html`<span>${formatDay(language, new Date(published_at))}</span>\n`}${
    category && label(`/petitions?category=${category.slug}`, category.name)
  }${tags.map((tag) => label(`/petitions?tag=${encodeURIComponent(tag)}`, tag, 'nofollow'))}</p>\n`;

const label = (href: string, text: string, rel?: 'nofollow') =>
  html`<a class="badge"${attribute('rel', rel)} href="${href}" dir="auto">${text}</a>\n`;

/** The last signers; petition.js adds newer ones. */
export function signerList(view: View, { signers, petition }: Parts, code?: string): Html {
  if (!signers || signers.length === 0) return html``;
  const say = speak(petitionTexts, view.language);
  return html`<section><h2>${say('signers')}</h2>
<ul class="list signers" data-signers data-somebody="${say('somebody')}">
${signers.map((one) => signerItem(view, one, { slug: petition.slug, code }))}</ul></section>
`;
}

function signerItem(
  view: View,
  signature: Signature,
  { slug, code }: { slug: string; code: string | undefined },
): Html {
  const say = speak(petitionTexts, view.language);
  const { id, user, comment, display_location: place } = signature;
  const name = user
    ? html`<a href="/u/${user.slug}"><bdi>${user.display_name}</bdi></a>`
    : say('somebody');
  const reportPath = pathTo(slug, { below: 'report', code, more: { signature: id } });
  const when = formatAgo(view.language, new Date(signature.created_at), view.ctx.now());
  return html`<li class="comment" data-id="${id}">${avatar(view, user ?? { display_name: '–', avatar_url: null })}<div>
<p class="small"><strong>${name}</strong> <span class="quiet">${place && html`<bdi>${place}</bdi> · `}${when}</span></p>
${
  comment &&
  html`<p class="plain-text" dir="auto">${comment}</p>
<div class="row small actions"><a href="${reportPath}" rel="nofollow">${say('report')}</a></div>`
}</div></li>
`;
}

/** Signatures below which the charts show nothing useful. */
const minCharted = 10;

/** Charts of the petition's growth and of the places of recent signatures. */
export function figuresSection(view: View, { petition, growth, places }: Parts): Html {
  if (petition.signature_count < minCharted) return html``;
  const say = speak(petitionTexts, view.language);
  const points = growth.map(({ date, cumulative }) => ({ at: new Date(date), value: cumulative }));
  return html`<section><h2>${say('figures')}</h2>
${points.length > 1 && growthChart(view, { caption: say('growth'), points })}${
    view.ctx.site.current.modules.map && placesMap(view, { caption: say('places'), places })
  }</section>
`;
}

/** The newest update, with a link to all. */
export function newsSection(
  view: View,
  { petition: { slug }, updates, dimensions }: Parts,
  code?: string,
): Html {
  const [newest] = updates;
  if (!newest) return html``;
  const say = speak(petitionTexts, view.language);
  return html`<section id="updates"><div class="row between"><h2>${say('updates')}</h2>
<a href="${pathTo(slug, { below: 'updates', code })}">${say('all_updates')}</a></div>
${newsItem(view, newest, { dimensions, heading: 3 })}</section>
`;
}

interface NewsItem {
  dimensions: Dimensions;
  /** Level of its heading. */
  heading: 2 | 3;
}

/** One update. */
export const newsItem = (
  view: View,
  { id, title, body, image_url, image_alt: alt, created_at }: Update,
  { dimensions, heading }: NewsItem,
): Html =>
  html`<article class="panel" id="u-${id}"><h${heading} dir="auto">${title}</h${heading}>
<p class="small quiet">${formatDay(view.language, new Date(created_at))}</p>
${image_url && picture(view, image_url, { alt, dimensions, sizes: `(min-width: 47rem) 40rem, calc(100vw - 5rem)` })}${markdownText(body, view.ctx.config)}</article>
`;

/** The petition's picture, or a pattern: the main image of the page. */
export function mainPicture(
  view: View,
  { petition, dimensions }: Pick<Parts, 'petition' | 'dimensions'>,
): Html {
  const pattern = html`<div class="picture">${categoryPattern(petition.category)}</div>\n`;
  if (!petition.image_url) return pattern;
  const layout = {
    alt: petition.image_alt,
    dimensions,
    sizes: `(min-width: 70rem) 42.5rem, (min-width: 56rem) calc(100vw - 27.5rem), ${fullWidth}`,
    loading: 'first',
  } as const;
  return picture(view, petition.image_url, layout, pattern);
}

type PictureOptions = Pick<Layout, 'sizes' | 'loading' | 'alt'> & { dimensions: Dimensions };

function picture(
  view: View,
  url: string,
  { dimensions, ...rest }: PictureOptions,
  instead?: Html,
): Html {
  const layout = { ...rest, className: 'picture', size: dimensions.get(url) };
  return html`${responsiveImage(view, url, layout, instead)}\n`;
}

const positionBadges = { acknowledged: '', supportive: 'good', opposed: 'bad', neutral: '' };

/** The newest answers of decision makers, in their order, with a link to all. */
export function responseList(
  view: View,
  { slug, code, own }: OpinionsOptions,
  { responses, hasEarlier }: NewestResponses,
): Html {
  if (responses.length === 0) return html``;
  const say = speak(petitionTexts, view.language);
  return html`<section id="responses"><div class="row between"><h2>${say('responses')}</h2>
${hasEarlier && html`<a rel="nofollow" href="${pathTo(slug, { below: 'responses', code })}">${say('all_responses')}</a>`}</div>
${responses.map((response) => responseItem(view, response, { slug, code, own }))}</section>
`;
}

/** One answer of a decision maker, and what signers think of it. */
export function responseItem(
  view: View,
  response: DecisionMakerResponse,
  options: OpinionsOptions,
): Html {
  const { language } = view;
  const { decision_maker: maker, status, body, created_at } = response;
  const { name, title } = maker;
  return html`<article class="panel" id="${anchorOf(response)}">
<p><strong><bdi>${name}</bdi></strong>${title && html` <span class="quiet"><bdi>${title}</bdi></span>`}
${maker.verified && verifiedBadge(language)}
${status && html`<span class="badge ${positionBadges[status]}">${speak(positionTexts, language)(status)}</span>`}</p>
${notResponsible(language, response)}<blockquote>${markdownText(body, view.ctx.config)}</blockquote>
<p class="small quiet">${formatDay(language, new Date(created_at))}${originOf(language, response)}</p>
${opinionsOf(view, response, options)}</article>
`;
}

/** That a decision maker says it is not theirs to decide. */
function notResponsible(
  language: Language,
  { not_responsible: isSaid, responsible }: DecisionMakerResponse,
): Html | false {
  if (!isSaid) return false;
  const say = speak(petitionTexts, language);
  return html`<p>${responsible === null ? say('not_responsible') : say('responsible_is', { responsible: html`<bdi>${responsible}</bdi>` })}</p>\n`;
}

/** Where a response comes from, and whether somebody has checked that. */
function originOf(
  language: Language,
  { decision_maker: maker, answered_from, vouched_by }: DecisionMakerResponse,
): Html | false {
  if (answered_from === null) return false;
  const say = speak(petitionTexts, language);
  const domain = `@${answered_from}`;
  if (maker.verified) return html` · ${say('answered_checked', { domain })}`;
  if (vouched_by) return html` · ${say('answered_vouched', { domain, name: vouched_by.name })}`;
  return html` · ${say('answered_from', { domain })}`;
}
