import { attribute, html, type Html } from '../../platform/html.ts';
import { publicEventTypes } from '../../platform/events.ts';
import { redirectTo, type RawAnswer } from '../../platform/http/route.ts';
import { formatTime, speak } from '../../platform/pages/catalog.ts';
import {
  deliveryStatuses,
  WebhookInput,
  WebhookUpdate,
  type Delivery,
  type DeliveryStatus,
  type WebhookEndpoint,
} from '../../reach/webhooks/schema.ts';
import {
  createEndpoint,
  listDeliveries,
  listEndpoints,
  ownEndpoint,
  redeliver,
  rotateSecret,
  sendTest,
  updateEndpoint,
} from '../../reach/webhooks/webhooks.ts';
import { act, dashboardPage, dashboardTexts } from '../dashboard/dashboard.ts';
import {
  checkInput,
  choicesField,
  doneNotice,
  field,
  formAlert,
  formToken,
  nextLink,
  pageOf,
  textOf,
  textsIn,
  type Fields,
  type FormState,
  type OwnView,
  type View,
} from '../site/site.ts';
import { secretPanel, developerNotice } from './parts.ts';
import { developerTexts, webhookTexts } from './texts.ts';

const current = 'webhooks';
const at = '/desk/webhooks';

/** The viewer's endpoints, and a form for another one. */
export async function webhooksPage(
  view: OwnView,
  query: Record<string, string>,
  state: FormState = { values: {} },
): Promise<RawAnswer> {
  const say = speak(webhookTexts, view.language);
  const sayWork = speak(developerTexts, view.language);
  const title = speak(dashboardTexts, view.language)('webhooks');
  const page = await listEndpoints(view.ctx, view.viewer.caller, pageOf(query));
  return dashboardPage(view, {
    title,
    current,
    main: html`<h1>${title}</h1>
${developerNotice(view, query)}<p>${say('intro')} <a href="/docs">${sayWork('docs')}</a></p>
${page.items.length > 0 && html`<ul class="list">\n${page.items.map((one) => listItem(view, one))}</ul>`}
${nextLink(view, page)}${formAlert(view, state)}<form class="panel" method="post" action="${at}">${formToken(view)}
${endpointFields(view, state)}<button>${sayWork('create')}</button>
</form>`,
  });
}

function listItem(view: View, { id, url, events, is_active: active }: WebhookEndpoint): Html {
  return html`<li><h2><a href="${at}/${id}" dir="ltr">${url}</a></h2>
<p class="small">${activeBadge(view, active)} <span class="quiet" dir="ltr">${events.join(', ')}</span></p></li>\n`;
}

function activeBadge(view: View, active: boolean): Html {
  const say = speak(webhookTexts, view.language);
  return html`<span class="badge ${active && 'good'}">${say(active ? 'on' : 'off')}</span>`;
}

function endpointFields(view: View, state: FormState): Html {
  const say = speak(webhookTexts, view.language);
  return html`${field(view, state, {
    name: 'url',
    label: say('url'),
    type: 'url',
    required: true,
    maxLength: 2000,
  })}${choicesField(view, state, {
    name: 'events',
    label: say('events'),
    hint: say('events_hint'),
    options: publicEventTypes.map((value) => ({ value, label: html`<code>${value}</code>` })),
  })}`;
}

const endpointIn = (fields: Fields) => ({
  url: textOf(fields, 'url'),
  events: textsIn(fields, 'events'),
});

/** Sets an endpoint up. Its page is the answer, since its secret is shown this once. */
export async function create(view: OwnView, fields: Fields): Promise<RawAnswer> {
  const input = checkInput(WebhookInput, endpointIn(fields));
  const { id, secret } = await createEndpoint(view.ctx, view.viewer.caller, input);
  return webhookPage(view, id, { secret });
}

interface Showing {
  query?: Record<string, string>;
  state?: FormState;
  secret?: string;
}

/** One endpoint, and what was sent to it. */
export async function webhookPage(
  view: OwnView,
  id: string,
  { query = {}, state, secret }: Showing = {},
): Promise<RawAnswer> {
  const { ctx, viewer } = view;
  const say = speak(webhookTexts, view.language);
  const sayWork = speak(developerTexts, view.language);
  const endpoint = await ownEndpoint(ctx, viewer.caller, id);
  const { url, events, is_active: active } = endpoint;
  const shown = state ?? { values: { url, events } };
  return dashboardPage(view, {
    title: url,
    current,
    main: html`<h1 dir="ltr">${url}</h1>
<p>${activeBadge(view, active)}</p>
${secret !== undefined && secretPanel(view, sayWork('secret'), secret)}${developerNotice(view, query)}${doneNotice(say, query.done, ['done_sent'])}<div class="row">${active && act(view, `${at}/${id}/test`, say('test'))}${act(
      view,
      `${at}/${id}/switch-${active ? 'off' : 'on'}`,
      say(active ? 'switch_off' : 'switch_on'),
    )}${act(view, `${at}/${id}/rotate`, say('rotate'))}${act(view, `${at}/${id}/delete`, sayWork('delete'), 'danger')}</div>
<p class="hint">${say('rotate_hint')}</p>
${await deliveries(view, endpoint, query)}${formAlert(view, shown)}<form class="panel" method="post" action="${at}/${id}">${formToken(view)}
${endpointFields(view, shown)}<button>${view.say('save')}</button>
</form>`,
  });
}

const isStatus = (text: string | undefined): text is DeliveryStatus =>
  deliveryStatuses.some((one) => one === text);

async function deliveries(
  view: OwnView,
  { id, is_active: active }: { id: string; is_active: boolean },
  query: Record<string, string>,
): Promise<Html> {
  const say = speak(webhookTexts, view.language);
  const chosen = isStatus(query.status) ? query.status : undefined;
  const status = chosen && { status: chosen };
  const page = await listDeliveries(view.ctx, view.viewer.caller, id, {
    ...status,
    ...pageOf(query),
  });
  const filter = (one: DeliveryStatus | undefined) =>
    html`<li><a href="${at}/${id}${one && `?status=${one}`}"${attribute('aria-current', one === chosen && 'page')}>${say(one ? `status_${one}` : 'all')}</a></li>\n`;
  return html`<h2>${say('deliveries')}</h2>
<nav aria-label="${say('deliveries')}"><ul class="tabs">
${[undefined, ...deliveryStatuses].map(filter)}</ul></nav>
${
  page.items.length === 0
    ? html`<p>${say('no_deliveries')}</p>`
    : html`<ul class="list">
${page.items.map((one) => delivery(view, { ...one, endpoint: id, active }))}</ul>`
}
${nextLink(view, page)}`;
}

const badgeKinds: Record<DeliveryStatus, string> = {
  pending: '',
  delivered: 'good',
  failed: 'bad',
  retrying: 'warn',
};

function delivery(view: View, one: Delivery & { endpoint: string; active: boolean }): Html {
  const say = speak(webhookTexts, view.language);
  const { event, status, attempts: count, response_status: answer, error } = one;
  return html`<li class="row between"><div><p><code>${event}</code> <span class="badge ${badgeKinds[status]}">${say(`status_${status}`)}</span></p>
<p class="small quiet">${formatTime(view.language, new Date(one.created_at))} · ${say('tries', { count })}${
    answer !== null && html` · ${say('answer', { status: String(answer) })}`
  }${error !== null && html` · <span lang="en" dir="ltr">${error}</span>`}</p></div>
${one.active && act(view, `${at}/${one.endpoint}/deliveries/${one.id}/redeliver`, say('redeliver'))}</li>\n`;
}

export async function save(
  { ctx, viewer, header }: OwnView,
  id: string,
  fields: Fields,
): Promise<RawAnswer> {
  const input = checkInput(WebhookUpdate, endpointIn(fields));
  await updateEndpoint(ctx, viewer.caller, id, input);
  return redirectTo(header, `${at}/${id}?done=saved`, 303);
}

export async function turn(
  { ctx, viewer, header }: OwnView,
  id: string,
  isActive: boolean,
): Promise<RawAnswer> {
  await updateEndpoint(ctx, viewer.caller, id, { is_active: isActive });
  return redirectTo(header, `${at}/${id}?done=saved`, 303);
}

export async function test({ ctx, viewer, header }: OwnView, id: string): Promise<RawAnswer> {
  await sendTest(ctx, viewer.caller, id);
  return redirectTo(header, `${at}/${id}?done=sent`, 303);
}

export async function sendAgain(
  { ctx, viewer, header }: OwnView,
  named: { id: string; delivery_id: string },
): Promise<RawAnswer> {
  await redeliver(ctx, viewer.caller, named);
  return redirectTo(header, `${at}/${named.id}?done=sent`, 303);
}

export async function rotate(view: OwnView, id: string): Promise<RawAnswer> {
  const { secret } = await rotateSecret(view.ctx, view.viewer.caller, id);
  return webhookPage(view, id, { secret });
}
