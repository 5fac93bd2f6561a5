import { attribute, html, type Html } from '../../platform/html.ts';
import { isUuid } from '../../platform/ids.ts';
import { redirectTo, type RawAnswer } from '../../platform/http/route.ts';
import { formatAgo, speak } from '../../platform/pages/catalog.ts';
import { notFound } from '../../platform/problems.ts';
import {
  getNotification,
  listNotifications,
  markRead,
} from '../../reach/notifications/notifications.ts';
import {
  MarkReadInput,
  type NoticeData,
  type Notification,
} from '../../reach/notifications/schema.ts';
import {
  checkInput,
  doneNotice,
  formToken,
  nextLink,
  sitePage,
  textOf,
  type Fields,
  type OwnView,
} from '../site/site.ts';
import { activityTexts } from './texts.ts';

/** What happened, newest first. */
export async function notificationsPage(
  view: OwnView,
  { cursor, unread, done }: Record<string, string>,
): Promise<RawAnswer> {
  const { ctx, viewer, language } = view;
  const say = speak(activityTexts, language);
  const unreadOnly = unread !== undefined;
  const query = { unread_only: unreadOnly, ...(cursor && { cursor }) };
  const page = await listNotifications(ctx, viewer.caller, query, language);
  const { counts } = page.beside;
  const tab = (href: string, text: Html, current: boolean) =>
    html`<li><a href="${href}"${attribute('aria-current', current && 'page')}>${text}</a></li>\n`;
  return sitePage(view, {
    title: view.say('notifications'),
    styles: ['account.css'],
    main: html`<div class="row between"><h1>${view.say('notifications')}</h1>
<a href="/settings#notifications">${say('what_to_hear')}</a></div>
${doneNotice(say, done, ['marked'])}<ul class="tabs">
${tab('/notifications', say('all'), !unreadOnly)}${tab('/notifications?unread', say('only_unread'), unreadOnly)}</ul>
${
  counts.total > 0 &&
  html`<div class="row between"><p>${
    counts.unread > 0 ? say('unread_lead', { count: counts.unread }) : say('all_read_lead')
  }</p>${
    counts.unread > 0 &&
    html`<form id="mark-all" method="post" action="/notifications/read">${formToken(view)}<button class="second" name="all" value="yes">${say('mark_all')}</button></form>`
  }</div>`
}
${
  page.items.length > 0
    ? html`<ul class="list">
${page.items.map((one) => item(view, one))}</ul>`
    : html`<p>${say(unreadOnly ? 'no_unread' : 'no_notifications')}</p>`
}
${nextLink(view, page)}`,
  });
}

function item(view: OwnView, { id, title, body, read, data, created_at }: Notification): Html {
  const say = speak(activityTexts, view.language);
  const hasTarget = targetOf(data) !== undefined;
  return html`<li${attribute('class', !read && 'unread')}>
<h2 dir="auto">${hasTarget ? html`<a href="/notifications/${id}">${title}</a>` : title}${
    !read && html` <span class="badge good">${say('new')}</span>`
  }</h2>
<p class="text" dir="auto">${body}</p>
<div class="row"><span class="small quiet">${formatAgo(view.language, new Date(created_at), view.ctx.now())}</span>
${
  !read &&
  html`<form method="post" action="/notifications/read">${formToken(view)}<input type="hidden" name="id" value="${id}"><button class="plain small" aria-label="${view.say('labelled', { label: say('mark_read'), value: title })}">${say('mark_read')}</button></form>`
}</div></li>\n`;
}

/** Where the thing is that a notification is about. */
function targetOf(about: object): string | undefined {
  const data = about as NoticeData;
  const { slug } = data;
  if (data.endpoint_id) return '/dashboard/webhooks';
  if (data.org_id) return `/o/${String(slug)}`;
  if (data.update_id) return `/p/${String(slug)}/updates`;
  if (data.status) return `/dashboard/petitions/${String(data.petition_id)}`;
  return data.petition_id ? `/p/${String(slug)}` : undefined;
}

/** Goes to what a notification is about, which is then read. */
export async function followNotification(view: OwnView, id: string): Promise<RawAnswer> {
  if (!isUuid(id)) throw notFound('notification');
  const { ctx, viewer, header } = view;
  const { data } = await getNotification(ctx, viewer.caller, id);
  await markRead(ctx, viewer.caller, { notification_ids: [id] });
  return redirectTo(header, targetOf(data) ?? '/notifications', 303);
}

/** Marks one, or all of them, as read. */
export async function readNotifications(view: OwnView, fields: Fields): Promise<RawAnswer> {
  const { ctx, viewer, header } = view;
  const all = textOf(fields, 'all') !== '';
  const input = all ? { mark_all: true } : { notification_ids: [textOf(fields, 'id')] };
  await markRead(ctx, viewer.caller, checkInput(MarkReadInput, input));
  return redirectTo(header, '/notifications?done=marked', 303);
}
