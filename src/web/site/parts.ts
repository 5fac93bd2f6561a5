import { attribute, html, type Content, type Html } from '../../platform/html.ts';
import { formatNumber, type Say } from '../../platform/pages/catalog.ts';
import type { PublicProfile } from '../../identity/accounts/schema.ts';
import type { PetitionSummary } from '../../campaigns/petitions/schema.ts';
import type { View } from './view.ts';

type Face = Pick<PublicProfile, 'display_name' | 'avatar_url'>;

/** Somebody's picture, or the first letter of the name. Their name must stand beside it. */
export const avatar = ({ display_name, avatar_url }: Face, size?: 'large'): Html =>
  avatar_url
    ? html`<img class="avatar ${size}" src="${avatar_url}" alt="" loading="lazy" referrerpolicy="no-referrer">`
    : html`<span class="avatar ${size}" aria-hidden="true">${initialOf(display_name)}</span>`;

/**
 * What was done just now, where the address of the page says so. `known` are the texts that it may name,
 * with or without `done_` before.
 */
export const doneNotice = <Name extends string>(
  say: Say<NoInfer<Name>>,
  done: string | undefined,
  known: readonly Name[],
): Html | undefined => {
  const name = known.find((one) => one === done || one === `done_${done}`);
  return name && html`<p class="notice" role="status">${say(name)}</p>\n`;
};

/** Copies the field of that id; where a browser refuses, it selects it, so that its reader can. */
export const copyButton = ({ say }: View, fieldId: string): Html =>
  html`<button class="second" type="button" data-with-script hidden data-copy="${fieldId}" data-copied="${say('copied')}" data-refused="${say('copy_yourself')}">${say('copy')}</button>
<span class="small quiet" role="status"></span>`;

/** For the head: the one address under which a page should be known. */
export const canonicalLink = ({ ctx }: View, path: string): Html =>
  html`<link rel="canonical" href="${ctx.config.baseUrl}${path}">\n`;

/** For the head: search engines are to leave the page out. */
export const noIndex = html`<meta name="robots" content="noindex">\n`;

/** For the head: what feed readers find. */
export const feedLinks = ({ say }: View): Html =>
  html`<link rel="alternate" type="application/atom+xml" href="/feeds/new.atom" title="${say('feed_new')}">
<link rel="alternate" type="application/atom+xml" href="/feeds/trending.atom" title="${say('feed_trending')}">\n`;

/** The link to what comes after this page of a list, which is at `path` unless it is the one asked for. */
export const nextLink = (
  view: View,
  { nextCursor }: { nextCursor: string | null },
  path = view.path,
): Html | false => {
  if (nextCursor === null) return false;
  const url = new URL(path, 'http://here.invalid');
  url.searchParams.set('cursor', nextCursor);
  url.searchParams.delete('done');
  return html`<p><a class="button second" rel="next" href="${url.pathname + url.search}">${view.say('next_page')}</a></p>`;
};

/** A section in a box of its own. */
export const panel = (title: Content, content: Content, id?: string): Html =>
  html`<section class="panel"${attribute('id', id)}><h2>${title}</h2>
${content}</section>\n`;

/** This page of a list, or the text that there is nothing, with the link to the next page. */
export const itemList = <T>(
  view: View,
  page: { items: readonly T[]; nextCursor: string | null },
  item: (one: T) => Html,
  none?: Content,
): Html =>
  html`${
    page.items.length > 0
      ? html`<ul class="list">\n${page.items.map(item)}</ul>`
      : none && html`<p>${none}</p>`
  }
${nextLink(view, page)}`;

const graphemes = new Intl.Segmenter();
const initialOf = (name: string) =>
  graphemes.segment(name.trim())[Symbol.iterator]().next().value?.segment.toUpperCase();

/** How far signatures have come towards the goal. */
export function progressOf(
  { say, language }: View,
  {
    signature_count: count,
    signature_goal: goal,
  }: Pick<PetitionSummary, 'signature_count' | 'signature_goal'>,
): Html {
  return html`<p class="number"><strong>${say('signatures', { count })}</strong>${
    goal !== null &&
    html` <span class="quiet">${say('of_goal', { goal: formatNumber(language, goal) })}</span>`
  }</p>
${
  goal !== null &&
  html`<progress class="progress" max="${goal}" value="${Math.min(count, goal)}" aria-label="${say('towards_goal')}"></progress>`
}`;
}

const badgeKinds: Record<PetitionSummary['status'], string> = {
  draft: '',
  under_review: 'warn',
  active: 'good',
  closed: '',
  victory: 'good',
};

/** The state of a petition, in a word. */
export const statusBadge = ({ say }: View, status: PetitionSummary['status']): Html =>
  html`<span class="badge ${badgeKinds[status]}">${say(`status_${status}`)}</span>`;

/** A petition in a list of cards. */
export function petitionCard(view: View, petition: PetitionSummary): Html {
  const { say } = view;
  const { slug, title, image_url: image, creator, status } = petition;
  return html`<li class="card">
${image && html`<img src="${image}" alt="" loading="lazy" referrerpolicy="no-referrer">\n`}<div class="body">
<h3 dir="auto"><a href="/p/${slug}">${title}</a></h3>
<p class="small quiet"><bdi>${creator?.display_name ?? say('erased_user')}</bdi></p>
<p class="small clamp" dir="auto">${petition.description.slice(0, 300)}</p>
<div class="foot">${status !== 'active' && statusBadge(view, status)}${progressOf(view, petition)}</div>
</div></li>\n`;
}
