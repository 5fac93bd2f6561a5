import type { Static } from 'typebox';
import { html, type Content, type Html } from '../../platform/html.ts';
import type { RawAnswer, Route } from '../../platform/http/route.ts';
import { formatTime, speak } from '../../platform/pages/catalog.ts';
import {
  deliveryStatuses,
  DeliveryRef,
  publicEventTypes,
  webhookEventTypes,
  WebhookInput,
  WebhookRef,
  WebhookUpdate,
  type Delivery,
  type DeliveryStatus,
  type WebhookEndpoint,
} from '../../reach/webhooks/schema.ts';
import {
  createEndpoint,
  deleteEndpoint,
  listDeliveries,
  listEndpoints,
  ownEndpoint,
  redeliver,
  rotateSecret,
  sendTest,
  updateEndpoint,
} from '../../reach/webhooks/webhooks.ts';
import { actionButton, dashboardPage } from '../dashboard/dashboard.ts';
import {
  doneNotice,
  formFor,
  listOf,
  pageOf,
  postForm,
  readForm,
  stateOf,
  tabs,
  type FormHandler,
  type FormState,
  type OwnView,
  type PageHandler,
  type PageRequest,
  type Site,
  type View,
} from '../site/site.ts';
import {
  developerListPage,
  developerNotice,
  pathAfterDeletion,
  secretPanel,
} from './developer-layout.ts';
import { developerTexts, webhookTexts } from './texts.ts';

const current = 'webhooks';
const at = '/dashboard/webhooks';
const access = 'user';

type Ref = { id: string };

/** Webhooks and their deliveries. */
export const webhookRoutes = (site: Site): Route[] => [
  ...site.page({
    id: 'showWebhooks',
    path: at,
    access,
    show: listPage,
    forms: { create: { id: 'submitWebhook', act: create } },
  }),
  ...site.page({
    id: 'showWebhook',
    path: `${at}/{id}`,
    access,
    params: WebhookRef,
    show: webhookPage,
    forms: { change: { id: 'submitWebhookChange', act: change } },
    buttons: [
      { id: 'switchWebhookOn', at: '/switch-on', act: setActive(true) },
      { id: 'switchWebhookOff', at: '/switch-off', act: setActive(false) },
      { id: 'submitWebhookTest', at: '/test', act: test },
      { id: 'submitWebhookRotation', at: '/rotate', act: rotate },
      { id: 'submitWebhookDeletion', at: '/delete', act: remove },
    ],
  }),
  site.form({
    id: 'submitRedelivery',
    path: `${at}/{id}/deliveries/{delivery_id}/redeliver`,
    access,
    params: DeliveryRef,
    act: sendAgain,
  }),
];

/** The viewer's endpoints, and a form for another one. */
const listPage: PageHandler = async (view, request) => {
  const say = speak(webhookTexts, view.language);
  const state = stateOf(request, 'create');
  return developerListPage(view, request, {
    current,
    intro: say('intro'),
    page: await listEndpoints(view.ctx, view.viewer.caller, pageOf(request.query)),
    item: (endpoint) => listItem(view, endpoint),
    state,
    fields: endpointFields(view, state),
  });
};

function listItem(view: View, { id, url, events, is_active: active }: WebhookEndpoint): Html {
  return html`<li><h2><a href="${at}/${id}" dir="ltr">${url}</a></h2>
<p class="small">${activeBadge(view, active)} <span class="quiet" dir="ltr">${events.join(', ')}</span></p></li>\n`;
}

function activeBadge(view: View, active: boolean): Html {
  const say = speak(webhookTexts, view.language);
  return html`<span class="badge ${active && 'good'}">${say(active ? 'on' : 'off')}</span>`;
}

const eventsFor = ({ viewer }: View) =>
  viewer?.caller.role === 'admin' ? webhookEventTypes : publicEventTypes;

function endpointFields(view: View, state: FormState): Content[] {
  const say = speak(webhookTexts, view.language);
  const form = formFor(view, state, WebhookInput);
  return [
    form.text('url', { label: say('url') }),
    form.choices('events', {
      label: say('events'),
      hint: say('events_hint'),
      options: eventsFor(view).map((value) => ({ value, label: html`<code>${value}</code>` })),
    }),
  ];
}

/** Creates an endpoint and shows its page with the secret, which is never shown again. */
const create: FormHandler = async (view, { fields }) => {
  const input = readForm(WebhookInput, fields, ['url', 'events']);
  const { id, secret } = await createEndpoint(view.ctx, view.viewer.caller, input);
  return webhookPage(view, { params: { id }, query: {} }, secret);
};

/** One endpoint and its deliveries. */
async function webhookPage(
  view: OwnView,
  request: PageRequest<Ref>,
  secret?: string,
): Promise<RawAnswer> {
  const { ctx, viewer } = view;
  const say = speak(webhookTexts, view.language);
  const sayShared = speak(developerTexts, view.language);
  const endpoint = await ownEndpoint(ctx, viewer.caller, request.params.id);
  const { id, url, events, is_active: isActive } = endpoint;
  const state = stateOf(request, 'change', { url, events });
  const toggle = isActive ? 'switch-off' : 'switch-on';
  return dashboardPage(view, {
    title: url,
    current,
    main: [
      html`<h1 dir="ltr">${url}</h1>
<p>${activeBadge(view, isActive)}</p>\n`,
      secretPanel(view, sayShared('secret'), secret),
      developerNotice(view, request.query),
      doneNotice(say, request.query.done, ['done_sent']),
      html`<div class="row">${[
        isActive && actionButton(view, `${at}/${id}/test`, say('test')),
        actionButton(view, `${at}/${id}/${toggle}`, say(isActive ? 'switch_off' : 'switch_on')),
        actionButton(view, `${at}/${id}/rotate`, say('rotate')),
        actionButton(view, `${at}/${id}/delete`, sayShared('delete'), 'danger'),
      ]}</div>
<p class="hint">${say('rotate_hint')}</p>\n`,
      await deliveries(view, endpoint, request.query),
      postForm(view, state, {
        action: `${at}/${id}`,
        className: 'panel',
        fields: endpointFields(view, state),
        submit: view.say('save'),
      }),
    ],
  });
}

async function deliveries(
  view: OwnView,
  endpoint: WebhookEndpoint,
  query: Record<string, string>,
): Promise<Html> {
  const say = speak(webhookTexts, view.language);
  const chosen = deliveryStatuses.find((status) => status === query.status);
  const filter = { ...(chosen && { status: chosen }), ...pageOf(query) };
  const page = await listDeliveries(view.ctx, view.viewer.caller, endpoint.id, filter);
  const tab = (status: DeliveryStatus | undefined) => ({
    href: `${at}/${endpoint.id}${status ? `?status=${status}` : ''}`,
    label: say(status ? `status_${status}` : 'all'),
    isCurrent: status === chosen,
  });
  return html`<h2>${say('deliveries')}</h2>
<nav aria-label="${say('deliveries')}">${tabs([undefined, ...deliveryStatuses].map(tab))}</nav>
${listOf(view, page, {
  item: (delivery) => deliveryItem(view, endpoint, delivery),
  empty: html`<p>${say('no_deliveries')}</p>`,
})}`;
}

const badgeKinds: Record<DeliveryStatus, string> = {
  pending: '',
  delivered: 'good',
  failed: 'bad',
  retrying: 'warn',
};

function deliveryItem(view: View, endpoint: WebhookEndpoint, delivery: Delivery): Html {
  const say = speak(webhookTexts, view.language);
  const { event, status, attempts: count, response_status: answer, error } = delivery;
  return html`<li class="row between"><div><p><code>${event}</code> <span class="badge ${badgeKinds[status]}">${say(`status_${status}`)}</span></p>
<p class="small quiet">${formatTime(view.language, new Date(delivery.created_at))} · ${say('tries', { count })}${
    answer !== null && html` · ${say('answer', { status: String(answer) })}`
  }${error !== null && html` · <span lang="en" dir="ltr">${error}</span>`}</p></div>
${endpoint.is_active && actionButton(view, `${at}/${endpoint.id}/deliveries/${delivery.id}/redeliver`, say('redeliver'))}</li>\n`;
}

const change: FormHandler<Ref> = async (view, { params, fields }) => {
  const input = readForm(WebhookUpdate, fields, ['url', 'events'], { required: ['url'] });
  await updateEndpoint(view.ctx, view.viewer.caller, params.id, input);
  return `${at}/${params.id}?done=saved`;
};

const setActive =
  (isActive: boolean): FormHandler<Ref> =>
  async (view, { params: { id } }) => {
    await updateEndpoint(view.ctx, view.viewer.caller, id, { is_active: isActive });
    return `${at}/${id}?done=saved`;
  };

const test: FormHandler<Ref> = async ({ ctx, viewer }, { params }) => {
  await sendTest(ctx, viewer.caller, params.id);
  return `${at}/${params.id}?done=sent`;
};

const sendAgain: FormHandler<Static<typeof DeliveryRef>> = async ({ ctx, viewer }, { params }) => {
  await redeliver(ctx, viewer.caller, params);
  return `${at}/${params.id}?done=sent`;
};

const rotate: FormHandler<Ref> = async (view, { params }) => {
  const { secret } = await rotateSecret(view.ctx, view.viewer.caller, params.id);
  return webhookPage(view, { params, query: {} }, secret);
};

const remove: FormHandler<Ref> = async ({ ctx, viewer }, { params }) => {
  await deleteEndpoint(ctx, viewer.caller, params.id);
  return pathAfterDeletion(ctx, at);
};
