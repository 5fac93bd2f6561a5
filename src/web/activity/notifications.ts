import { Type, type Static } from 'typebox';
import { attribute, html, type Html } from '../../platform/html.ts';
import { isUuid } from '../../platform/ids.ts';
import type { Route } from '../../platform/http/route.ts';
import { formatAgo, speak } from '../../platform/pages/catalog.ts';
import { notFound } from '../../platform/problems.ts';
import { markWrittenTexts } from '../../platform/pages/text-language.ts';
import { findDecisions, pathOfNotice, type Decision } from '../../oversight/decisions/decisions.ts';
import {
  getNotification,
  listNotificationsForPage,
  markRead,
  type ShownNotification,
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
  listOf,
  pageOf,
  actionForm,
  sitePage,
  tabs,
  textOf,
  type OwnView,
  type Site,
  type PageHandler,
  type FormHandler,
} from '../site/site.ts';
import { activityStyles } from './assets.ts';
import { activityTexts } from './texts.ts';

const path = '/notifications';
const access = 'user';

const NotificationRef = Type.Object({ id: Type.String() });
type NotificationRef = Static<typeof NotificationRef>;

/** Notifications of the viewer. */
export const notificationRoutes = (site: Site): Route[] => [
  ...site.page({
    id: 'showNotifications',
    path,
    access,
    show: notificationsPage,
    buttons: [{ id: 'submitNotificationsRead', at: '/read', act: submitRead }],
  }),
  ...site.page({
    id: 'followNotification',
    path: `${path}/{id}`,
    access,
    params: NotificationRef,
    show: follow,
  }),
];

/** Notifications, newest first; with `unread`, those only that were not read. */
const notificationsPage: PageHandler = async (view, { query }) => {
  const { ctx, viewer, language } = view;
  const say = speak(activityTexts, language);
  const unreadOnly = query.unread !== undefined;
  const list = { unread_only: unreadOnly, ...pageOf(query) };
  const page = await listNotificationsForPage(ctx, viewer.caller, list, language);
  const decisions = await findDecisions(ctx.db, page.items.flatMap(decisionIn));
  const { counts } = page.beside;
  return sitePage(view, {
    title: view.say('notifications'),
    styles: [activityStyles],
    main: html`<div class="row between"><h1>${view.say('notifications')}</h1>
<a href="/settings#notifications">${say('what_to_hear')}</a></div>
${doneNotice(say, query.done, ['marked'])}${tabs([
      { href: path, label: say('all'), isCurrent: !unreadOnly },
      { href: `${path}?unread`, label: say('only_unread'), isCurrent: unreadOnly },
    ])}${counts.total > 0 && summary(view, counts.unread)}
${listOf(view, page, {
  item: (notification) => notificationItem(view, notification, decisions),
  empty: html`<p>${say(unreadOnly ? 'no_unread' : 'no_notifications')}</p>`,
})}`,
  });
};

/** The number of unread notifications, with a button that marks all as read. */
function summary(view: OwnView, unread: number): Html {
  const say = speak(activityTexts, view.language);
  if (unread === 0) return html`<div class="row between"><p>${say('all_read_lead')}</p></div>`;
  return html`<div class="row between"><p>${say('unread_lead', { count: unread })}</p><form id="mark-all" method="post" action="${path}/read">${formToken(view)}<button class="second" name="all" value="yes">${say('mark_all')}</button></form></div>`;
}

function notificationItem(
  view: OwnView,
  notification: ShownNotification,
  decisions: Map<string, Decision>,
): Html {
  const { id, title, body, about, read, created_at } = notification;
  // A notice about a decision names no petition.
  const [decisionId = ''] = decisionIn(notification);
  const language = about.language ?? decisions.get(decisionId)?.about_language ?? null;
  const mark = (text: string) => markWrittenTexts(text, [{ ...about, language }], view.language);
  const say = speak(activityTexts, view.language);
  const hasTarget = isDecision(notification.data) || targetOf(view, notification) !== undefined;
  return html`<li${attribute('class', !read && 'unread')}>
<h2 dir="auto">${hasTarget ? html`<a href="${path}/${id}">${mark(title)}</a>` : mark(title)}${
    !read && html` <span class="badge good">${say('new')}</span>`
  }</h2>
<p class="plain-text" dir="auto">${mark(body)}</p>
<div class="row"><span class="small quiet">${formatAgo(view.language, new Date(created_at), view.ctx.now())}</span>
${
  !read &&
  actionForm(view, {
    action: `${path}/read`,
    hidden: { id },
    submit: say('mark_read'),
    submitLabel: view.say('labelled', { label: say('mark_read'), value: title }),
    buttonClass: 'plain small',
  })
}</div></li>\n`;
}

/** The decision that a notification is about. */
const decisionIn = ({ data }: Notification): string[] => {
  const { decision_id: id } = data as NoticeData;
  return typeof id === 'string' ? [id] : [];
};

/** Whether a notification is about a decision of a moderator: its page is named by a signed link. */
const isDecision = (data: object): boolean => 'decision_id' in data;

/** The path of the page that a notification is about; undefined if that is of a part that is switched off. */
function targetOf(
  { ctx }: OwnView,
  { type, data }: Pick<Notification, 'type' | 'data'>,
): string | undefined {
  const { slug, status, ...ids } = data as NoticeData;
  const { developers, organizations } = ctx.site.current.modules;
  if (type === 'moderation_queue') return '/moderation';
  if (type === 'petition_changed') return `/p/${String(slug)}/versions`;
  if (type === 'response_submitted') {
    return `/dashboard/petitions/${String(ids.petition_id)}/decision-makers#responses`;
  }
  if (ids.alert_id) return `/moderation/petitions/${String(ids.petition_id)}/integrity`;
  if (ids.endpoint_id) return developers ? '/dashboard/webhooks' : undefined;
  if (ids.org_id) return organizations ? `/o/${String(slug)}` : undefined;
  if (ids.update_id) return `/p/${String(slug)}/updates`;
  if (status) return `/dashboard/petitions/${String(ids.petition_id)}`;
  return ids.petition_id ? `/p/${String(slug)}` : undefined;
}

/** Marks a notification as read, and redirects to what it is about. */
const follow: PageHandler<NotificationRef> = async (view, { params: { id } }) => {
  const { ctx, viewer } = view;
  if (!isUuid(id)) throw notFound('notification');
  const notification = await getNotification(ctx, viewer.caller, id);
  const { data } = notification;
  await markRead(ctx, viewer.caller, { notification_ids: [id] });
  if (isDecision(data)) return pathOfNotice(ctx, viewer.caller.userId, data as NoticeData);
  return targetOf(view, notification) ?? path;
};

/** Marks one notification, or all, as read. */
const submitRead: FormHandler = async ({ ctx, viewer }, { fields }) => {
  const all = textOf(fields, 'all') !== '';
  const input = all ? { mark_all: true } : { notification_ids: [textOf(fields, 'id')] };
  await markRead(ctx, viewer.caller, checkInput(MarkReadInput, input));
  return `${path}?done=marked`;
};
