import { html } from '../../platform/html.ts';
import type { Route } from '../../platform/http/route.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { notFound } from '../../platform/problems.ts';
import { markdownText } from '../../platform/pages/markdown-text.ts';
import { languageAttributes } from '../../platform/pages/text-language.ts';
import { getComment } from '../../campaigns/comments/comments.ts';
import {
  listPublishedResponses,
  newestResponses,
} from '../../campaigns/decision-makers/decision-makers.ts';
import { dimensionsAt } from '../../campaigns/media/media.ts';
import { showPetition } from '../../campaigns/petitions/read.ts';
import { listUpdates } from '../../campaigns/updates/updates.ts';
import {
  callerOf,
  omitEmpty,
  nextLink,
  noIndex,
  sitePage,
  type Site,
  type View,
  type PageHandler,
} from '../site/site.ts';
import { petitionStyles, shareScript } from './assets.ts';
import { CommentRef, pathTo, SlugRef } from './addresses.ts';
import { commentForm, threadList } from './comments.ts';
import { headOf, isOpen } from './head.ts';
import { findOwnOpinions } from '../../campaigns/answer-opinions/answer-opinions.ts';
import { linkBack } from './link-back.ts';
import { authorsOf, readDiscussion } from './parts.ts';
import { mainPicture, newsItem, responseItem, responseList } from './sections.ts';
import { shareBox } from './share-box.ts';
import { petitionTexts } from './texts.ts';

const common = { access: 'anyone', params: SlugRef } as const;

/** Pages with more than the page of a petition has room for. */
export const listRoutes = (site: Site): Route[] => [
  ...site.page({
    ...common,
    id: 'showPetitionNews',
    closedToCrawlers: ['cursor'],
    path: '/p/{slug}/updates',
    show: newsPage,
  }),
  ...site.page({
    ...common,
    id: 'showPetitionResponses',
    closedToCrawlers: true,
    path: '/p/{slug}/responses',
    show: responsesPage,
  }),
  ...site.page({
    ...common,
    id: 'showVictory',
    path: '/p/{slug}/victory',
    show: victoryPage,
  }),
  ...site.page({
    ...common,
    id: 'showPetitionComments',
    closedToCrawlers: true,
    module: 'comments',
    path: '/p/{slug}/comments',
    show: commentsPage,
  }),
  ...site.page({
    ...common,
    id: 'showThread',
    closedToCrawlers: true,
    module: 'comments',
    path: '/p/{slug}/comments/{id}',
    params: CommentRef,
    show: threadPage,
  }),
];

/** Replies of one thread that its page shows; more than anyone reads. */
const maxThreadReplies = 500;

/** All updates of a petition, newest first. */
const newsPage: PageHandler<SlugRef, View> = async (view, { params, query }) => {
  const say = speak(petitionTexts, view.language);
  const { access_code: code, cursor } = query;
  const caller = callerOf(view);
  const petition = await showPetition(view.ctx, caller, params.slug, code);
  const list = omitEmpty({ access_code: code, cursor });
  const page = await listUpdates(view.ctx, caller, petition.id, list);
  const pictures = page.items.flatMap(({ image_url }) => image_url ?? []);
  const dimensions = await dimensionsAt(view.ctx, pictures);
  return sitePage(view, {
    title: view.say('labelled', { label: say('updates'), value: petition.title }),
    styles: [petitionStyles],
    head: headOf(view, petition, '/updates'),
    ...(isOpen(petition) && { cacheControl: 'public, max-age=5' }),
    main: html`${linkBack(view, petition, code)}<h1>${say('updates')}</h1>
${page.items.length === 0 && html`<p class="quiet">${say('no_updates')}</p>`}${page.items.map((one) => newsItem(view, one, { dimensions, heading: 2 }))}${nextLink(view, page)}`,
  });
};

/** All published answers of decision makers, oldest first. */
const responsesPage: PageHandler<SlugRef, View> = async (view, { params, query }) => {
  const say = speak(petitionTexts, view.language);
  const { access_code: code, cursor } = query;
  const caller = callerOf(view);
  const petition = await showPetition(view.ctx, caller, params.slug, code);
  const list = omitEmpty({ access_code: code, cursor });
  const page = await listPublishedResponses(view.ctx, caller, petition.id, list);
  const own = caller ? await findOwnOpinions(view.ctx, petition.id, caller.userId) : undefined;
  return sitePage(view, {
    title: view.say('labelled', { label: say('responses'), value: petition.title }),
    styles: [petitionStyles],
    head: noIndex,
    ...(isOpen(petition) && { cacheControl: 'public, max-age=5' }),
    main: html`${linkBack(view, petition, code)}<h1>${say('responses')}</h1>
${page.items.length === 0 && html`<p class="quiet">${say('no_responses')}</p>`}${page.items.map((one) => responseItem(view, one, { slug: petition.slug, code, own, isOnList: true }))}${nextLink(view, page)}`,
  });
};

/** All comments on a petition. */
const commentsPage: PageHandler<SlugRef, View> = async (view, { params, query }) => {
  const say = speak(petitionTexts, view.language);
  const { access_code: code, cursor } = query;
  const caller = callerOf(view);
  const petition = await showPetition(view.ctx, caller, params.slug, code);
  const list = omitEmpty({ access_code: code, cursor });
  const discussion = await readDiscussion(view.ctx, caller, petition.id, list);
  const { threads, authors } = discussion;
  return sitePage(view, {
    title: view.say('labelled', { label: say('comments'), value: petition.title }),
    styles: [petitionStyles],
    head: noIndex,
    ...(isOpen(petition) && { cacheControl: 'public, max-age=5' }),
    main: html`${linkBack(view, petition, code)}<h1 id="comments">${say('comments')}</h1>
${!cursor && commentForm(view, petition, code)}${threads.length === 0 && html`<p class="quiet">${say('no_comments')}</p>`}${threadList(view, { petition, code, authors, maxReplies: 10 }, threads)}${nextLink(view, discussion)}`,
  });
};

/** One comment with all replies to it. */
const threadPage: PageHandler<CommentRef, View> = async (view, { params, query }) => {
  const say = speak(petitionTexts, view.language);
  const { access_code: code } = query;
  const caller = callerOf(view);
  const petition = await showPetition(view.ctx, caller, params.slug, code);
  const comment = await getComment(view.ctx, caller, { id: params.id, code });
  if (comment.petition_id !== petition.id) throw notFound('comment');
  const authors = await authorsOf(view.ctx, [comment]);
  const setting = { petition, code, authors, maxReplies: maxThreadReplies };
  return sitePage(view, {
    title: view.say('labelled', { label: say('comments'), value: petition.title }),
    styles: [petitionStyles],
    head: noIndex,
    ...(isOpen(petition) && { cacheControl: 'public, max-age=5' }),
    main: html`${linkBack(view, petition, code)}<h1>${say('comments')}</h1>
${threadList(view, setting, [comment])}`,
  });
};

/** A victory, with links for sharing it. */
const victoryPage: PageHandler<SlugRef, View> = async (
  view,
  { params, query: { access_code: code } },
) => {
  const { ctx } = view;
  const petition = await showPetition(ctx, callerOf(view), params.slug, code);
  if (petition.status !== 'victory') throw notFound('victory');
  const [responses, dimensions] = await Promise.all([
    newestResponses(ctx, callerOf(view), petition.id, { access_code: code, limit: 5 }),
    dimensionsAt(ctx, petition.image_url === null ? [] : [petition.image_url]),
  ]);
  const say = speak(petitionTexts, view.language);
  const signatures = html`<strong class="number">${say('count', { count: petition.signature_count })}</strong>`;
  return sitePage(view, {
    title: html`${say('victory')} ${petition.title}`,
    styles: [petitionStyles],
    scripts: [shareScript],
    head: headOf(view, petition, '/victory'),
    ...(isOpen(petition) && { cacheControl: 'public, max-age=5' }),
    main: html`<div class="band"><p class="figure">${say('victory')}</p>
<h1${languageAttributes(petition.language, view.language)}>${petition.title}</h1>
<p class="lead">${say('victory_lead', { signatures })}</p></div>
${mainPicture(view, { petition, dimensions })}${
      petition.victory_message &&
      html`<blockquote>${markdownText(petition.victory_message, ctx.config)}</blockquote>\n`
    }${responseList(view, { slug: petition.slug, code, own: undefined }, responses)}<p><a class="button second" href="${pathTo(petition.slug, { code })}">${say('to_petition')}</a></p>
${isOpen(petition) && html`<div class="panel">${shareBox(view, petition, { below: '/victory' })}</div>`}`,
  });
};
