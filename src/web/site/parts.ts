import { attribute, html, type Content, type Html } from '../../platform/html.ts';
import type { Page } from '../../platform/cursor.ts';
import { formatNumber, type Say } from '../../platform/pages/catalog.ts';
import type { PublicProfile } from '../../identity/accounts/schema.ts';
import type { PetitionSummary } from '../../campaigns/petitions/schema.ts';
import { responsiveImage, type PictureView } from './responsive-image.ts';
import type { View } from './view.ts';

type Person = Pick<PublicProfile, 'display_name' | 'avatar_url'>;

/** Widths of avatars in pixels; site.css has the same in rem. */
const avatarWidths = { small: 28, middle: 40, large: 80 };

/** The picture of a person or organization, or the first letter of the name. The name must stand beside it. */
export function avatar(
  view: PictureView,
  { display_name, avatar_url }: Person,
  size: keyof typeof avatarWidths = 'middle',
): Html {
  const className = size === 'middle' ? 'avatar' : `avatar ${size}`;
  const initial = html`<span class="${className}" aria-hidden="true">${initialOf(display_name)}</span>`;
  if (!avatar_url) return initial;
  const width = avatarWidths[size];
  const layout = { className, sizes: `${width / 16}rem`, size: { width, height: width } };
  return responsiveImage(view, avatar_url, layout, initial);
}

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
export const feedLinks = ({ language, say }: View): Html =>
  html`${(['new', 'trending'] as const).map(
    (name) =>
      html`<link rel="alternate" type="application/atom+xml" href="/feeds/${name}.atom${language !== 'en' && `?lang=${language}`}" title="${say(`feed_${name}`)}">\n`,
  )}`;

/** The link to the next page of a list; `path` is that of this page. */
export const nextLink = (
  view: View,
  { nextCursor }: { nextCursor: string | null },
  path = view.path,
): Html | false => {
  if (nextCursor === null) return false;
  const url = new URL(path, 'http://own.invalid');
  url.searchParams.set('cursor', nextCursor);
  return html`<p><a class="button second" rel="next nofollow" href="${url.pathname + url.search}">${view.say('next_page')}</a></p>`;
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

interface Tab {
  href: string;
  label: Content;
  isCurrent: boolean;
  rel?: 'nofollow';
}

/** Links to the parts of a page. */
export const tabs = (entries: readonly Tab[]): Html => html`<ul class="tabs">
${entries.map(
  ({ href, label, isCurrent, rel }) =>
    html`<li><a href="${href}"${attribute('rel', rel)}${attribute('aria-current', isCurrent && 'page')}>${label}</a></li>\n`,
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
