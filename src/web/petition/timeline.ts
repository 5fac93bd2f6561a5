import { Type } from 'typebox';
import { positionTexts } from '../../campaigns/decision-makers/decision-makers.ts';
import { requireReadablePetition, showPetition } from '../../campaigns/petitions/read.ts';
import type { Petition } from '../../campaigns/petitions/schema.ts';
import { html, type Html } from '../../platform/html.ts';
import { raw, routes, type Route } from '../../platform/http/route.ts';
import { formatDay, plainText, speak } from '../../platform/pages/catalog.ts';
import { isLanguage, type Language } from '../../platform/pages/language.ts';
import { asPage } from '../../platform/pages/problem-pages.ts';
import { pageUrl } from '../../reach/embeds/embeds.ts';
import { toAtom, withTag, type Entry } from '../../reach/feeds/feeds.ts';
import type { TimelineEntry } from '../../reach/timeline/schema.ts';
import { listTimeline } from '../../reach/timeline/timeline.ts';
import {
  callerOf,
  nextLink,
  noIndex,
  omitEmpty,
  sitePage,
  type PageHandler,
  type Site,
  type View,
} from '../site/site.ts';
import { pathTo, SlugRef } from './addresses.ts';
import { petitionStyles } from './assets.ts';
import { isOpen } from './head.ts';
import { linkBack } from './link-back.ts';
import { petitionTexts, type PetitionText } from './texts.ts';

const api = routes('Pages');

/** What happened to a petition: as a page, and as a feed. */
export const timelineRoutes = (site: Site): Route[] => [
  ...site.page({
    id: 'showTimeline',
    path: '/p/{slug}/timeline',
    closedToCrawlers: true,
    access: 'anyone',
    params: SlugRef,
    show: timelinePage,
  }),
  api.get('/p/{slug}/feed.atom', {
    id: 'getTimelineFeed',
    summary: 'What happened to a petition, as a feed',
    page: true,
    auth: { access: 'anyone', ignoresCredentials: true },
    params: SlugRef,
    query: Type.Object({
      lang: Type.Optional(Type.String({ maxLength: 10 })),
      access_code: Type.Optional(Type.String({ maxLength: 100 })),
    }),
    returns: raw('application/atom+xml'),
    failures: { format: asPage },
    problems: ['forbidden', 'not-found'],
    async handle({ ctx, params, query: { lang, access_code: code }, header }) {
      const petition = await requireReadablePetition(ctx, null, params.slug, code);
      const list = { ...omitEmpty({ access_code: code }), limit: feedEntries };
      const page = pageUrl(ctx.config, petition.slug);
      const { items } = await listTimeline(ctx, null, petition.id, list);
      const language = isLanguage(lang) ? lang : 'en';
      const { text: body, etag } = withTag(
        toAtom({
          url: `${page}/feed.atom${searchOf({ lang: lang && language, access_code: code })}`,
          title: plainText(petitionTexts, language, 'timeline_of', { title: petition.title }),
          language,
          author: ctx.site.current.name,
          entries: items.map((one) =>
            feedEntry(one, { language, page, code, site: ctx.site.current.name }),
          ),
        }),
      );
      header('cache-control', code === undefined ? 'public, max-age=60' : 'private, no-store');
      return { mediaType: 'application/atom+xml; charset=utf-8', body, etag };
    },
  }),
];

const feedEntries = 50;

/** A query with the values that there are. */
function searchOf(values: Record<string, string | undefined>): string {
  const given = Object.entries(values).flatMap(([name, value]) => (value ? [[name, value]] : []));
  const query = new URLSearchParams(given).toString();
  return query && `?${query}`;
}

interface FeedOptions {
  language: Language;
  /** URL of the petition's page. */
  page: string;
  code: string | undefined;
  site: string;
}

function feedEntry(entry: TimelineEntry, { language, page, code, site }: FeedOptions): Entry {
  const at = new Date(entry.at);
  const text = textOf(language, entry);
  return {
    id: `${page}/timeline#${entry.id}`,
    title: text,
    language,
    url: `${page}/${entry.update ? 'updates' : 'timeline'}${searchOf({ access_code: code })}${entry.update ? `#u-${entry.update.id}` : ''}`,
    author: site,
    category: null,
    publishedAt: at,
    updatedAt: at,
    summary: text,
  };
}

/** What happened, in a line. */
function textOf(language: Language, { type, count, update, ...entry }: TimelineEntry): string {
  const say = (name: PetitionText, values: Record<string, string | number> = {}) =>
    plainText(petitionTexts, language, name, values);
  const name = [entry.decision_maker?.name, entry.decision_maker?.title].filter(Boolean).join(', ');
  switch (type) {
    case 'milestone':
      return say('count', { count: count! });
    case 'update':
      return say('timeline_update', { title: update!.title });
    case 'text_changed':
      return count === null
        ? say('timeline_text_changed')
        : say('timeline_text_changed_at', { signatures: say('count', { count }) });
    case 'delivered':
      return say('timeline_delivered', { name });
    case 'answered':
      return entry.position === null
        ? say('timeline_answered', { name })
        : say('timeline_answered_so', {
            name,
            position: plainText(positionTexts, language, entry.position),
          });
    case 'published':
    case 'closed':
    case 'victory':
      break;
  }
  return say(`timeline_${type}`);
}

interface Shown {
  petition: Petition;
  code?: string | undefined;
}

const entryList = (
  { language }: View,
  { petition: { slug }, code }: Shown,
  entries: readonly TimelineEntry[],
): Html =>
  html`<ol class="timeline">
${entries.map((entry) => {
  const text = html`<span dir="auto">${textOf(language, entry)}</span>`;
  const path = entry.update && `${pathTo(slug, { below: 'updates', code })}#u-${entry.update.id}`;
  return html`<li>${path ? html`<a href="${path}">${text}</a>` : text} <span class="small quiet">${formatDay(language, new Date(entry.at))}</span></li>\n`;
})}</ol>\n`;

/** The newest entries on the page of a petition. */
export function timelineSection(
  view: View,
  shown: Shown,
  entries: readonly TimelineEntry[],
): Html | false {
  if (entries.length < 2) return false;
  const say = speak(petitionTexts, view.language);
  const path = pathTo(shown.petition.slug, { below: 'timeline', code: shown.code });
  return html`<section id="timeline"><div class="row between"><h2>${say('timeline')}</h2>
<a href="${path}" rel="nofollow">${say('timeline_all')}</a></div>
${entryList(view, shown, entries)}</section>
`;
}

const feedPath = (slug: string, language: Language): string =>
  `/p/${slug}/feed.atom${language === 'en' ? '' : `?lang=${language}`}`;

/** The feed, in the head of the timeline's page alone: crawlers would read one more address for each petition. */
const timelineFeedLink = (
  { language }: View,
  { slug, title }: Pick<Petition, 'slug' | 'title'>,
): Html =>
  html`<link rel="alternate" type="application/atom+xml" href="${feedPath(slug, language)}" title="${speak(petitionTexts, language)('timeline_of', { title })}">\n`;

const timelinePage: PageHandler<SlugRef, View> = async (view, { params, query }) => {
  const { ctx, language } = view;
  const say = speak(petitionTexts, language);
  const { access_code: code, cursor } = query;
  const caller = callerOf(view);
  const petition = await showPetition(ctx, caller, params.slug, code);
  const page = await listTimeline(ctx, caller, petition.id, {
    ...omitEmpty({ access_code: code, cursor }),
    limit: 50,
  });
  const { slug } = petition;
  const feed = isOpen(petition) && timelineFeedLink(view, petition);
  return sitePage(view, {
    title: view.say('labelled', { label: say('timeline'), value: petition.title }),
    styles: [petitionStyles],
    head: html`${noIndex}${feed}`,
    ...(isOpen(petition) && { cacheControl: 'public, max-age=5' }),
    main: html`${linkBack(view, petition, code)}<h1>${say('timeline')}</h1>
${entryList(view, { petition, code }, page.items)}${nextLink(view, page)}${feed && html`<p class="small"><a href="${feedPath(slug, language)}" rel="nofollow">${say('timeline_feed')}</a></p>`}`,
  });
};
