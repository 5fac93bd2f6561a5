import { Type, type Static } from 'typebox';
import { html, type Content, type Html } from '../../platform/html.ts';
import type { RawAnswer, Route } from '../../platform/http/route.ts';
import { formatAgo, formatDay, speak } from '../../platform/pages/catalog.ts';
import { markdownText } from '../../platform/pages/markdown-text.ts';
import {
  addMaker,
  deliverPetition,
  getMaker,
  listMakers,
  listResponses,
  positionTexts,
  publishResponse,
  removeMaker,
  getOwnSummaryFile,
} from '../../campaigns/decision-makers/decision-makers.ts';
import {
  DeliveryInput,
  summaryFormats,
  type DecisionMaker,
  type DecisionMakerResponse,
} from '../../campaigns/decision-makers/schema.ts';
import { isPublished } from '../../campaigns/petitions/policy.ts';
import { getOwnPetition } from '../../campaigns/petitions/read.ts';
import { DecisionMakerInput, type Petition } from '../../campaigns/petitions/schema.ts';
import {
  doneNotice,
  formFor,
  listOf,
  pageOf,
  postForm,
  readForm,
  stateOf,
  type Fields,
  type FormHandler,
  type FormState,
  type OwnView,
  type PageHandler,
  type PageRequest,
  type Site,
  type View,
} from '../site/site.ts';
import { askedStep, confirmationPage } from './confirmation.ts';
import {
  actionButton,
  namedLabel,
  petitionPage,
  petitionPath,
  petitionRoute,
} from './dashboard-layout.ts';
import { makerTexts } from './texts.ts';

const listRoute = petitionRoute('/decision-makers');
const { path: at, access } = listRoute;

type Ref = { id: string };

export const MakerParams = Type.Object({
  id: Type.String(),
  maker: Type.String({ format: 'uuid' }),
});
export type MakerParams = Static<typeof MakerParams>;
const ResponseParams = Type.Object({
  id: Type.String(),
  response: Type.String({ format: 'uuid' }),
});

/** Decision makers of a petition, deliveries to them and their responses. */
export const makerRoutes = (site: Site): Route[] => [
  ...site.page({
    id: 'showMakers',
    ...listRoute,
    show: listPage,
    forms: { add: { id: 'submitMaker', once: true, act: add } },
  }),
  ...site.page({
    id: 'showMaker',
    path: `${at}/{maker}`,
    access,
    params: MakerParams,
    show: deliveryPage,
    forms: { delivery: { id: 'submitDelivery', once: true, act: send } },
    buttons: [{ id: 'submitMakerRemoval', at: '/remove', act: remove }],
  }),
  site.form({
    id: 'submitResponsePublishing',
    path: `${at}/responses/{response}/publish`,
    access,
    params: ResponseParams,
    act: publish,
  }),
  ...(['pdf', 'csv'] as const).flatMap((format) =>
    site.page({
      id: `showSummary${format === 'pdf' ? 'Pdf' : 'Csv'}`,
      ...petitionRoute(`/decision-makers/summary.${format}`),
      show: summaryFile(format),
    }),
  ),
];

/** Decision makers with the state of their deliveries, their responses, and a form for another one. */
const listPage: PageHandler<Ref> = async (view, request) => {
  const { ctx, viewer } = view;
  const { query } = request;
  const say = speak(makerTexts, view.language);
  const petition = await getOwnPetition(ctx, viewer.caller, request.params.id);
  const [makers, responses] = await Promise.all([
    listMakers(ctx, viewer.caller, petition.id, pageOf(query)),
    listResponses(ctx, viewer.caller, petition.id, { limit: 100 }),
  ]);
  const state = stateOf(request, 'add');
  return petitionPage(view, petition, {
    current: 'makers',
    main: [
      doneNotice(say, query.done, [
        'done_added',
        'done_removed',
        'done_delivered',
        'done_response',
      ]),
      html`<p class="hint">${say('intro')}</p>\n`,
      listOf(view, makers, { item: (maker) => listItem(view, petition, maker) }),
      responses.items.length > 0 &&
        html`<section id="responses"><h2>${say('responses')}</h2>
${responses.items.map((response) => responseArticle(view, petition, response))}</section>\n`,
      isPublished(petition) && summaryLinks(view, petition),
      postForm(view, state, {
        action: petitionPath(petition, 'makers'),
        className: 'panel',
        once: true,
        fields: [html`<h2>${say('add')}</h2>\n`, ...makerFields(view, state)],
        submit: say('add'),
      }),
    ],
  });
};

/** The fields of a decision maker; `isOptional` where they stand in a form that can be sent without one. */
export function makerFields(
  view: View,
  state: FormState,
  { isOptional = false }: { isOptional?: boolean } = {},
): Content[] {
  const say = speak(makerTexts, view.language);
  const form = formFor(view, state, DecisionMakerInput);
  const need = isOptional ? { required: false, isConditional: true } : {};
  return [
    form.text('name', { label: say('name'), autocomplete: 'off', ...need }),
    form.text('title', { label: say('office'), hint: say('office_hint') }),
    form.text('email', {
      label: say('email'),
      hint: say('email_hint'),
      autocomplete: 'off',
      suggestsAddress: true,
      ...need,
    }),
  ];
}

export const readMaker = (fields: Fields): DecisionMakerInput =>
  readForm(DecisionMakerInput, fields, ['name', 'title', 'email'], { suggestsAddress: 'email' });

const badgeKinds: Record<DecisionMaker['state'] | 'sending', string> = {
  pending: '',
  sending: '',
  sent: 'good',
  opened: 'good',
  responded: 'good',
  failed: 'bad',
};

function listItem(view: View, petition: Petition, maker: DecisionMaker): Html {
  const say = speak(makerTexts, view.language);
  const { id, name, title, email, verified, sending } = maker;
  const state = sending ? 'sending' : maker.state;
  const path = `${petitionPath(petition, 'makers')}/${id}`;
  const since = maker.responded_at ?? maker.opened_at ?? maker.delivered_at;
  return html`<li class="row between"><div>
<h2 dir="auto">${name}${verified && html` <span class="badge good">${say('verified')}</span>`}</h2>
<p class="small quiet">${title && html`<bdi>${title}</bdi><br>`}<bdi>${email}</bdi></p>
<p class="small"><span class="badge ${badgeKinds[state]}">${say(`state_${state}`)}</span> ${
    since && formatAgo(view.language, new Date(since), view.ctx.now())
  }</p></div>
<div class="row">${
    isPublished(petition) &&
    state !== 'responded' &&
    html`<a class="button second" href="${path}">${namedLabel(say(maker.state === 'pending' && !sending ? 'deliver' : 'deliver_again'), name)}</a>`
  }${
    state !== 'responded' &&
    actionButton(view, `${path}/remove`, namedLabel(view.say('remove'), name), 'danger')
  }</div></li>\n`;
}

function responseArticle(
  view: View,
  petition: Petition,
  { id, decision_maker: maker, body, status, state, ...times }: DecisionMakerResponse,
): Html {
  const say = speak(makerTexts, view.language);
  const day = formatDay(view.language, new Date(times.published_at ?? times.created_at));
  return html`<article class="panel"><h3><bdi>${maker.name}</bdi></h3>
<p class="row small">${status && html`<span class="badge">${speak(positionTexts, view.language)(status)}</span>`} <span class="quiet">${say(
    state === 'published' ? 'response_published' : 'response_given',
    { day },
  )}</span></p>
<blockquote>${markdownText(body, view.ctx.config)}</blockquote>
${
  state === 'submitted' &&
  html`<p class="small">${say('response_waits')}</p>
${actionButton(view, `${petitionPath(petition, 'makers')}/responses/${id}/publish`, say('publish_response'), '')}`
}</article>\n`;
}

function summaryLinks(view: View, petition: Petition): Html {
  const say = speak(makerTexts, view.language);
  const path = `${petitionPath(petition, 'makers')}/summary`;
  return html`<p>${say('summary', { pdf: html`<a href="${path}.pdf">PDF</a>`, csv: html`<a href="${path}.csv">CSV</a>` })}</p>\n`;
}

const deliveryPage: PageHandler<MakerParams> = (view, request) =>
  showDelivery(view, request.params, stateOf(request, 'delivery', { summary: 'pdf' }));

/** The form for delivering the petition to a decision maker. */
async function showDelivery(
  view: OwnView,
  { id: ref, maker: makerId }: MakerParams,
  state: FormState,
): Promise<RawAnswer> {
  const { ctx, viewer } = view;
  const say = speak(makerTexts, view.language);
  const petition = await getOwnPetition(ctx, viewer.caller, ref);
  const { name, email } = await getMaker(ctx, viewer.caller, { ref, makerId });
  const recipient = { name: html`<bdi>${name}</bdi>`, email: html`<bdi>${email}</bdi>` };
  const form = formFor(view, state, DeliveryInput);
  return petitionPage(view, petition, {
    current: 'makers',
    main: html`<h2>${say('deliver_to', recipient)}</h2>
<p>${say('deliver_text', recipient)}</p>
${postForm(view, state, {
  action: `${petitionPath(petition, 'makers')}/${makerId}`,
  once: true,
  fields: [
    form.text('message', {
      label: say('message'),
      hint: say('message_hint'),
      type: 'textarea',
      rows: 5,
    }),
    form.select('summary', {
      label: say('attached'),
      options: summaryFormats.map((value) => ({ value, label: say(`attached_${value}`) })),
    }),
  ],
  submit: say('look_at'),
})}${summaryLinks(view, petition)}`,
  });
}

const add: FormHandler<Ref> = async ({ ctx, viewer }, { params, fields }) => {
  await addMaker(ctx, viewer.caller, params.id, readMaker(fields));
  return `${petitionPath(params, 'makers')}?done=added`;
};

const remove: FormHandler<MakerParams> = async ({ ctx, viewer }, { params }) => {
  await removeMaker(ctx, viewer.caller, { ref: params.id, makerId: params.maker });
  return `${petitionPath(params, 'makers')}?done=removed`;
};

/** Shows the message with its recipient, then sends it. */
const send: FormHandler<MakerParams> = async (view, { params, fields }) => {
  const { ctx, viewer, language } = view;
  const step = askedStep(fields);
  if (step === 'change') return showDelivery(view, params, { values: fields });
  const input = readForm(DeliveryInput, fields, ['message', 'summary']);
  const reference = { ref: params.id, makerId: params.maker };
  if (step === 'show') {
    const say = speak(makerTexts, language);
    const petition = await getOwnPetition(ctx, viewer.caller, params.id);
    const { name, email } = await getMaker(ctx, viewer.caller, reference);
    const recipient = { name: html`<bdi>${name}</bdi>`, email: html`<bdi>${email}</bdi>` };
    const { message, summary = 'pdf' } = input;
    return confirmationPage(view, petition, {
      current: 'makers',
      title: say('deliver_to', recipient),
      preview: html`${message ? html`<p class="lines" dir="auto">${message}</p>` : html`<p class="quiet">${say('no_message')}</p>`}
<p class="small">${say('attached')}: ${say(`attached_${summary}`)}</p>`,
      reach: say('deliver_text', recipient),
      action: `${petitionPath(petition, 'makers')}/${params.maker}`,
      fields: { summary, ...(message && { message }) },
      submit: say('deliver'),
    });
  }
  await deliverPetition(ctx, viewer.caller, reference, input);
  return `${petitionPath(params, 'makers')}?done=delivered`;
};

const publish: FormHandler<Static<typeof ResponseParams>> = async ({ ctx, viewer }, { params }) => {
  const { petition_id: id } = await publishResponse(ctx, viewer.caller, params.response);
  return `${petitionPath({ id }, 'makers')}?done=response#responses`;
};

/** The summary that is attached to deliveries. */
const summaryFile =
  (format: 'pdf' | 'csv') =>
  async ({ ctx, viewer, header }: OwnView, { params }: PageRequest<Ref>): Promise<RawAnswer> => {
    const file = await getOwnSummaryFile(ctx, viewer.caller, params.id, format);
    header('content-disposition', `attachment; filename="${file.filename}"`);
    header('cache-control', 'no-store');
    return { mediaType: file.contentType, body: file.content };
  };
