import { attribute, html, type Content, type Html } from '../../platform/html.ts';
import type { Page } from '../../platform/cursor.ts';
import { formatNumber, type Say } from '../../platform/pages/catalog.ts';
import { plainStartOf } from '../../platform/markdown/markdown.ts';
import type { PublicProfile } from '../../identity/accounts/schema.ts';
import type { PetitionSummary } from '../../campaigns/petitions/schema.ts';
import { fullWidth, responsiveImage, type Layout } from './responsive-image.ts';
import type { View } from './view.ts';

type Person = Pick<PublicProfile, 'display_name' | 'avatar_url'>;

/** The picture of a person or organization, or the first letter of the name. The name must stand beside it. */
export const avatar = (
  view: Pick<View, 'ctx'>,
  { display_name, avatar_url }: Person,
  size?: 'large',
): Html =>
  avatar_url
    ? responsiveImage(view, avatar_url, {
        className: size ? `avatar ${size}` : 'avatar',
        sizes: size ? '5rem' : '2.5rem',
        size: size ? { width: 80, height: 80 } : { width: 40, height: 40 },
      })
    : html`<span class="avatar ${size}" aria-hidden="true">${initialOf(display_name)}</span>`;

/** Reports what was done, by its text: `done` is the name of one of the `known` texts, without its `done_`. */
export const doneNotice = <Name extends string>(
  say: Say<NoInfer<Name>>,
  done: string | undefined,
  known: readonly Name[],
): Html | undefined => {
  const name = known.find((one) => one === done || one === `done_${done}`);
  return name && html`<p class="notice" role="status">${say(name)}</p>\n`;
};

/** Copies the field of this id, or selects it if the browser refuses to copy. */
export const copyButton = ({ say }: View, fieldId: string, attributes?: Html): Html =>
  html`<button class="second" type="button" data-with-script hidden data-copy="${fieldId}"${attributes} data-copied="${say('copied')}" data-refused="${say('copy_yourself')}">${say('copy')}</button>
<span class="small quiet" role="status"></span>`;

/** For the head: the canonical address of the page. */
export const canonicalLink = ({ ctx }: View, path: string): Html =>
  html`<link rel="canonical" href="${ctx.config.baseUrl}${path}">\n`;

/** For the head: excludes the page from search engines. */
export const noIndex = html`<meta name="robots" content="noindex">\n`;

/** For the head: feeds of petitions. */
export const feedLinks = ({ say }: View): Html =>
  html`<link rel="alternate" type="application/atom+xml" href="/feeds/new.atom" title="${say('feed_new')}">
<link rel="alternate" type="application/atom+xml" href="/feeds/trending.atom" title="${say('feed_trending')}">\n`;

/** The link to the next page of a list; `path` is that of this page. */
export const nextLink = (
  view: View,
  { nextCursor }: { nextCursor: string | null },
  path = view.path,
): Html | false => {
  if (nextCursor === null) return false;
  const url = new URL(path, 'http://own.invalid');
  url.searchParams.set('cursor', nextCursor);
  return html`<p><a class="button second" rel="next" href="${url.pathname + url.search}">${view.say('next_page')}</a></p>`;
};

/** A section in a box of its own. */
export const panel = (title: Content, content: Content, id?: string): Html =>
  html`<section class="panel"${attribute('id', id)}><h2>${title}</h2>
${content}</section>\n`;

interface List<T> {
  item: (one: T, index: number) => Html;
  /** Shown instead of an empty list. */
  empty?: Content;
  className?: string;
}

/** A page of a list, with the link to the next one. */
export const listOf = <T>(
  view: View,
  page: Page<T>,
  { item, empty, className = 'list' }: List<T>,
): Html => html`${
  page.items.length > 0
    ? html`<ul class="${className}">
${page.items.map(item)}</ul>`
    : empty
}
${nextLink(view, page)}`;

/** A page of petitions as cards; `empty` is shown instead of none. */
export const petitionList = (view: View, page: Page<PetitionSummary>, empty: Html): Html =>
  listOf(view, page, {
    className: 'cards',
    item: (petition, index) => petitionCard(view, petition, loadingAt(index)),
    empty: html`<p>${empty}</p>`,
  });

interface Tab {
  href: string;
  label: Content;
  isCurrent: boolean;
}

/** Links to the parts of a page. */
export const tabs = (entries: readonly Tab[]): Html => html`<ul class="tabs">
${entries.map(
  ({ href, label, isCurrent }) =>
    html`<li><a href="${href}"${attribute('aria-current', isCurrent && 'page')}>${label}</a></li>\n`,
)}</ul>
`;

const graphemes = new Intl.Segmenter();
const initialOf = (name: string) =>
  graphemes.segment(name.trim())[Symbol.iterator]().next().value?.segment.toUpperCase();

/** The count of signatures, and its progress towards the goal. */
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

/** The status of a petition. */
export const statusBadge = ({ say }: View, status: PetitionSummary['status']): Html =>
  html`<span class="badge ${badgeKinds[status]}">${say(`status_${status}`)}</span>`;

/** Cards that a window shows at first. */
const firstCards = 3;

/** How the picture of a card is loaded, by its place in a list at the start of a page. */
export const loadingAt = (index: number): Layout['loading'] =>
  index < firstCards ? 'eager' : 'lazy';

const cardLayout = {
  sizes: `(min-width: 62rem) 22rem, (min-width: 42rem) 50vw, ${fullWidth}`,
  size: { width: 640, height: 360 },
};

/** A petition in a list of cards. */
export function petitionCard(
  view: View,
  petition: PetitionSummary,
  loading?: Layout['loading'],
): Html {
  const { say } = view;
  const { slug, title, image_url: image, creator, status } = petition;
  return html`<li class="card">
${image && html`${responsiveImage(view, image, { ...cardLayout, ...(loading && { loading }) })}\n`}<div class="body">
<h3 dir="auto"><a href="/p/${slug}">${title}</a></h3>
<p class="small quiet"><bdi>${creator?.display_name ?? say('erased_user')}</bdi></p>
<p class="small clamp" dir="auto">${plainStartOf(petition.description, 300)}</p>
<div class="foot">${status !== 'active' && statusBadge(view, status)}${progressOf(view, petition)}</div>
</div></li>\n`;
}
