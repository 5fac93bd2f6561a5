import { html, type Html } from '../../platform/html.ts';
import type { RawAnswer } from '../../platform/http/route.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { notFound } from '../../platform/problems.ts';
import { getComment } from '../../campaigns/comments/comments.ts';
import { showPetition } from '../../campaigns/petitions/read.ts';
import type { Petition } from '../../campaigns/petitions/schema.ts';
import { listUpdates } from '../../campaigns/updates/updates.ts';
import { callerOf, noIndex, sitePage, type View } from '../site/site.ts';
import { pathTo } from './addresses.ts';
import { commentForm, threadList } from './comments.ts';
import { headOf, isOpen } from './head.ts';
import { authorsOf, readDiscussion } from './parts.ts';
import { newsItem } from './sections.ts';
import { shareBox } from './sharing.ts';
import { petitionTexts } from './texts.ts';

type Query = Record<string, string>;

/** More than anybody reads of one thread. */
const longestThread = 500;

/** Where a page below that of a petition belongs. */
const above = ({ slug, title }: Petition, code: string | undefined): Html =>
  html`<p class="small"><a href="${pathTo(slug, { code })}" dir="auto">${title}</a></p>\n`;

/** All news on a petition, newest first. */
export async function newsPage(view: View, ref: string, query: Query): Promise<RawAnswer> {
  const { ctx } = view;
  const { access_code: code, cursor } = query;
  const caller = callerOf(view);
  const petition = await showPetition(ctx, caller, ref, code);
  const list = { ...(code !== undefined && { access_code: code }), ...(cursor && { cursor }) };
  const { items, nextCursor } = await listUpdates(ctx, caller, petition.id, list);
  const say = speak(petitionTexts, view.language);
  const next = nextCursor && { below: 'updates', code, more: { cursor: nextCursor } };
  return sitePage(view, {
    title: view.say('labelled', { label: say('updates'), value: petition.title }),
    styles: ['petition.css'],
    head: headOf(view, petition, '/updates'),
    ...(isOpen(petition) && { cacheControl: 'public, max-age=5' }),
    main: html`${above(petition, code)}<h1>${say('updates')}</h1>
${items.length === 0 && html`<p class="quiet">${say('no_updates')}</p>`}${items.map((one) => newsItem(view, one, 2))}${next && html`<p><a href="${pathTo(petition.slug, next)}">${view.say('next_page')}</a></p>`}`,
  });
}

/** More comments than the petition's page has room for. */
export async function commentsPage(view: View, ref: string, query: Query): Promise<RawAnswer> {
  const { ctx } = view;
  const { access_code: code, cursor } = query;
  const caller = callerOf(view);
  const petition = await showPetition(ctx, caller, ref, code);
  const list = { ...(code !== undefined && { access_code: code }), ...(cursor && { cursor }) };
  const { threads, authors, nextCursor } = await readDiscussion(ctx, caller, petition.id, list);
  const say = speak(petitionTexts, view.language);
  const next = nextCursor && { below: 'comments', code, more: { cursor: nextCursor } };
  return sitePage(view, {
    title: view.say('labelled', { label: say('comments'), value: petition.title }),
    styles: ['petition.css'],
    head: noIndex,
    main: html`${above(petition, code)}<h1 id="comments">${say('comments')}</h1>
${!cursor && commentForm(view, petition, code)}${threads.length === 0 && html`<p class="quiet">${say('no_comments')}</p>`}${threadList(view, { petition, code, authors, replies: 20 }, threads)}${next && html`<p><a href="${pathTo(petition.slug, next)}">${view.say('next_page')}</a></p>`}`,
  });
}

/** One comment with all replies to it. */
export async function threadPage(
  view: View,
  { slug: ref, id }: { slug: string; id: string },
  { access_code: code }: Query,
): Promise<RawAnswer> {
  const { ctx } = view;
  const caller = callerOf(view);
  const petition = await showPetition(ctx, caller, ref, code);
  const comment = await getComment(ctx, caller, { id, code });
  if (comment.petition_id !== petition.id) throw notFound('comment');
  const authors = await authorsOf(ctx, [comment]);
  const say = speak(petitionTexts, view.language);
  return sitePage(view, {
    title: view.say('labelled', { label: say('comments'), value: petition.title }),
    styles: ['petition.css'],
    head: noIndex,
    main: html`${above(petition, code)}<h1>${say('comments')}</h1>
${threadList(view, { petition, code, authors, replies: longestThread }, [comment])}`,
  });
}

/** A victory, to be shared. */
export async function victoryPage(
  view: View,
  ref: string,
  { access_code: code }: Query,
): Promise<RawAnswer> {
  const petition = await showPetition(view.ctx, callerOf(view), ref, code);
  if (petition.status !== 'victory') throw notFound('victory');
  const say = speak(petitionTexts, view.language);
  const signatures = html`<strong class="number">${say('count', { count: petition.signature_count })}</strong>`;
  return sitePage(view, {
    title: html`${say('victory')} ${petition.title}`,
    styles: ['petition.css'],
    head: headOf(view, petition, '/victory'),
    ...(isOpen(petition) && { cacheControl: 'public, max-age=5' }),
    main: html`<div class="hero"><p class="figure">${say('victory')}</p>
<h1 dir="auto">${petition.title}</h1>
<p class="lead">${say('victory_lead', { signatures })}</p></div>
${petition.victory_message && html`<blockquote class="text" dir="auto">${petition.victory_message}</blockquote>`}
<p><a class="button second" href="${pathTo(petition.slug, { code })}">${say('to_petition')}</a></p>
${isOpen(petition) && html`<div class="panel">${shareBox(view, petition, { below: '/victory' })}</div>`}`,
  });
}
