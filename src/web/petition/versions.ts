import { findVersionPair, listVersionDates } from '../../campaigns/petitions/list.ts';
import type { VersionText } from '../../campaigns/petitions/list.ts';
import { showPetition } from '../../campaigns/petitions/read.ts';
import type { Petition } from '../../campaigns/petitions/schema.ts';
import { attribute, html, type Content, type Html } from '../../platform/html.ts';
import type { Route } from '../../platform/http/route.ts';
import { formatDay, formatTime, speak, timeText } from '../../platform/pages/catalog.ts';
import { notFound } from '../../platform/problems.ts';
import { languageAttributes } from '../../platform/pages/text-language.ts';
import {
  callerOf,
  hiddenFields,
  listOf,
  noIndex,
  omitEmpty,
  sitePage,
  type PageHandler,
  type Site,
  type View,
} from '../site/site.ts';
import { petitionStyles } from './assets.ts';
import { pathTo, SlugRef } from './addresses.ts';
import { compareInTurn, type Piece } from './compare.ts';
import { isOpen } from './head.ts';
import { linkBack } from './link-back.ts';
import { petitionTexts } from './texts.ts';

export const versionRoutes = (site: Site): Route[] =>
  site.page({
    id: 'showPetitionVersions',
    path: '/p/{slug}/versions',
    closedToCrawlers: true,
    access: 'anyone',
    params: SlugRef,
    show: versionsPage,
  });

/** The line on a petition's page about the last change of its text after many had signed. */
export function changeLine(view: View, petition: Petition, code: string | undefined): Html | false {
  const { text_change: change, slug } = petition;
  if (!change) return false;
  const say = speak(petitionTexts, view.language);
  const day = formatDay(view.language, new Date(change.at));
  return html`<p class="notice">${say('text_changed', { day, count: change.signatures_before })} <a href="${pathTo(slug, { below: 'versions', code })}" rel="nofollow">${say('see_change')}</a></p>\n`;
}

/** Versions that a page lists and offers for a comparison. */
const pageSize = 100;

/** The versions of a petition's text, and what differs between two of them. */
const versionsPage: PageHandler<SlugRef, View> = async (view, { params, query }) => {
  const { ctx, language } = view;
  const say = speak(petitionTexts, language);
  const { access_code: code, cursor } = query;
  const caller = callerOf(view);
  const petition = await showPetition(ctx, caller, params.slug, code);
  const page = await listVersionDates(ctx, caller, petition.id, {
    ...omitEmpty({ access_code: code, cursor }),
    limit: pageSize,
  });
  const pair = pairIn(query, petition, page.items);
  const compared =
    pair && (await findVersionPair(ctx, caller, petition.id, { ...pair, access_code: code }));
  return sitePage(view, {
    title: view.say('labelled', { label: say('versions'), value: petition.title }),
    styles: [petitionStyles],
    head: noIndex,
    ...(isOpen(petition) && { cacheControl: 'public, max-age=5' }),
    main: html`${linkBack(view, petition, code)}<h1>${say('versions')}</h1>
${
  compared &&
  html`${pairForm(view, { petition, code, listed: page.items, compared })}${await comparison(view, petition, compared)}<h2>${say('all_versions')}</h2>\n`
}${!compared && !cursor && html`<p>${say('one_version')}</p>\n`}${listOf(view, page, { item: (one) => versionItem(view, one) })}`,
  });
};

type Listed = Awaited<ReturnType<typeof listVersionDates>>['items'][number];
type Compared = Awaited<ReturnType<typeof findVersionPair>>;

/** When a version was published, and how many had signed before. */
function versionItem(
  view: View,
  { version, created_at: at, signatures_before: count }: Listed,
): Html {
  const say = speak(petitionTexts, view.language);
  return html`<li><p><strong>${say('version', { number: version })}</strong> <span class="small quiet">${formatTime(view.language, new Date(at))}${
    count !== null && html` · ${say('version_signed', { count })}`
  }</span></p></li>\n`;
}

/**
 * The two versions that the query names. By default the last text that had been signed before the change, or the one
 * before the newest, and the newest; none if there is only one, or on further pages of the list.
 */
function pairIn(
  { from, to, cursor }: Record<string, string>,
  { text_change: change }: Petition,
  [first]: Listed[],
): { from: number; to: number } | undefined {
  const newest = first?.version ?? 1;
  if (!from && !to && (cursor || newest === 1)) return undefined;
  const before = change && change.version <= newest ? change.version - 1 : newest - 1;
  return { from: versionIn(from) ?? Math.max(1, before), to: versionIn(to) ?? newest };
}

/**
 * The number of a version in the query; undefined if it is empty.
 * @throws {Problem} not-found if it is no number
 */
function versionIn(text: string | undefined): number | undefined {
  if (!text) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw notFound('version');
  return Number(text);
}

interface PairForm {
  petition: Petition;
  code: string | undefined;
  listed: Listed[];
  compared: Compared;
}

/** Chooses which two versions are compared. */
function pairForm(view: View, { petition, code, listed, compared }: PairForm): Html {
  const say = speak(petitionTexts, view.language);
  // The two that are shown may be on another page of the list.
  const all = new Map([...listed, compared.from, compared.to].map((one) => [one.version, one]));
  const versions = [...all.values()].toSorted((a, b) => b.version - a.version);
  const choice = (name: 'from' | 'to', label: Content) =>
    html`<div class="field"><label for="${name}">${label}</label>
<select id="${name}" name="${name}">
${versions.map(
  ({ version, created_at: at }) =>
    html`<option value="${version}"${attribute('selected', version === compared[name].version)}>${say('version_at', { number: version, time: timeText(view.language, new Date(at)) })}</option>\n`,
)}</select></div>\n`;
  return html`<form class="panel" action="${pathTo(petition.slug, { below: 'versions' })}">${hiddenFields({ access_code: code })}
${choice('from', say('compare_from'))}${choice('to', say('compare_to'))}<button class="second">${say('compare')}</button></form>
`;
}

/** What differs between two versions. */
async function comparison(
  view: View,
  { id, language }: Petition,
  { from, to }: Compared,
): Promise<Html> {
  const say = speak(petitionTexts, view.language);
  const numbers = { from: from.version, to: to.version };
  const compare = (name: 'title' | 'description') =>
    comparedText(view, {
      key: JSON.stringify([id, name, from.version, to.version]),
      before: { text: from[name], version: from },
      after: { text: to[name], version: to },
      attributes: languageAttributes(language, view.language),
    });
  return html`<section class="compared"><h2>${say('compared', numbers)}</h2>
<h3>${say('compared_title')}</h3>
${await compare('title')}<h3>${say('compared_description')}</h3>
${await compare('description')}</section>
`;
}

interface Side {
  /** Null if a moderator has removed it. */
  text: string | null;
  version: VersionText;
}

interface ComparedText {
  /** Of the cached comparison. */
  key: string;
  before: Side;
  after: Side;
  /** Direction and language of both texts. */
  attributes: Html;
}

/** Two texts as one, with what was removed and added. */
async function comparedText(
  view: View,
  { key, before, after, attributes }: ComparedText,
): Promise<Html> {
  const say = speak(petitionTexts, view.language);
  if (before.version.version === after.version.version) return wholeText(view, after, attributes);
  const { text: old } = before;
  const { text: now } = after;
  if (old === null || now === null)
    return html`${sideText(view, before, attributes)}${sideText(view, after, attributes)}`;
  if (old === now)
    return html`<p class="quiet">${say('compared_same')}</p>\n${wholeText(view, after, attributes)}`;
  // The same for every language and visitor. A redaction changes it within a second.
  const pieces = await view.ctx.cache.read('version-comparisons', key, () =>
    compareInTurn(old, now),
  );
  if (pieces)
    return html`<p class="plain-text"${attributes}>${pieces.map((one) => marked(view, one))}</p>\n`;
  return html`<p class="quiet">${say('compared_too_different')}</p>
${sideText(view, before, attributes)}${sideText(view, after, attributes)}`;
}

/** A text whole, under the number of its version. */
const sideText = (view: View, side: Side, attributes: Html): Html =>
  html`<p><strong>${speak(petitionTexts, view.language)('version', { number: side.version.version })}</strong></p>
${wholeText(view, side, attributes)}`;

/** A text, or why a moderator has removed it. */
function wholeText(view: View, { text, version }: Side, attributes: Html): Html {
  if (text !== null) return html`<p class="plain-text"${attributes}>${text}</p>\n`;
  const { redaction_reason: reason } = version;
  const say = speak(petitionTexts, view.language);
  return html`<p class="notice warn">${
    reason === null
      ? say('version_redacted')
      : say('version_redacted_for', { reason: html`<bdi>${reason}</bdi>` })
  }</p>\n`;
}

/**
 * A run of text. Few screen readers announce ins and del, so words that only they read stand around them: isolated, since
 * the first letter decides the direction of the paragraph.
 */
function marked(view: View, { kind, text }: Piece): Content {
  if (kind === 'same') return text;
  const say = speak(petitionTexts, view.language);
  const hidden = (words: Html) =>
    html`<bdi class="visually-hidden" lang="${view.language}">${words}</bdi>`;
  return kind === 'removed'
    ? html`<del>${hidden(html`${say('removed_start')} `)}${text}${hidden(html` ${say('removed_end')}`)}</del>`
    : html`<ins>${hidden(html`${say('added_start')} `)}${text}${hidden(html` ${say('added_end')}`)}</ins>`;
}
